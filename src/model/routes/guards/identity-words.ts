import { mentions } from '../../behaviour/domain/contains.ts'
import type { Value } from '../../behaviour/types.ts'

const CREDENTIAL_FIELD =
  /token|secret|key|hash|code|nonce|signature|password|credential|invite|slug_secret|uuid|(^|_)(pin|otp)(_|$)|passcode|(checkout|stripe|payment)\w*_(session|intent)(_id)?$/i

/** Keys that tell rows apart or are made from what everybody knows. */
const NON_SECRET_KEY_FIELD =
  /(idempotency|dedupe?|cache|lookup|plan|price|public|primary|foreign|sort|storage|object|file|i18n|translation|setting|config|feature|flag)_?key$/i

/** Which of the tokens that are sold or collected: everybody sees the number. */
const NUMBERED = /^(?:nft_?)?token_?id$/i

/** Whether a column holds what only those know who were given it. */
export const isCredential = (column: string): boolean => CREDENTIAL_FIELD.test(column) && !NON_SECRET_KEY_FIELD.test(column) && !NUMBERED.test(column)

/** What a page drew for whoever looks at it, and keeps: with the number of the row, only that visitor has both. */
export function isVisitors(v: Value): boolean {
  if (v.v === 'any') return v.of.some(isVisitors) && v.of.every((x) => x.v === 'const' || isVisitors(x))
  if (v.v === 'op') return /^(?:\|\||\?\?)$/.test(v.op) && v.of.some(isVisitors)
  return v.v === 'request' && VISITOR.test(v.name ?? '')
}

const VISITOR = /(?:^|\.|[a-z])(?:visitor|guest|anon(?:ymous)?)_?(?:session_?)?(?:u?u?id|token|key)$/i

/** Names of questions about what somebody may do. */
export const RIGHTS_QUESTION_NAME = /role|admin|permi|(^|\.)(can|may|has)[A-Z_]|allow|authori|access|owner|member|staff/

/** Whether a field says what somebody may do. */
export function isRoleField(field: string | undefined): boolean {
  return (
    field !== undefined &&
    /role|is_?admin|is_?staff|is_?super|permission|claims|scope|(?:admin|access|security|privilege)_?(?:level|rank)|clearance/i.test(field)
  )
}

/** What only the token of an administrator has: `decoded.adminId`. */
export const namesAdministratorsId = (field: string | undefined): boolean =>
  field !== undefined && /^(?:(?:super|site|platform)_?)?admin(?:istrator)?_?(?:user_?)?(?:id|uuid)$/i.test(field)

/** Whether a value that a row holds makes whoever has it an administrator, whatever the column is called: `user_type === 'master_admin'`. */
export const namesAdministrator = (value: unknown): boolean =>
  typeof value === 'string' && /^(?:(?:super|master|system|sys|site|app|platform|global|root)[_-]?)?admin(?:istra(?:tor|dor|dora|tore|teur))?$/i.test(value)

/** What anybody is who signs up, and both sides of a market. */
const EVERYDAY =
  /^(?:role[_-]?)?(?:user|end_?user|customer|client|consumer|member|basic|free|guest|buyer|shopper|subscriber|viewer|reader|visitor|student|learner|patient|attendee|participant|applicant|candidate|job_?seeker|employer|recruiter|recruteur|empleador|empregador|freelancer|seller|vendor|merchant|provider|service_?provider|usuario|cliente|utilizador|utente|miembro|membro|comprador|vendedor|alumno|aluno|estudiante|estudante|paciente|utilisateur|kunde|nutzer)$/i

/** Whether a role is one that people have who administer nothing: `role === 'customer'`. */
export const isEverydayRole = (value: unknown): boolean => typeof value === 'string' && EVERYDAY.test(value)

/** How somebody's account or subscription stands, which says nothing of whose rows they may touch. */
const ACCOUNT_STATUS_FIELD = /(?:^|[._])\w{0,30}?(?:status|state|plan|tier|subscription|onboarding|verification|provider)$/i

export const isStanding = (field: string | undefined): boolean => field !== undefined && ACCOUNT_STATUS_FIELD.test(field)

/** What a token says of itself: who made it, for which application and for what use (`payload.iss`, `claims.token_use`). */
const OF_TOKEN = /(?:^|\.)(?:iss(?:uer)?|aud(?:ience)?|azp|typ|alg|kid|jti|nonce|ver|(?:token|jwt|session)_?(?:type|use|kind|version|purpose))$/i
/** Columns that hold many things, one of them which of an application's tokens this is: `payload.type === 'access'`. */
const TOKEN_TYPE_FIELD = /(?:^|\.)(?:type|kind|use|purpose)$/i
const SORT_OF_TOKEN = /^(?:access|refresh|auth(?:entication)?|session|bearer|id|jwt|api|log-?in|sign-?in)(?:[_-]?token)?$/i

/** Whether a comparison asks which token this is, and nothing of who holds it. */
export const asksWhichToken = (field: string | undefined, value: unknown): boolean =>
  field !== undefined && (OF_TOKEN.test(field) || (TOKEN_TYPE_FIELD.test(field) && typeof value === 'string' && SORT_OF_TOKEN.test(value)))

/** Whether a function makes a digest or a signature. */
export function isDigestFunction(name: string): boolean {
  return /digest|hmac|createhash|sha256|sign$|signature/i.test(name)
}

/** Tables of the people who run the whole application; the administrators of one team or shop are none of them. */
export const APP_ADMIN_TABLE = /(?:^|\.)(?:(?:super|app|platform|site|system)_?)?admin(?:s|_?users?|_?accounts?|_?profiles?|istrators?)$/i

/** Tables that keep the sessions of nobody else. */
export const ADMINS_SESSIONS = /(?:^|\.)(?:(?:super|app|platform|site|system)_?)?admin(?:_?users?|_?accounts?)?_?(?:auth_?)?sessions?$/i

/** What only writes bytes as text, or text as bytes. */
const REWRITES = /(?:^|\.)(?:encode\w{0,12}|decode|toString|join|map|from|btoa|Uint8Array)$|^new /i

/** A plain hash of a text that holds a secret of the server: `sha512(fields.join('') + PRIVATE_KEY)`. */
const isKeyedHash = (v: Value): boolean => v.v === 'call' && v.name === 'hash' && mentions(v, (x) => x.v === 'env')

/** The digest that a value is, or is written out of. */
export function digestIn(v: Value, depth = 0): Extract<Value, { v: 'call' }> | undefined {
  if (depth > 6) return undefined
  // `v0=` before it says of which version it is
  if (v.v === 'text') return v.parts.map((p) => digestIn(p, depth + 1)).find((d) => d !== undefined)
  if (v.v !== 'call') return undefined
  if (isDigestFunction(v.name) || isKeyedHash(v)) return v
  return REWRITES.test(v.name) ? v.args.map((a) => digestIn(a, depth + 1)).find((d) => d !== undefined) : undefined
}
