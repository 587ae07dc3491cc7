import type { ShownPassword } from './displayed-credentials.ts'
import { isReference } from './placeholder.ts'

/** The names under which an account keeps its password, hashed or not. */
const KEPT_AS = /^(?:password|passwd|pwd|senha|(?:password|passwd|pass)_?hash|(?:hashed|encrypted)_?password|password_?digest)$/i
/** What a literal stands in for: `hash(process.env.SEED_PASSWORD || '…')`. */
const STANDS_IN_FOR = String.raw`(?:[\w$.]{1,80}!?\s{0,3}(?:\|\||\?\?)\s{0,10})?`
const HASHED_TEXT = new RegExp(
  String.raw`["']?\s{0,3}:\s{0,3}(?:await\s{1,3})?(?:[\w$]{1,40}\.){0,3}\w{0,30}hash\w{0,30}\(\s{0,20}${STANDS_IN_FOR}(["'${'`'}])([^"'${'`'}\n\\]{4,64})\1`,
  'iy',
)
const NAMED = /["']?\s{0,3}:\s{0,3}([A-Za-z_$][\w$]{1,40})\s{0,3}[,}\n]/y
const SHORTHAND = /\s{0,3}[,}\n]/y
const STRING_PROPERTY = /["']?\s{0,3}:\s{0,3}(["'`])([^"'`\n\\]{4,64})\1/y
/** What makes an account with a password as it is, before the object that it is given. */
const MAKES_ACCOUNT =
  /\b(?:admin\.createUser|create_?(?:admin_?|auth_?|new_?)?(?:user|account|admin|member)|sign_?up(?:_?(?:with)?_?(?:email|user))?|register_?(?:user|admin)?)\(\s{0,20}\{/i

/** Accounts of a list, each hashed or made in its turn: `for (const user of users) … hash(user.password)`, `… admin.createUser({ …, password: user.password })`. */
const ACCOUNT_LIST_SEED =
  /(?:\bfor\s{0,3}\(\s{0,3}const\s{1,3}|\.(?:map|forEach)\(\s{0,3}(?:async\s{0,3})?\(?)(\w{1,30})\b[\s\S]{0,900}?(?:hash\w{0,30}\(\s{0,20}|admin\.createUser\(\s{0,20}\{[^{}]{0,200}\bpassword\s{0,3}:\s{0,3})\1\.(?:password|passwd|pwd)\b/i

const WHOSE = /\b(?:user_?name|login|e_?mail)["']?\s{0,3}[:=]\s{0,3}(["'`])([^"'`\n\\${}]{3,80})\1/i
const PRIVILEGED_ACCOUNT_WORD = /admin|owner|super|root|staff|manager|moderator|propriet|gerente|gestor/i
const GIVEN_POWER =
  /\b(?:\w{0,12}_?roles?(?:_?name)?|(?:user_?|account_?)?type(?:_?\w{1,20})?)["']?\s{0,3}[:=]\s{0,3}["'`]?(?:[A-Za-z]{1,20}\.)?\w{0,20}(?:admin|owner|super_?user|staff|manager|moderator|propriet|gerente|gestor)|\bis_?(?:super_?)?(?:admin|staff|owner|super_?user)["']?\s{0,3}[:=]\s{0,3}true\b/i
/** What everybody tries first, or what seeds for trying out are filled with. */
const SEED_PASSWORD =
  /^(?:pass(?:word|wort|wd)?|secret|senha|test(?:er|ing)?|demo|guest|user|admin|changeme|welcome|qwerty|letmein|abc)?[0-9]{0,8}[!@#$.]{0,3}$/i
const PLACEHOLDER_PASSWORD = /wrong|invalid|your|dummy|placeholder|not[-_ ]?(?:a|used|set)|oauth|external|\*{3}|x{4}|[<>{}]/i
const EXAMPLE_ACCOUNT = /@(?:[\w-]{1,40}\.)?(?:example|test|demo|mock|fake|sample|seed)\.|test|demo|exampl|sample|dummy|mock|fake/i

/**
 * The literal that code gives an account which it makes: hashed into its row, or handed to what makes accounts. `account-password` is one that
 * opens something, by the power of the account or because it was thought up for a person; `try-out-password` is any other. `first-password` is what every
 * account begins with that is made here, for whomever.
 */
export function accountPassword(text: string, left: number, right: number): ShownPassword | undefined {
  if (!KEPT_AS.test(text.slice(left, right))) return undefined
  const object = objectAround(text, left)
  if (!object) return undefined
  const hashed = match(HASHED_TEXT, text, right) ?? hashedElsewhere(text, left, right)
  const made = hashed ?? givenToMaker(text, left, right, object)
  if (!made) return undefined
  const value = text.slice(made.start, made.end)
  if (isReference(value) || PLACEHOLDER_PASSWORD.test(value)) return undefined
  const fields = text.slice(object.start, object.end)
  const whose =
    WHOSE.exec(fields)?.[2] ?? heldAddress(text, fields) ?? (hashed && !/\b(?:user_?name|login|e_?mail)\b/i.test(fields) ? undefined : WHOSE.exec(text)?.[2])
  if (whose === undefined) return !hashed && GIVEN_ADDRESS.test(fields) ? { kind: 'first-password', ...made } : undefined
  const power = GIVEN_POWER.test(fields) || PRIVILEGED_ACCOUNT_WORD.test(whose) || (!hashed && GIVEN_POWER.test(text))
  const person = hashed !== undefined && !SEED_PASSWORD.test(value) && !EXAMPLE_ACCOUNT.test(whose) && !/test|demo|exampl|sampl/i.test(value)
  return { kind: power || person ? 'account-password' : 'try-out-password', ...made }
}

/** `email`, `email: body.email`: whoever is named gets an account. */
const GIVEN_ADDRESS = /\be_?mail\s{0,3}(?:[,}\n]|:\s{0,3}[A-Za-z_$])/i
const WHOSE_NAME = /\b(?:user_?name|login|e_?mail)["']?\s{0,3}:\s{0,3}([A-Za-z_$][\w$]{1,40})\s{0,3}[,}\n]/i

/** The address that a constant of the file holds: `const adminEmail = '…'`, and `email: adminEmail` in the account. */
function heldAddress(text: string, fields: string): string | undefined {
  const held = constant(text, WHOSE_NAME.exec(fields)?.[1])
  return held && text.slice(held.start, held.end)
}

interface Range {
  readonly start: number
  readonly end: number
}

function match(pattern: RegExp, text: string, at: number): Range | undefined {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  const value = found?.[2]
  if (!found || value === undefined) return undefined
  const end = found.index + found[0].length - 1
  return { start: end - value.length, end }
}

/** `passwordHash: hashed` or `password,` where `const hashed = await hash('…')` stands before it, or hashes what a constant holds. */
function hashedElsewhere(text: string, left: number, right: number): Range | undefined {
  NAMED.lastIndex = right
  SHORTHAND.lastIndex = right
  const name = NAMED.exec(text)?.[1] ?? (SHORTHAND.test(text) ? text.slice(left, right) : undefined)
  if (name === undefined) return undefined
  const hash = new RegExp(
    `(?:const|let|var)\\s{1,3}${escaped(name)}\\s{0,3}=\\s{0,3}(?:await\\s{1,3})?(?:[\\w$]{1,40}\\.){0,3}\\w{0,30}hash\\w{0,30}\\(\\s{0,20}`,
    'i',
  ).exec(text)
  if (!hash) return undefined
  const at = hash.index + hash[0].length
  return match(/(["'`])([^"'`\n\\]{4,64})\1/y, text, at) ?? constant(text, /^[A-Za-z_$][\w$]{0,40}/.exec(text.slice(at, at + 42))?.[0])
}

/** In an object that makes an account, or in a list of such that is gone through. */
function givenToMaker(text: string, left: number, right: number, { start, end }: Range): Range | undefined {
  if (MAKES_ACCOUNT.test(text.slice(Math.max(0, start - 60), start + 1))) return givenAsItIs(text, left, right)
  return GIVEN_POWER.test(text.slice(start, end)) && ACCOUNT_LIST_SEED.test(text) ? match(STRING_PROPERTY, text, right) : undefined
}

/** The literal itself, or what the constant holds that is handed over. */
function givenAsItIs(text: string, left: number, right: number): Range | undefined {
  const literal = match(STRING_PROPERTY, text, right)
  if (literal) return literal
  NAMED.lastIndex = right
  SHORTHAND.lastIndex = right
  return constant(text, NAMED.exec(text)?.[1] ?? (SHORTHAND.test(text) ? text.slice(left, right) : undefined))
}

function constant(text: string, name: string | undefined): Range | undefined {
  if (name === undefined) return undefined
  const declared = new RegExp(`(?:const|let|var)\\s{1,3}${escaped(name)}(?:\\s{0,3}:\\s{0,3}string)?\\s{0,3}=\\s{0,3}`).exec(text)
  return declared ? match(/(["'`])([^"'`\n\\]{4,64})\1/y, text, declared.index + declared[0].length) : undefined
}

const escaped = (name: string): string => name.replaceAll('$', '\\$')

const FAR = 900

/** The braces around a place, where they are near. */
function objectAround(text: string, at: number): Range | undefined {
  let depth = 0
  let start = -1
  for (let i = at - 1; i >= Math.max(0, at - FAR); i--) {
    const c = text[i]
    if (c === '}') depth++
    else if (c === '{' && depth-- === 0) {
      start = i
      break
    }
  }
  if (start === -1) return undefined
  depth = 0
  for (let i = at; i < Math.min(text.length, at + FAR); i++) {
    const c = text[i]
    if (c === '{') depth++
    else if (c === '}' && depth-- === 0) return { start, end: i + 1 }
  }
  return undefined
}
