import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { says } from '../../../lib/snake-case.ts'
import { compares, mentions, partsOf } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Condition, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import type { Route } from '../../../model/routes/routes.ts'

/** Somebody is signed in as the account that the request names. */
export interface UnprovenSignIn {
  /** Where the session or its token is made. */
  readonly at: Place
  /** Where the account is looked up; where it is named, when it is not. */
  readonly found: Place
  readonly table?: string
  readonly column: string
  readonly by: string
  /** The variable that closes the door where it is set. */
  readonly opensWithout?: string
  /** Whom the session is for says a token that is only decoded: how. */
  readonly decoded?: string
  /** The column of the row that the answer tells, with which its owner comes in. */
  readonly tells?: string
  /** The account stands in the code; with `role`, `by` of the request names what it may do. */
  readonly fixed?: 'account' | 'role'
}

/** Tables of those who sign in. */
export const SIGN_IN_TABLE = /user|account|member|customer|profile|admin|student|teacher|employee|staff|patient|player|driver|vendor|seller/i
/** What names somebody, and proves nothing. */
const PRINCIPAL_NAME_FIELD =
  /^(?:_?id|(?:user|account|member|customer)_?(?:id|name)|uid|e_?mail(?:_?address)?|login|nick_?name|phone(?:_?number)?|mobile|wallet(?:_?address)?|(?:google|facebook|github|discord|apple|provider|firebase|telegram|line|kakao|open)_?(?:account_?)?id|sub)$/i
/** What only its owner has, or what says that a token is no session. */
const SIGN_IN_PROOF_FIELD =
  /token|code|otp|(?:^|_)pin$|secret|answer|signature|hash|(?:api|access|private)_?key|proof|verif|pass(?:word|wd|code|phrase)?$|pwd|captcha|expir|nonce|challenge|init_?data|credential/i
const SINGLE_PURPOSE_TOKEN =
  /reset|verif|invit|confirm|unsub|2fa|mfa|otp|pending|temp|challenge|purpose|magic|nonce|state|csrf|download|share|upload|room|stream/i
/** A cookie or an entry of a session by which the server knows who calls. */
export const SESSION =
  /^(?:(?:current_?)?user(?:_?id)?|uid|(?:\w*[-_.])?sess(?:ion)?(?:[-_]?(?:id|token))?|(?:\w*[-_.])?auth(?:[-_]?token)?|(?:\w*[-_.])?(?:access[-_]?)?token|jwt)$/i
/** What only writes text another way, or asks what it looks like. */
const FORMATTING_CALL =
  /(?:^|\.)(?:trim|to\w*Case|toString|String|Boolean|Number|typeof|test|match|includes|startsWith|endsWith|split|isArray|length|replace(?:All)?|normalize|isEmail)$/
/** What happens before a sign-in and proves nothing. */
const IDLE: ReadonlySet<Effect['kind']> = new Set(['log', 'respond', 'mail', 'limit', 'cookie', 'identify', 'throw'])

/**
 * A session, or a token for one, that is made for the row of an account which the request names by what everybody may know of it (an
 * address, an id): no password, code, signature or token of a provider is looked at before, and nobody had signed in already.
 */
export const unprovenSignIn = rememberFor((route: Route): UnprovenSignIn | undefined => {
  const { behaviour } = route
  if (!behaviour?.complete || behaviour.gaps?.length) return undefined
  const guarded = route.guard !== undefined && route.guard.trust !== 'claimed'
  const { steps } = behaviour
  for (const [index, step] of steps.entries()) {
    const made = sessionFor(step.effect)
    if (!made) continue
    const decoded = decodedFor(made, step, behaviour)
    if (decoded) return decoded
    if (guarded) continue
    const before = steps.filter((s, i) => i < index || s.at.line < step.at.line)
    if (step.under.some(asksForProof) || before.some(proves)) continue
    for (const row of rowsOf(made)) {
      const from = steps[row.step]
      const named = from && foundByName(from, steps)
      const opensWithout = step.under.map(closedBy).find((name) => name !== undefined)
      if (from && named && !from.under.some(asksForProof)) return { at: step.at, found: from.at, ...named, ...(opensWithout ? { opensWithout } : {}) }
    }
    const claimed = claimIn(made)
    if (claimed) return { at: step.at, found: step.at, ...claimed }
  }
  return undefined
})

