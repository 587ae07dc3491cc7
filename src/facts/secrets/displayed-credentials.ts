import { isReference } from './placeholder.ts'
import { looksLikePassword } from './secret-by-name.ts'

/** A password that a page shows, that its sign-in form holds before anybody types, that code signs in with or gives an account. */
export interface ShownPassword {
  readonly kind: 'shown-password' | 'prefilled-password' | 'sign-in-password' | 'account-password' | 'try-out-password' | 'first-password'
  readonly start: number
  readonly end: number
}

/** Whether a kind of secret is the password that code gives an account which it makes. */
export const isGivenToAccount = (kind: string): boolean => kind === 'account-password' || kind === 'try-out-password' || kind === 'first-password'

const LABEL = /^(?:password|passwort|passwd|passcode|pass|pwd|senha|contrase(?:n|ñ)a|parola)$/i
const PASSWORD_FIELD_LABEL = /^(?:(?:login|admin|user|default|form|demo|test)_?)?(?:password|passwort|passwd|pass|pwd|senha|contrase(?:n|ñ)a)$/i
const SETTER = /^set(?:Login|Admin|User)?(?:Password|Passwort|Pass|Pwd|Senha|Contrasena)$/

/** What stands between a label and its value on a page: marks, and blanks that are written out. */
const VALUE_AFTER =
  /\s{0,3}:\s{0,20}(?:(?:<\/?[A-Za-z][^<>]{0,200}>|\{["'`] ["'`]\})\s{0,40}){0,6}([^\s<>{}"'`,;()|]{4,64})(?=[^<>{};=()"'`]{0,80}(?:<|["'`]|\{["'`] ))/y
const STATE_AFTER =
  /(?:,\s{0,3}set\w{1,40}\s{0,3}\])?\s{0,3}=\s{0,3}(?:React\.)?(?:useState|ref|\$state|signal|writable)(?:<[^<>]{0,40}>)?\(\s{0,3}(["'`])([^"'`\n\\]{4,64})\1/y
const SETTER_AFTER = /\(\s{0,3}(["'`])([^"'`\n\\]{4,64})\1\s{0,3}\)/y
const FIELD_AFTER = /["']?\s{0,3}:\s{0,3}(["'`])([^"'`\n\\]{4,64})\1/y
/** The object whose field it is holds what the form begins with. */
const BEGINS_WITH = /(?:useState(?:<[^<>]{0,40}>)?\(|(?:defaultValues|initialValues|initialState)\s{0,3}[:=]|reactive\(|ref\()\s{0,3}\{[^{}]{0,200}$/
/** A pair as people note it: `admin@shop.example / Summer2024`. */
const PAIR_AFTER =
  /@[\w-]{1,60}(?:\.[\w-]{1,30}){1,3}["'`]?(?:<\/?[A-Za-z][^<>]{0,100}>)?\s{0,3}[/|]\s{0,3}(?:<\/?[A-Za-z][^<>]{0,100}>)?["'`]?([^\s<>{}"'`,;()|/]{5,64})/y

const IN_URL = /:\/\/[^\s"'`]{1,190}$/

const EMAIL_IN_TEXT = /([\w.+-]{1,64})@[\w-]{1,60}\.[\w.-]{2,40}/
const USER_LABEL_IN_MARKUP =
  /(?:user(?:name)?|usuario|usuário|login|e-?mail|benutzer|utente)\b[^:<>{}]{0,12}:\s{0,20}(?:(?:<\/?[A-Za-z][^<>]{0,200}>|\{["'`] ["'`]\})\s{0,40}){0,6}([\w.@+-]{3,64})/i
const PRIVILEGED_LABEL_WORD = /admin|owner|(?:^|\W)root|super|manager|staff|moderator|propriet|gerente|gestor|direttore|inhaber/i
/** What is handed out on purpose, works with anything, or tells what a password has to be. */
const ON_PURPOSE = /\bany\b|mock|simulat|prototype|e\.g\.|for example|must|at least|minimum|placeholder/i
const TRY_OUT = /demo|\btest|sample|example|guest|try it|prueba|prova|teste|exemplo|ejemplo|beispiel/i
const SIGN_IN_LABEL = /sign[-_ ]?in|log[-_ ]?in|anmeld|acced|acess|entrar|iniciar sesi/i
const WEAK = /^(?:admin(?:istrator)?|password|passwort|senha|secret|root|manager|owner|staff|super(?:user|admin)?|welcome|letmein|qwerty|changeme)$/i

/** The password that follows a name, when the page gives it away; `left` and `right` enclose the name. */
export function shownPassword(text: string, left: number, right: number): ShownPassword | undefined {
  const name = text.slice(left, right)
  if (LABEL.test(name) && isOnPage(text, left)) {
    const shown = valueAt(VALUE_AFTER, text, right, 1)
    if (shown && givesAway(text, left, shown)) return { kind: 'shown-password', ...shown }
  }
  const setter = SETTER.test(name)
  if (!setter && !PASSWORD_FIELD_LABEL.test(name)) return undefined
  const state = setter ? valueAt(SETTER_AFTER, text, right, 2) : valueAt(STATE_AFTER, text, right, 2)
  const field = setter || state || !BEGINS_WITH.test(text.slice(Math.max(0, left - 260), left)) ? undefined : valueAt(FIELD_AFTER, text, right, 2)
  const filled = state ?? field
  return filled && SIGN_IN_LABEL.test(text) && givesAway(text, left, filled) ? { kind: 'prefilled-password', ...filled } : undefined
}

/** Pairs of an address and a password, in a text that speaks of signing in. */
export function shownPairs(text: string): ShownPassword[] {
  const found: ShownPassword[] = []
  for (let at = text.indexOf('@'); at !== -1 && found.length < 20; at = text.indexOf('@', at + 1)) {
    // in an address of a server the pair stands before the host, and what follows is its path
    const pair = /[\w.+-]/.test(text[at - 1] ?? '') && !IN_URL.test(text.slice(Math.max(0, at - 200), at)) ? valueAt(PAIR_AFTER, text, at, 1) : undefined
    if (!pair || !/login|log in|sign|credential|demo|admin|password|acces|senha|contrase|passwort/i.test(text.slice(Math.max(0, at - 200), pair.start)))
      continue
    if (/[A-Za-z]/.test(text.slice(pair.start, pair.end)) && givesAway(text, at, pair)) found.push({ kind: 'shown-password', ...pair })
  }
  return found
}

interface Range {
  readonly start: number
  readonly end: number
}

function valueAt(pattern: RegExp, text: string, at: number, group: number): Range | undefined {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  const value = found?.[group]
  if (!found || value === undefined) return undefined
  const start = found.index + found[0].lastIndexOf(value)
  return { start, end: start + value.length }
}

/** Whether a word is text between marks, or inside a string that names an account before it; not the name of something in code. */
function isOnPage(text: string, left: number): boolean {
  for (let i = left - 1; i >= Math.max(0, left - 160); i--) {
    const c = text[i]
    if (c === '>') return text[i - 1] !== '='
    if (c === '}') return true
    if (c === '"' || c === "'" || c === '`') return text.slice(i, left).includes('@')
    if (c === '{' || c === ';' || c === '=' || c === '(') return false
  }
  return false
}

/** Whether somebody gets in with it: an account is named beside it that may do more than others, or one that is not there for trying out. */
function givesAway(text: string, at: number, { start, end }: Range): boolean {
  const value = text.slice(start, end)
  if (isReference(value) || /^[•*.·_x-]+$/i.test(value) || /^(?:your|enter|any|min|tua?|seu|sua|ihr)/i.test(value)) return false
  if (!WEAK.test(value) && !/[0-9!@#$%^&*]/.test(value)) return false
  const before = text.slice(Math.max(0, at - 320), start)
  const after = text.slice(end, end + 200)
  if (ON_PURPOSE.test(text.slice(Math.max(0, at - 160), start)) || ON_PURPOSE.test(after.slice(0, 60))) return false
  const account =
    lastMatch(before, EMAIL_IN_TEXT) ?? lastMatch(before, USER_LABEL_IN_MARKUP) ?? EMAIL_IN_TEXT.exec(after)?.[0] ?? USER_LABEL_IN_MARKUP.exec(after)?.[1]
  if (account === undefined) return false
  const around = before.slice(Math.max(0, before.lastIndexOf(account) - 60))
  if (PRIVILEGED_LABEL_WORD.test(account) || PRIVILEGED_LABEL_WORD.test(around.replaceAll(value, ''))) return true
  return !TRY_OUT.test(before) && looksLikePassword(value)
}

function lastMatch(text: string, pattern: RegExp): string | undefined {
  let last: string | undefined
  let rest = text
  for (let i = 0; i < 8; i++) {
    const found = pattern.exec(rest)
    if (!found) break
    last = pattern === USER_LABEL_IN_MARKUP ? found[1] : found[0]
    rest = rest.slice(found.index + found[0].length)
  }
  return last
}
