import type { ShownPassword } from './displayed-credentials.ts'
import { isPlaceholder, isReference } from './placeholder.ts'

/** Providers of mailboxes for persons: an address there is somebody's, not one that an example made up. */
const SIGN_IN_CALL_WITH_EMAIL =
  /\b(?:(?:sign|log)_?in\w{0,40}|handle(?:Sign|Log)in\w{0,20}|(?:on|handle)Submit|admin\.createUser)\(\s{0,10}\{\s{0,20}["']?e-?mail["']?\s{0,3}:\s{0,3}(["'`])([\w.+-]{3,64})@(?:gmail|googlemail|outlook|hotmail|live|icloud|yahoo|proton(?:mail)?|gmx|yandex)\.[a-z]{2,3}(?:\.[a-z]{2})?\1\s{0,3},\s{0,20}["']?$/i
const VALUE = /["']?\s{0,3}:\s{0,3}(["'`])([^"'`\n\\]{4,64})\1/y
const EXAMPLE_USER_NAME =
  /test|demo|exampl|sample|user|fake|dummy|mock|e2e|your|someone|nobody|foo|^(?:john|jane)(?:[._]?doe)?$|^(?:abc|xyz|admin|name|mail|email)\d*$/i

/** The literal that code signs in with at an address of a person, or makes that person's account with, however weak: the account has it. */
export function signInPassword(text: string, left: number, right: number): ShownPassword | undefined {
  if (!/^password$/i.test(text.slice(left, right))) return namedPassword(text, left, right)
  const person = SIGN_IN_CALL_WITH_EMAIL.exec(text.slice(Math.max(0, left - 240), left))?.[2]
  if (person === undefined || EXAMPLE_USER_NAME.test(person)) return undefined
  VALUE.lastIndex = right
  const found = VALUE.exec(text)
  const value = found?.[2]
  if (!found || value === undefined || isReference(value) || /wrong|invalid|your/i.test(value)) return undefined
  // digits in a row make a weak password, and a word before them is its own
  if (!/^[0-9]+$/.test(value) && isPlaceholder(value.replace(/[^A-Za-z0-9]?1234[0-9]{0,6}$/, ''))) return undefined
  const end = found.index + found[0].length - 1
  return { kind: 'sign-in-password', start: end - value.length, end }
}

/** Whose password opens everything, by the name of the constant that holds it. */
const PRIVILEGED_PASSWORD_NAME =
  /^(?:default_?)?(?:admin(?:istrator)?|owner|root|staff|manager|super_?(?:user|admin)|demo|guest|trial|try_?out)_?(?:(?:user|login|sign_?in|account)_?)?(?:password|passwort|passwd|pass|pwd|senha)(?:_?(?:default|fallback))?$/i
const STRING_ASSIGNMENT = /(?:\s{0,3}:\s{0,3}string)?\s{0,3}=\s{0,3}(["'`])([^"'`\n\\]{4,64})\1/y
const SIGN_IN_PASSWORD_ARGUMENT = /\bsign_?in\w{0,40}\(\s{0,10}\{[^{}]{0,160}\bpassword["']?\s{0,3}:\s{0,3}$/i
/** It stands in for a variable, in a file that signs in. */
const STANDS_IN = /(?:\|\||\?\?)\s{0,10}$/
const PASSWORD_SIGN_IN_CALL = /\bsign_?in(?:with\w{0,20})?\(/i
/** It is hashed for an account that the same file makes: `hashPassword(adminPassword)`. */
const HASHED = /\b(?:hash\w{0,30}|\w{0,20}\.hash(?:Sync)?|scrypt\w{0,10})\(\s{0,10}$/i
const TO_FILL_IN = /your|chang|exampl|placeholder|x{4}|test|demo|[<>{}]/i

/** `const ADMIN_PASSWORD = 'admin123'`, however weak, when the same file signs in with it, or hashes it for an account. */
function namedPassword(text: string, left: number, right: number): ShownPassword | undefined {
  const name = text.slice(left, right)
  if (!PRIVILEGED_PASSWORD_NAME.test(name)) return undefined
  STRING_ASSIGNMENT.lastIndex = right
  const found = STRING_ASSIGNMENT.exec(text)
  const value = found?.[2]
  if (!found || value === undefined || isReference(value) || TO_FILL_IN.test(value)) return undefined
  for (let at = text.indexOf(name, right), tries = 0; at !== -1 && tries < 20; at = text.indexOf(name, at + 1), tries++) {
    const before = text.slice(Math.max(0, at - 240), at)
    if (!SIGN_IN_PASSWORD_ARGUMENT.test(before) && !HASHED.test(before.slice(-60)) && !(STANDS_IN.test(before.slice(-14)) && PASSWORD_SIGN_IN_CALL.test(text)))
      continue
    const end = found.index + found[0].length - 1
    return { kind: 'sign-in-password', start: end - value.length, end }
  }
  return undefined
}