/** Whom a token is for says the request as it is: `jwt.sign({ userId: req.body.userId }, …)`. */
function claimIn(made: Value): Pick<UnprovenSignIn, 'column' | 'by'> | undefined {
  for (const claims of made.v === 'array' ? made.items : [made])
    for (const [column, value] of claims.v === 'object' ? Object.entries(claims.props) : []) {
      const text = USERS_CLAIM.test(column) ? asWritten(value) : undefined
      if (text?.v === 'request' && CALLER_WRITTEN_PARTS.has(text.part) && !SIGN_IN_PROOF_FIELD.test(text.name ?? '')) return { column, by: text.name ?? column }
    }
  return undefined
}

const USERS_CLAIM = /^(?:sub|_?id|uid|user_?id)$/i
const CALLER_WRITTEN_PARTS: ReadonlySet<string> = new Set(['body', 'query', 'params', 'form'])

/**
 * A new token for whom an old one names, although nobody looked at the signature of the old one: whoever writes a token himself gets one that the
 * server signed. A library says of a token that it has expired only after its signature was right.
 */
function decodedFor(made: Value, step: Step, behaviour: Behaviour): UnprovenSignIn | undefined {
  const [by] = namedBy(made, behaviour.steps)
  if (!by?.at || (guardOfStep(step, behaviour)?.trust ?? 'claimed') !== 'claimed' || step.under.some(saysExpired)) return undefined
  return { at: step.at, found: by.at, column: by.field ?? 'id', by: by.field ?? 'token', decoded: by.how }
}

/** Whoever a token says that was only decoded, there or in what the row was found by. */
function namedBy(value: Value, steps: readonly Step[], depth = 0): Extract<Value, { v: 'caller' }>[] {
  if (value.v === 'caller') return value.trust === 'claimed' && /without verification$/.test(value.how) ? [value] : []
  if (depth > 6) return []
  const found = value.v === 'row' ? steps[value.step]?.effect : undefined
  const parts =
    found?.kind === 'db' ? found.filters.filter((f) => f.op === 'eq').map((f) => f.value) : value.v === 'any' ? unlessExpired(value) : partsOf(value)
  return parts.flatMap((p) => namedBy(p, steps, depth + 1))
}

/** Of several ways to know who it is, those on which nobody said that the token has only run out: that is said of none whose signature is wrong. */
const unlessExpired = ({ of, under }: Extract<Value, { v: 'any' }>): readonly Value[] => of.filter((_, i) => !(under?.[i] ?? []).some(saysExpired))

const saysExpired = ({ test }: Condition): boolean => mentions(test, (x) => x.v === 'const' && /expired/i.test(String(x.value)))

/** Whom a session is made for, where the step makes one. */
function sessionFor(e: Effect): Value | undefined {
  if (e.kind === 'cookie') {
    const [name, value] = e.args
    if (name?.v !== 'const' || !says(SESSION, String(name.value)) || SINGLE_PURPOSE_TOKEN.test(String(name.value))) return undefined
    return value && (tokenIn(value) ?? (value.v === 'row' || value.v === 'any' || value.v === 'object' || value.v === 'text' ? value : undefined))
  }
  if (e.kind !== 'respond' || !e.body || (e.status ?? 200) >= 400) return undefined
  return tokenIn(e.body)
}

/** What a token of the server says, where it says who somebody is and nothing that makes it a token for something else. */
function tokenIn(value: Value): Value | undefined {
  let found: Value | undefined
  mentions(value, (x) => {
    if (x.v === 'call' && x.name === 'signed-token' && !x.args.some(isForElse)) found = x.args.length === 1 ? x.args[0] : { v: 'array', items: x.args }
    return found !== undefined
  })
  return found
}

