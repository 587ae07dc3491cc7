import { accountPassword } from './account-password.ts'
import { isGivenToAccount, type ShownPassword, shownPairs, shownPassword } from './displayed-credentials.ts'
import { entropy } from './entropy.ts'
import { SECRET_FORMATS, type SecretFormat } from './formats.ts'
import { decodeJwt, JWT, signedWithPublishedSecret } from './jwt.ts'
import { isPlaceholder, isReference, isWordy } from './placeholder.ts'
import { isPublished } from './published.ts'
import { isHostedSession } from './saved-session.ts'
import type { SecretSpan } from './secret.ts'
import { comparedPassword, PASSWORD_NAME, PUBLIC_PREFIX, secretByName, weakSecret } from './secret-by-name.ts'
import { signInPassword } from './sign-in-password.ts'
import { anchorAt, findStarts, NAME_WORD } from './starts.ts'

export type { SecretSpan } from './secret.ts'

/** Part of the version of every extractor that finds or blanks out secrets: raise it whenever a value is judged otherwise. */
export const SECRETS_VERSION = '22'

const BY_ANCHOR = new Map<string, SecretFormat[]>()
for (const f of SECRET_FORMATS) for (const a of f.anchors) BY_ANCHOR.set(a, [...(BY_ANCHOR.get(a) ?? []), f])

