import type { Catalog } from '../../database/database.ts'
import { lastPart } from '../../lib/last-part.ts'
import type { Place } from '../../lib/place.ts'
import { withoutSqlComments } from '../../lib/sql-comments.ts'
import type { HardcodedIdentity, SqlAccount } from './code.ts'
import { maskMail } from './constants.ts'

const MAIL_LITERAL = /'([A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24})'/
const UUID_LITERAL = /'([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})'/i
const PLACEHOLDER_UUID = /^0{8}-|^1{8}-|^(.)\1{7}/
const SELF_EDITABLE_CLAIM_SQL = /user_metadata|raw_user_meta_data|\bprofiles?\b[\s\S]{0,80}\be?mail\b/i

/** Addresses and ids in policies and functions of the final schema. */
export function sqlIdentities(catalog: Catalog, owners: ReadonlySet<string>): HardcodedIdentity[] {
  const found: Found[] = []
  for (const p of catalog.policies) {
    const hit = identityIn(`${p.using ?? ''} ${p.check ?? ''}`)
    if (!hit) continue
    const claimed = /user_metadata|raw_user_meta_data/.test(`${p.using ?? ''} ${p.check ?? ''}`)
    found.push(decidesBy(hit, `policy ${p.schema}.${p.table} "${p.name}"`, p.at, claimed, owners))
  }
  for (const f of catalog.functions) {
    const body = withoutSqlComments(f.body)
    const hit = comparedIn(body)
    if (!hit || !decidesForSomebody(f, body)) continue
    const parameter = f.args.some((a) => a.name && new RegExp(`\\b${escapeName(a.name)}\\b\\s*(?:=|IN\\b)`, 'i').test(body))
    const callable = f.executableBy.some((r) => r === 'anon' || r === 'authenticated' || r === 'PUBLIC' || r === 'public') && !f.isTrigger
    const claimed = SELF_EDITABLE_CLAIM_SQL.test(body) || (parameter && callable)
    found.push(decidesBy(hit, `function ${f.schema}.${f.identity}`, f.at, claimed, owners))
  }
  return oneOfEach(found)
}

/** SQL that decides about access by an address or an id. */
const decidesBy = (hit: Hit, subject: string, { path, line }: Place, claimed: boolean, owners: ReadonlySet<string>): Found => ({
  subject,
  path,
  line,
  ...hit,
  origin: claimed ? 'claimed' : 'verified',
  grants: true,
  owner: owners.has(hit.value.toLowerCase()),
  inBrowser: false,
  uses: [],
})

const CALLER_IDENTITY_SQL = /\bauth\.(?:uid|email|jwt|role)\b|request\.jwt|\bsession_user\b|\bcurrent_user\b/i

/**
 * Whether a comparison in a function can be about whoever asks. One that only finds a certain account (`where email = '…'`) is not, nor is a trigger
 * on new accounts that gives nobody power.
 */
function decidesForSomebody(f: Catalog['functions'][number], body: string): boolean {
  if (f.isTrigger) return ADMIN_VALUE_SQL.test(body) || CALLER_IDENTITY_SQL.test(body)
  return CALLER_IDENTITY_SQL.test(body) || f.args.length > 0 || /^bool/.test(f.returns)
}

/** The same literal in several policies and functions was decided once: the first is the finding, the others are named beside it. */
function oneOfEach(all: readonly Found[]): HardcodedIdentity[] {
  const first = new Map<string, Found & { uses: { path: string; line: number; subject?: string }[] }>()
  for (const i of [...all].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))) {
    const key = `${i.what} ${i.value} ${i.origin}`
    const known = first.get(key)
    if (known) known.uses.push({ path: i.path, line: i.line, subject: i.subject })
    else first.set(key, { ...i, uses: [] })
  }
  return [...first.values()].map(({ value: _, ...i }) => i)
}

type Found = HardcodedIdentity & { readonly value: string }

interface Hit {
  readonly what: 'email' | 'id'
  readonly shown: string
  readonly value: string
}

function identityIn(text: string): Hit | undefined {
  const mail = MAIL_LITERAL.exec(text)?.[1]
  if (mail) return { what: 'email', shown: maskMail(mail), value: mail }
  const id = UUID_LITERAL.exec(text)?.[1]
  return id && !PLACEHOLDER_UUID.test(id) && /auth\.uid\(\)|user_id|owner_id|\bsub\b/i.test(text)
    ? { what: 'id', shown: `${id.slice(0, 8)}…`, value: id }
    : undefined
}

