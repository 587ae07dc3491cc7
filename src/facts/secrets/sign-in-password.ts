import { isPlaceholder, isReference } from './placeholder.ts'
import type { ShownPassword } from './shown-credentials.ts'

/** Providers of mailboxes for persons: an address there is somebody's, not one that an example made up. */
const SIGNED_IN =
  /\bsign_?in\w{0,40}\(\s{0,10}\{\s{0,20}["']?e-?mail["']?\s{0,3}:\s{0,3}(["'`])([\w.+-]{3,64})@(?:gmail|googlemail|outlook|hotmail|live|icloud|yahoo|proton(?:mail)?|gmx|yandex)\.[a-z]{2,3}(?:\.[a-z]{2})?\1\s{0,3},\s{0,20}["']?$/i
const VALUE = /["']?\s{0,3}:\s{0,3}(["'`])([^"'`\n\\]{4,64})\1/y
const MADE_UP = /test|demo|exampl|sample|user|fake|dummy|mock|e2e|your|someone|nobody|foo|^(?:john|jane)(?:[._]?doe)?$|^(?:abc|xyz|admin|name|mail|email)\d*$/i

/** The literal that code signs in with at an address of a person, however weak: that account has it. */
export function signInPassword(text: string, left: number, right: number): ShownPassword | undefined {
  if (!/^password$/i.test(text.slice(left, right))) return undefined
  const person = SIGNED_IN.exec(text.slice(Math.max(0, left - 240), left))?.[2]
  if (person === undefined || MADE_UP.test(person)) return undefined
  VALUE.lastIndex = right
  const found = VALUE.exec(text)
  const value = found?.[2]
  if (!found || value === undefined || isReference(value) || (isPlaceholder(value) && !/^[0-9]+$/.test(value)) || /wrong|invalid|your/i.test(value))
    return undefined
  const end = found.index + found[0].length - 1
  return { kind: 'sign-in-password', start: end - value.length, end }
}