const isForElse = (claims: Value): boolean =>
  mentions(
    claims,
    (x) =>
      (x.v === 'object' && Object.keys(x.props).some((key) => SINGLE_PURPOSE_TOKEN.test(key) || SIGN_IN_PROOF_FIELD.test(key))) ||
      (x.v === 'const' && SINGLE_PURPOSE_TOKEN.test(String(x.value))),
  )

function rowsOf(value: Value, depth = 0): Extract<Value, { v: 'row' }>[] {
  if (value.v === 'row') return [value]
  return depth > 5 ? [] : partsOf(value).flatMap((p) => rowsOf(p, depth + 1))
}

/** How the request names the account that a query gives. */
function foundByName({ effect: e }: Step, steps: readonly Step[], depth = 0): Pick<UnprovenSignIn, 'table' | 'column' | 'by'> | undefined {
  if (e.kind !== 'db' || e.op === 'insert' || e.op === 'delete' || e.client.rights === 'caller' || e.unread || depth > 3) return undefined
  if (!SIGN_IN_TABLE.test(e.table) || !e.filters.length) return undefined
  let by: Pick<UnprovenSignIn, 'table' | 'column' | 'by'> | undefined
  for (const f of e.filters) {
    if (f.value.v === 'const') continue
    if (f.op !== 'eq' || !says(PRINCIPAL_NAME_FIELD, f.column)) return undefined
    if (f.value.v === 'row') {
      const from = steps[f.value.step]
      by = from && foundByName(from, steps, depth + 1)
      if (!by) return undefined
      continue
    }
    const text = asWritten(f.value)
    if (text?.v !== 'request' || !CALLER_WRITTEN_PARTS.has(text.part) || SIGN_IN_PROOF_FIELD.test(text.name ?? '')) return undefined
    by = { table: e.table, column: f.column, by: text.name ?? f.column }
  }
  return by
}

/** The value of the request, however it is spelt. */
function asWritten(value: Value): Value | undefined {
  if (value.v === 'call' && FORMATTING_CALL.test(value.name)) return value.args[0] && asWritten(value.args[0])
  if (value.v === 'text' && value.parts.length === 1) return value.parts[0] && asWritten(value.parts[0])
  return value
}

/** Something that only the owner of the account has is looked at. */
export function proves({ effect: e, under }: Step): boolean {
  if (e.kind === 'db') return SIGN_IN_PROOF_FIELD.test(e.table) || e.filters.some((f) => SIGN_IN_PROOF_FIELD.test(f.column))
  if (!IDLE.has(e.kind)) return true
  // what was refused for want of a proof was asked for it
  return (e.kind === 'throw' || (e.kind === 'respond' && (e.status ?? 200) >= 400)) && under.some((c) => asksForProof(c) && !closedBy({ ...c, negated: true }))
}

/** A variable of one host (`REPLIT_DEPLOYMENT`): where it is not set, on any other one, the door is open. What kind of a deployment it is, every host says. */
const closedBy = ({ test, negated }: Condition): string | undefined =>
  negated && test.v === 'env' && /^(?:REPLIT|REPL_|VERCEL|NETLIFY|RENDER|RAILWAY|FLY_|DYNO$|HEROKU|K_SERVICE$|AWS_)/.test(test.name) ? test.name : undefined

/** What is asked is more than whether the values came along and the account is there. */
export function asksForProof(condition: Condition): boolean {
  const { test } = condition
  // how often somebody came proves nothing of who it is
  if (closedBy(condition) || condition.otherwise.status === 429) return false
  return mentions(
    test,
    (x) =>
      x.v === 'unknown' ||
      x.v === 'caller' ||
      x.v === 'env' ||
      x.v === 'result' ||
      (x.v === 'call' && !FORMATTING_CALL.test(x.name)) ||
      (x.v === 'request' && (SIGN_IN_PROOF_FIELD.test(x.name ?? '') || x.part === 'header' || x.part === 'cookie')) ||
      (x.v === 'row' && SIGN_IN_PROOF_FIELD.test(x.field ?? '')) ||
      compares(
        x,
        (y) => y.v === 'request',
        (y) => y.v === 'row' || y.v === 'call',
      ),
  )
}