const PRIVATE_KEY = /-----BEGIN (?:(?:RSA|DSA|EC|OPENSSH|PGP|ENCRYPTED) )?PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=\s\\]{64,16000})-----END/y
const TELEGRAM = /:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])/y
const BEARER = /Bearer ([A-Za-z0-9+/=_~-]{20,200})(?=["'`\\])/y
const NPM_AUTH = /_authToken=([A-Za-z0-9_-]{20,100})/y
const SCHEMES = /(?:postgres(?:ql)?|mysql2?|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|cockroachdb|clickhouse|smtps?|ftps?|https?)$/
const USERINFO = /:\/\/([^\s:/@"'`<>]{0,100}):([^\s/@"'`<>]{1,200})@([^\s/:?#"'`<>,)\\]{1,200})/y

const LOCAL_HOST = /^(?:localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker\.internal|10\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.)|\.local$|\.internal$|\.test$/

/**
 * Every secret of a text, in order and without overlaps. Placeholders, references, publishable and anon keys are none.
 * Linear in the length of the text.
 */
export function findSecrets(text: string): readonly SecretSpan[] {
  if (text !== last.text) last = { text, spans: scan(text) }
  return last.spans
}

/** Several extractors read the same text one after the other. */
let last: { text: string; spans: readonly SecretSpan[] } = { text: '', spans: [] }

function scan(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  const settled: [number, number][] = []
  const starts = findStarts(text)
  let from = 0
  for (const index of starts.anchors) {
    const anchor = index < from ? undefined : anchorAt(text, index)
    if (!anchor) continue
    from = index + anchor.length
    const found = atAnchor(text, anchor, index)
    if (!found) continue
    if (found.span) spans.push(found.span)
    settled.push([found.start, found.end])
    from = Math.max(from, found.end)
  }
  byName(text, starts.names, settled, spans)
  for (const pair of shownPairs(text)) addShown(pair, spans)
  return spans.sort((a, b) => a.start - b.start)
}

interface Match {
  readonly start: number
  readonly end: number
  /** Absent when the value was recognised as no secret: then nothing else may call it one. */
  readonly span?: SecretSpan
}

function atAnchor(text: string, anchor: string, index: number): Match | undefined {
  if (anchor === 'eyJ') return jwtAt(text, index)
  if (anchor === '-----BEGIN') return privateKeyAt(text, index)
  if (anchor === '://') return urlAt(text, index)
  if (anchor === ':AA') return telegramAt(text, index)
  if (anchor === "crypt('") return cryptAt(text, index)
  if (anchor === '_authToken=') return npmAuthAt(text, index)
  if (anchor === 'Bearer ') return bearerAt(text, index)
  if (anchor.startsWith('_')) return modeKeyAt(text, anchor, index)
  if (!beginsToken(text, index)) return undefined
  for (const format of BY_ANCHOR.get(anchor) ?? []) {
    format.pattern.lastIndex = index
    const match = format.pattern.exec(text)
    if (!match) continue
    const value = match[0]
    const end = index + value.length
    const body = value.slice(anchor.length)
    if (isPlaceholder(value, body) || noDigits(body) || (format.kind.startsWith('stripe-') && wrongStripeLength(body))) return { start: index, end }
    if (format.kind === 'supabase-session' && !isHostedSession(value)) return { start: index, end }
    const name = nameBefore(text, index)
    if (format.context && !format.context.test(around(text, index, end))) return { start: index, end }
    const life = isPublished(value) ? 'local-demo' : format.life
    const kind = format.kind.startsWith('stripe-') && /clerk/i.test(name ?? '') ? format.kind.replace('stripe', 'clerk') : format.kind
    return { start: index, end, span: { kind, start: index, end, redacted: `${value.slice(0, format.shown)}…`, live: life, ...(name ? { name } : {}) } }
  }
  return undefined
}

/** Keys of today begin with `51` and the account, and are about a hundred characters long; older ones have 24. */
function wrongStripeLength(body: string): boolean {
  return body.startsWith('51') && body.length !== 24 && body.length < 60
}

/** Random values of these lengths have digits or both cases; words have neither. */
function noDigits(body: string): boolean {
  return body.length >= 16 && !/[0-9]/.test(body) && (isWordy(body) || !/[A-Z]/.test(body) || !/[a-z]/.test(body))
}

/** A token of nobody's format in an Authorization header: what a service or a webhook of one's own is called with. */
function bearerAt(text: string, index: number): Match | undefined {
  BEARER.lastIndex = index
  const value = BEARER.exec(text)?.[1]
  if (!value || value.startsWith('eyJ') || secretByName('bearer_token', value) === undefined || knownFormat(value)) return undefined
  const start = index + 'Bearer '.length
  const end = start + value.length
  return { start, end, span: { kind: 'generic-secret', start, end, redacted: `${value.slice(0, 2)}…`, live: 'live', name: 'Authorization' } }
}

/** What comes before the mode in a key: who issues it, and of what kind it is. */
const ISSUER = /(?:^|[^A-Za-z0-9_-])([a-z][a-z0-9]{1,11}(?:_[a-z]{2,12}){0,2})$/
const MODE_BODY = /([A-Za-z0-9]{20,120}(?:_[A-Za-z0-9]{8,64})?)(?![A-Za-z0-9_-])/y
/** Keys that browsers are meant to have, and ids; those of Stripe have formats of their own. */
const MEANT_TO_BE_SEEN = /(?:^|_)(?:pk|pub|public|publishable|client|site|anon|browser|web|ck|rzp|sk|rk|price|prod|product|plan|cus|acct|id|ws|app)(?:_|$)/

/** A key of nobody's format that says itself for which mode it is: `abc_prod_…`, `key_live_…`. */
function modeKeyAt(text: string, anchor: string, index: number): Match | undefined {
  const issuer = ISSUER.exec(text.slice(Math.max(0, index - 40), index))?.[1]
  if (!issuer || MEANT_TO_BE_SEEN.test(issuer)) return undefined
  MODE_BODY.lastIndex = index + anchor.length
  const body = MODE_BODY.exec(text)?.[1]
  if (!body || !/[0-9]/.test(body) || !/[A-Za-z]/.test(body) || isPlaceholder(body) || isWordy(body) || entropy(body) < 3) return undefined
  const start = index - issuer.length
  const end = index + anchor.length + body.length
  const name = nameBefore(text, start)
  if (name && /public|publishable|client_?id|site_?key/i.test(name.replace(PUBLIC_PREFIX, ''))) return { start, end }
  return { start, end, span: { kind: 'live-key', start, end, redacted: `${issuer}${anchor}…`, live: 'live', ...(name ? { name } : {}) } }
}

/** A value that a format of its own describes is judged by that format. */
function knownFormat(value: string): boolean {
  return [...BY_ANCHOR.keys()].some((anchor) => value.startsWith(anchor))
}

function jwtAt(text: string, index: number): Match | undefined {
  if (!beginsToken(text, index)) return undefined
  JWT.lastIndex = index
  const token = JWT.exec(text)?.[0]
  if (!token) return undefined
  const end = index + token.length
  const claims = decodeJwt(token)
  if (!claims) return undefined
  const name = nameBefore(text, index)
  const shown = { ...(claims.role ? { role: claims.role } : {}), ...(claims.iss ? { iss: claims.iss } : {}), ...(claims.ref ? { ref: claims.ref } : {}) }
  const span = (kind: string, live: SecretSpan['live']): Match => ({
    start: index,
    end,
    span: { kind, start: index, end, redacted: 'eyJ…', live, claims: shown, ...(name ? { name } : {}) },
  })
  if (claims.role === 'service_role' || claims.role === 'supabase_admin') {
    if (isPlaceholder(token.slice(token.lastIndexOf('.') + 1))) return { start: index, end }
    return span('supabase-service-role-jwt', claims.iss === 'supabase-demo' || signedWithPublishedSecret(token) ? 'local-demo' : 'live')
  }
  // anon keys are public; session tokens have expired by the time anyone reads them; the specification's own example
  const example = claims.name === 'John Doe' || claims.sub === '1234567890'
  const shortLived = claims.lifetime !== undefined && claims.lifetime <= 86_400 * 8
  if (claims.role || example || shortLived || isSignedLink(text, index, claims.url) || isPlaceholder(token.slice(token.lastIndexOf('.') + 1)))
    return { start: index, end }
  if (!name || !/secret|token|key|auth|jwt|bearer/i.test(name) || /public|anon|client|mapbox|cesium|example|mock|test|expired|invalid/i.test(name))
    return { start: index, end }
  return span('jwt', 'live')
}

/** The token of a link that storage signed: it opens the one object which the link names, as whoever wrote the link down means it to. */
function isSignedLink(text: string, index: number, url: string | undefined): boolean {
  return url !== undefined && /\/sign\/[^\s"'`<>]{1,400}[?&]token=$/.test(text.slice(Math.max(0, index - 500), index))
}

function privateKeyAt(text: string, index: number): Match | undefined {
  PRIVATE_KEY.lastIndex = index
  const match = PRIVATE_KEY.exec(text)
  if (!match) return undefined
  const end = index + match[0].length
  const body = (match[1] ?? '').replace(/\\n|\s/g, '')
  if (body.length < 60 || isPlaceholder(body) || !/[0-9]/.test(body)) return { start: index, end }
  const serviceAccount = text.slice(Math.max(0, index - 800), index).includes('service_account')
  const name = nameBefore(text, index)
  return {
    start: index,
    end,
    span: {
      kind: serviceAccount ? 'gcp-service-account' : 'private-key',
      start: index,
      end,
      redacted: '-----BEGIN PRIVATE KEY-----…',
      live: 'live',
      ...(name ? { name } : {}),
    },
  }
}

/** Hosts of documentation: by what they say, or counted up where the provider draws at random (`ep-cool-darkness-123456`). */
const DOCUMENTED_HOST = /example\.|^(?:host|hostname|your|server|db-host|my)|123456|a1b2c3/i

/** Hosts whose names a provider draws for each database: whoever writes one down has it from there, and the password with it. */
const DRAWN_HOST =
  /^[\w-]{1,60}\.(?=[a-z]{0,7}\d)[a-z0-9]{5,8}\.mongodb\.net$|^db\.[a-z]{20}\.supabase\.co$|^ep-[a-z]+-[a-z]+-(?=[a-z]{0,7}\d)[a-z0-9]{8}\b.{0,40}\.neon\.tech$|\.(?=[a-z]{0,11}\d)[a-z0-9]{12}\.[a-z0-9-]{6,20}\.rds\.amazonaws\.com$/
const isDrawnHost = (host: string): boolean => DRAWN_HOST.test(host) && !DOCUMENTED_HOST.test(host) && !isPlaceholder(host.split('.')[1] ?? '')

/** What stands where the password goes says so in words: beside a host that is somebody's own, a short or simple one is what it is. */
const isSpokenPlaceholder = (password: string): boolean =>
  /your|change|exampl|placeholder|x{3}|\*{2}|dummy|fake|redacted|hidden|\.{3}/i.test(password) ||
  /^(?:db|database|mongo|user|my)?[-_]?(?:pass(?:word|wd)?|pwd|secret|contrase[nñ]a|senha|motdepasse|passwort)$/i.test(password)

function urlAt(text: string, index: number): Match | undefined {
  const scheme = SCHEMES.exec(text.slice(Math.max(0, index - 14), index))?.[0]
  if (!scheme) return undefined
  USERINFO.lastIndex = index
  const match = USERINFO.exec(text)
  if (!match) return undefined
  const [, user = '', password = '', host = ''] = match
  const start = index - scheme.length
  const end = index + match[0].length
  const made = isDrawnHost(host) ? isSpokenPlaceholder(password) : isPlaceholder(password) || trivialPassword(password, user)
  if (isReference(password) || made || isReference(host) || DOCUMENTED_HOST.test(host) || isReference(user)) return { start, end }
  const web = /^(?:https?|ftps?)$/.test(scheme)
  if (web && (password.length < 8 || /x-oauth-basic/.test(password))) return { start, end }
  // a bare host name is a container of the same compose file
  const local = LOCAL_HOST.test(host) || !host.includes('.')
  if (local) return { start, end }
  const name = nameBefore(text, start)
  return {
    start,
    end,
    span: { kind: web ? 'url-password' : 'database-url', start, end, redacted: `${scheme}://…@${host}`, live: 'live', ...(name ? { name } : {}) },
  }
}

function trivialPassword(password: string, user: string): boolean {
  return (
    password === user ||
    /^(?:p[a@]ss(?:w(?:or)?d)?|postgres|root|admin|secret|mysecretpassword|pwd|pw|test|user|redis|mongo|guest|prisma|johndoe|randompassword|contrase[nñ]a|senha|motdepasse|passwort|supabase|db_?password)[0-9!]{0,4}$/i.test(
      decode(password),
    )
  )
}

function telegramAt(text: string, index: number): Match | undefined {
  const id = /[0-9]{8,10}$/.exec(text.slice(Math.max(0, index - 11), index))?.[0]
  if (!id || !beginsToken(text, index - id.length, 'bot')) return undefined
  TELEGRAM.lastIndex = index
  const match = TELEGRAM.exec(text)
  if (!match) return undefined
  const start = index - id.length
  const end = index + match[0].length
  if (isPlaceholder(match[0].slice(1)) || /^(?:123456|000000|111111)/.test(id)) return { start, end }
  const name = nameBefore(text, start)
  return { start, end, span: { kind: 'telegram-bot-token', start, end, redacted: `${id.slice(0, 3)}…`, live: 'live', ...(name ? { name } : {}) } }
}

function npmAuthAt(text: string, index: number): Match | undefined {
  NPM_AUTH.lastIndex = index
  const value = NPM_AUTH.exec(text)?.[1]
  if (!value) return undefined
  const start = index + '_authToken='.length
  const end = start + value.length
  if (isPlaceholder(value) || isWordy(value)) return { start, end }
  return { start, end, span: { kind: 'npm-token', start, end, redacted: value.startsWith('npm_') ? 'npm_…' : '…', live: 'live', name: '_authToken' } }
}

/** SQL that hashes a literal password: `crypt('…', gen_salt('bf'))`. */
const PGCRYPTO_PASSWORD_LITERAL = /crypt\('([^'\n]{4,200})'\s*,\s*(?:extensions\.)?gen_salt/y

function cryptAt(text: string, index: number): Match | undefined {
  PGCRYPTO_PASSWORD_LITERAL.lastIndex = index
  const value = PGCRYPTO_PASSWORD_LITERAL.exec(text)?.[1]
  if (!value || isReference(value)) return undefined
  const start = index + "crypt('".length
  const end = start + value.length
  return { start, end, span: { kind: 'password', start, end, redacted: '…', live: 'live', name: 'crypt' } }
}

/** A token does not begin inside a word; an escape such as `\n` before it is no word. `allowed` may stand before it. */
function beginsToken(text: string, index: number, allowed?: string): boolean {
  if (index === 0) return true
  const before = text.charCodeAt(index - 1)
  const word = (before >= 48 && before <= 57) || (before >= 65 && before <= 90) || (before >= 97 && before <= 122) || before === 95
  if (!word) return true
  if (allowed && text.slice(index - allowed.length, index) === allowed) return true
  return (before === 110 || before === 116 || before === 114) && text.charCodeAt(index - 2) === 92
}

const NAME_BEFORE =
  /([A-Za-z_$][\w$-]{0,80})["'`]?[)\]]{0,2}!?\s{0,4}(:\s{0,2}[A-Za-z][\w<>| ]{0,30}=|=>|===?|!==?|\|\||\?\?|\?=|:=|=|:|,)\s{0,20}["'`(]{0,2}(?:Bearer |Basic )?$/

function nameBefore(text: string, index: number): string | undefined {
  const before = text.slice(Math.max(0, index - 140), index)
  const found = NAME_BEFORE.exec(before)
  // the argument before a comma is a name in `set('KEY', value)`; the end of an address or a path is none
  if (found?.[2] === ',' && /[./@:-]/.test(before[found.index - 1] ?? '')) return undefined
  // PowerShell: `$env:DATABASE_URL = "…"`
  if (found?.[1] === '$env') return /^:\s*(\w+)/.exec(found[2] ?? '')?.[1] ?? found[1]
  return found?.[1]
}

function around(text: string, start: number, end: number): string {
  const from = text.lastIndexOf('\n', text.lastIndexOf('\n', start) - 1)
  const to = text.indexOf('\n', end)
  return text.slice(Math.max(0, from, start - 300), Math.min(to === -1 ? text.length : to, end + 200))
}

const SECRET_NAME_PATTERN = new RegExp(NAME_WORD, 'iy')
const OPERATOR = /["'`]?\)?\]?!?\s{0,4}(?:(:)\s{0,2}[A-Za-z][\w<>| ]{0,30}=(?!=)|(=>|===|!==|==|!=|<>|\|\||\?\?|:=|\?=|=|:))\s{0,60}/y
/** `set('x-api-key', '…')`, `jsonb_build_object('x-api-key', '…')`. */
const PAIR = /["'`]\s{0,4},\s{0,60}/y

/** Values known by the name that they are assigned to, compared with or default to. */
function byName(text: string, starts: readonly number[], settled: readonly [number, number][], spans: SecretSpan[]): void {
  let next = 0
  let from = 0
  for (const index of starts) {
    if (index < from) continue
    SECRET_NAME_PATTERN.lastIndex = index
    if (!SECRET_NAME_PATTERN.test(text)) continue
    let left = index
    let right = SECRET_NAME_PATTERN.lastIndex
    while (left > 0 && index - left < 60 && isNameCode(text.charCodeAt(left - 1))) left--
    while (right < text.length && right - index < 80 && isNameCode(text.charCodeAt(right))) right++
    from = right
    // the last part of a path in a string is no name
    if (left > 0 && text.charCodeAt(left - 1) === 47) continue
    const name = text.slice(left, right)
    const shown = /pass|pwd|senha|contrase|parola/i.test(name)
      ? (shownPassword(text, left, right) ?? signInPassword(text, left, right) ?? accountPassword(text, left, right))
      : undefined
    if (shown) addShown(shown, spans)
    OPERATOR.lastIndex = right
    PAIR.lastIndex = right
    const assigned = OPERATOR.exec(text)
    const operator = assigned ?? (text[left - 1] === text[right] ? PAIR.exec(text) : undefined)
    if (!operator) continue
    const op = assigned ? (assigned[2] ?? '=') : ','
    const at = right + operator[0].length
    const range =
      literalAt(text, at) ?? (/^[A-Z][A-Z0-9_]*$/.test(name) && (op === '=' || op === ':') && !operator[0].includes('\n') ? bareAt(text, left, at) : undefined)
    if (!range) continue
    const [start, end] = range
    while (next < settled.length && (settled[next] as [number, number])[1] <= start) next++
    const other = settled[next]
    if (other && other[0] < end) continue
    const value = text.slice(start, end)
    const kind = kindOf(name, op, value)
    if (!kind || spans.some((s) => s.start < end && start < s.end)) continue
    spans.push({ kind, start, end, redacted: '…', live: isPublished(value) ? 'local-demo' : 'live', name })
    from = Math.max(from, end)
  }
}

/** A value that a rule of its own found already stays what it is; one that only a name gave away is better known by what is done with it. */
function addShown({ kind, start, end }: ShownPassword, spans: SecretSpan[]): void {
  const known = spans.findIndex((s) => s.start === start && s.end === end && s.kind === 'password')
  if (known !== -1 && isGivenToAccount(kind)) spans[known] = { kind, start, end, redacted: '…', live: 'live' }
  else if (!spans.some((s) => s.start < end && start < s.end)) spans.push({ kind, start, end, redacted: '…', live: 'live' })
}

function isNameCode(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57) || c === 95 || c === 36 || c === 45
}

function kindOf(name: string, op: string, value: string): string | undefined {
  const kind = secretByName(name, value)
  if (/^(?:[!=]==?|<>)$/.test(op)) return comparedPassword(name, value) ? 'password' : kind === 'generic-secret' ? kind : undefined
  if (op === ',') return kind === 'generic-secret' ? kind : undefined
  if (kind) return kind
  if (op === '=' && weakSecret(name, value)) return 'default-secret'
  const fallback = (op === '||' || op === '??') && /^[A-Z][A-Z0-9_]*$/.test(name)
  if (fallback && isVerificationSecret(name) && value.length >= 4 && !/\s/.test(value) && !isPlaceholder(value)) return 'default-secret'
  return undefined
}

/** Names of secrets that the application itself checks, so that whoever knows the value passes: not keys that it sends to others. */
export function isVerificationSecret(name: string): boolean {
  if (PASSWORD_NAME.test(name)) return true
  return (
    /(?:jwt|session|cookie|auth|cron|webhook|csrf|encrypt\w*|sign\w*|admin|internal|hmac|access|refresh|app|api|server|token|shared|master|revalidat\w*|preview|draft|service|verif\w*|bypass)_?(?:secret|token|key)(?:_?key)?$/i.test(
      name,
    ) || /^(?:SECRET|SECRET_KEY|TOKEN_SECRET|JWT|CRON_KEY)$/.test(name)
  )
}

function literalAt(text: string, at: number): [number, number] | undefined {
  const quote = text[at]
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
  for (let i = at + 1; i < text.length && i - at < 520; i++) {
    const c = text[i]
    if (c === '\n' || c === '\\') return undefined
    if (c === quote) return i > at + 1 ? [at + 1, i] : undefined
  }
  return undefined
}

/** An unquoted value on a line of its own (`NAME=value`, `NAME: value`, `ENV NAME=value`). */
function bareAt(text: string, nameStart: number, at: number): [number, number] | undefined {
  const line = text.slice(text.lastIndexOf('\n', nameStart - 1) + 1, nameStart)
  if (line.length > 40 || !/^\s*(?:(?:export|ENV|ARG|-|--build-arg|-e|set)\s+)*["']?$/.test(line)) return undefined
  let end = at
  while (end < text.length && end - at < 520 && !/[\s#;,"'`]/.test(text[end] as string)) end++
  return end > at ? [at, end] : undefined
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