/** A literal that something is compared with; addresses that mail is sent from or to are none. */
function comparedIn(body: string): Hit | undefined {
  const mail =
    /(?:=|<>|!=|\bIN\s*\(|\bANY\s*\(\s*ARRAY\s*\[)\s*(?:'[^'\n]{0,80}'\s*,\s*){0,10}'([A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24})'/i.exec(
      body,
    )?.[1]
  if (mail && !/:=\s*'[^']*@/.test(body)) return { what: 'email', shown: maskMail(mail), value: mail }
  const id = /(?:auth\.uid\(\)|user_?id|uid|owner_id)\s*(?:=|<>|!=|IN\s*\()\s*'([0-9a-f]{8}-[0-9a-f-]{27})'/i.exec(body)?.[1]
  return id && !PLACEHOLDER_UUID.test(id) ? { what: 'id', shown: `${id.slice(0, 8)}…`, value: id } : undefined
}

function escapeName(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

const AUTH_USERS = /(?:insert\s+into|update)\s+"?auth"?\s*\.\s*"?users"?/i
const CRYPT_LITERAL_SQL = /\bcrypt\s*\(\s*'[^'\n]{1,200}'/i
const ADMIN_VALUE_SQL = /'(?:super[_ -]?admin|admin|administrator|owner|superuser|root|moderator|staff)'|\bis_(?:super_?)?admin\b|\badmins?\b|\badmin_users\b/i

/** Accounts with a fixed password, and power given to a fixed person, in SQL that runs wherever the migrations run. */
export function sqlAccounts(path: string, text: string): SqlAccount | undefined {
  const clean = withoutSqlComments(text)
  const takers = passwordTakers(clean)
  const found: { what: SqlAccount['what']; line: number; who: string }[] = []
  for (const { statement, offset } of statementsOf(clean)) {
    const lineOf = (index: number) => clean.slice(0, offset + index).split('\n').length
    const crypt = CRYPT_LITERAL_SQL.exec(statement)
    if (AUTH_USERS.test(statement) && crypt) {
      found.push({ what: 'password', line: lineOf(crypt.index), who: personIn(statement) })
      continue
    }
    const given = passwordGiven(statement, takers)
    if (given !== undefined) {
      found.push({ what: 'password', line: lineOf(given), who: personIn(statement) })
      continue
    }
    const into = /insert\s+into\s+("?[\w.]+"?[\w."]*)/i.exec(statement)
    const update = /\bupdate\s+(?:only\s+)?("?[\w."]{1,200})\s+set\b([\s\S]{0,2000}?)\bwhere\b([\s\S]{0,2000})/i.exec(statement)
    if (/create\s+(?:or\s+replace\s+)?(?:function|procedure|trigger|policy)/i.test(statement)) continue
    const personal = (part: string) =>
      !isSampleData(part) && (MAIL_LITERAL.test(part) || (UUID_LITERAL.test(part) && !PLACEHOLDER_UUID.test(UUID_LITERAL.exec(part)?.[1] ?? '')))
    if ((into && LIST_OF_ADMINS.test(bareName(into[1] ?? '')) && personal(statement)) || isAppointing(statement)) {
      found.push({ what: 'grant', line: lineOf(personalIndex(statement)), who: personIn(statement) })
      continue
    }
    if (
      into &&
      /user|role|admin|profile|member|staff/i.test(into[1] ?? '') &&
      /user_?id|\bid\b|email/i.test(statement) &&
      ADMIN_VALUE_SQL.test(statement.slice(into.index + into[0].length)) &&
      personal(statement)
    )
      found.push({ what: 'grant', line: lineOf(personalIndex(statement)), who: personIn(statement) })
    else if (update && ADMIN_VALUE_SQL.test(update[2] ?? '') && personal(update[3] ?? ''))
      found.push({ what: 'grant', line: lineOf(update.index), who: personIn(update[3] ?? '') })
  }
  const [first, ...others] = found.sort((a, b) => (a.what === b.what ? a.line - b.line : a.what === 'password' ? -1 : 1))
  return first && { path, line: first.line, what: first.what, who: first.who, related: others.map((o) => ({ path, line: o.line })) }
}

/** Tables in which to stand is to administer: `platform_admins`, `admin_emails`. */
const LIST_OF_ADMINS = /^(?:\w{1,40}_)?admins$|^(?:\w{1,40}_)?admin_?(?:users?|e?mails?|accounts?|members?|allow_?list|white_?list)$/

/** `select add_admin_by_email('…')`: a function that is called for one person. */
const ADMIN_GRANTING_FUNCTION_SQL =
  /^\s*(?:select|call|perform)\s+["\w.]{0,80}?\b(?:add|make|grant|set|promote|create|assign|insert|appoint)_(?:\w{1,30}_)?admin(?:_\w{1,30})?"?\s*\(\s*(?:\w{1,60}\s*(?:=>|:=)\s*)?'/i

const isAppointing = (statement: string): boolean => ADMIN_GRANTING_FUNCTION_SQL.test(statement) && MAIL_LITERAL.test(statement) && !isSampleData(statement)

/** Functions of the file that take a password, and which of their arguments it is. */
function passwordTakers(text: string): ReadonlyMap<string, number> {
  const takers = new Map<string, number>()
  for (const m of text.matchAll(/create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([\w."]{1,200})\s*\(/gi)) {
    const from = (m.index ?? 0) + m[0].length
    const at = argumentsOf(text.slice(from, from + 4000)).findIndex((a) => /^\s*(?:in\s+)?"?(?:\w{1,60}_)?(?:password|passwd|pwd)"?\s/i.test(a.text))
    if (at >= 0) takers.set(bareName(m[1] ?? ''), at)
  }
  return takers
}

/** Where a statement calls such a function with a literal in the password's place. */
function passwordGiven(statement: string, takers: ReadonlyMap<string, number>): number | undefined {
  if (!takers.size || !/^\s*(?:select|call|perform|do|insert|with)\b/i.test(statement)) return undefined
  for (const call of statement.matchAll(/([\w."]{1,200})\s*\(/g)) {
    const index = takers.get(bareName(call[1] ?? ''))
    if (index === undefined) continue
    const from = (call.index ?? 0) + call[0].length
    const arg = argumentsOf(statement.slice(from, from + 4000))[index]
    const literal = arg && /^\s*(?:\w{1,60}\s*(?:=>|:=)\s*)?'([^'\n]{3,200})'\s*(?:::\s*\w+\s*)?$/.exec(arg.text)
    if (literal && !/[<{]|your|secure_?password_?here|placeholder/i.test(literal[1] ?? '')) return from + arg.offset + arg.text.indexOf("'")
  }
  return undefined
}

const bareName = (name: string): string => lastPart(name.replaceAll('"', '')).toLowerCase()

/** Arguments up to the closing bracket, by the commas between brackets and quotes. */
function argumentsOf(text: string): { readonly text: string; readonly offset: number }[] {
  const found: { text: string; offset: number }[] = []
  let depth = 0
  let start = 0
  for (const m of text.matchAll(/'(?:[^']|'')*'|[(),]/g)) {
    if (m[0] === '(') depth++
    else if (m[0] === ')' && --depth < 0) return [...found, { text: text.slice(start, m.index), offset: start }]
    else if (m[0] === ',' && depth === 0) {
      found.push({ text: text.slice(start, m.index), offset: start })
      start = m.index + 1
    }
  }
  return [...found, { text: text.slice(start), offset: start }]
}

/** The address or id that stands first; only ever compared, never shown. */
function personIn(text: string): string {
  return (MAIL_LITERAL.exec(text)?.[1] ?? UUID_LITERAL.exec(text)?.[1] ?? '').toLowerCase()
}

/** The same person in migration after migration is one cause: the first file, the others beside it. */
export function oneOfEachPerson(all: readonly SqlAccount[]): SqlAccount[] {
  const merged = new Map<string, SqlAccount>()
  for (const a of all) {
    const key = `${a.what} ${a.who || a.path}`
    const known = merged.get(key)
    merged.set(key, known ? { ...known, related: [...known.related, { path: a.path, line: a.line }, ...a.related] } : a)
  }
  return [...merged.values()]
}

/** Rows of made-up people: ids that no generator gives, example domains, a list of several addresses. */
function isSampleData(text: string): boolean {
  const ids = [...text.matchAll(/'([0-9a-f]{8})-[0-9a-f-]{27}'/gi)]
  const mails = [...text.matchAll(/'[^'@\s]{1,64}@([a-z0-9.-]{3,100})'/gi)]
  return (
    ids.some((m) => PLACEHOLDER_UUID.test(`${m[1]}-`)) ||
    mails.length > 3 ||
    (mails.length > 0 && mails.every((m) => /^(?:example|test|demo|sample)\./i.test(m[1] ?? '')))
  )
}

function personalIndex(statement: string): number {
  return Math.min(...[UUID_LITERAL.exec(statement)?.index, MAIL_LITERAL.exec(statement)?.index].filter((i): i is number => i !== undefined))
}

/** Statements by semicolon outside quotes; bodies in dollar quotes stay whole. */
function* statementsOf(text: string): Generator<{ statement: string; offset: number }> {
  let start = 0
  const token = /'(?:[^']|'')*'|\$[A-Za-z_]*\$|;/g
  for (let m = token.exec(text); m; m = token.exec(text)) {
    if (m[0] === ';') {
      yield { statement: text.slice(start, m.index), offset: start }
      start = m.index + 1
    } else if (m[0].startsWith('$')) {
      const close = text.indexOf(m[0], m.index + m[0].length)
      if (close === -1) break
      token.lastIndex = close + m[0].length
    }
  }
  yield { statement: text.slice(start), offset: start }
}
