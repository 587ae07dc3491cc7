import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { isAlike, mentions, partsOf } from '../../../model/behaviour/domain/contains.ts'
import type { Condition, Value } from '../../../model/behaviour/types.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import { isTainted } from '../../../model/routes/request/request-taint.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { registers } from '../auth-flows/registration.ts'
import { RANDOM_GENERATOR } from '../auth-flows/verification-code.ts'

/** Where a code is kept that signs somebody in or sets another password. */
const OPENS_ACCOUNT = /^(?:\w{1,20}_)?(?:reset|otp|magic|login|sign_?in|one_?time|recovery|password)_?(?:\w{1,20}_)?(?:token|code|hash|otp|pin)s?$|^otp$/

/** Whether the answer holds the code that was to be sent to the account's own address: whoever names an address has the account. */
export const tellsCode = rememberFor((route: Route): boolean => {
  if (registers(route)) return false
  const steps = route.behaviour?.steps ?? []
  const kept = steps.flatMap(({ effect: e }) => {
    if (e.kind === 'kv') return keptInStore(e)
    if (e.kind !== 'db' || e.op === 'select' || e.op === 'delete' || e.payload?.v !== 'object') return []
    return Object.entries(e.payload.props).flatMap(([column, value]) => (says(OPENS_ACCOUNT, column) ? drawnIn(value) : []))
  })
  return steps.some(
    ({ effect: e, under }) =>
      e.kind === 'respond' && (e.status ?? 200) < 400 && e.body !== undefined && !under.some(forFew) && kept.some((code) => shows(e.body as Value, code)),
  )
})

type Called = { readonly name: string; readonly args: readonly Value[] }

/** What is drawn and kept in a key-value store for the account whose address the request names: `redis.set(`otp:${email}`, hash(code))`. */
function keptInStore({ name, args: [key, ...values] }: Called): Drawn[] {
  if (!/(?:^|\.)(?:set|setex|psetex|setnx|put|hset|hmset)$/i.test(name) || !key) return []
  const opens = mentions(key, (x) => x.v === 'const' && SIGN_IN_PURPOSE_WORD.test(String(x.value)))
  return opens && mentions(key, (x) => x.v === 'request' && ACCOUNT_IDENTIFIER_FIELD.test(x.name ?? '')) ? values.flatMap(drawnIn) : []
}

const SIGN_IN_PURPOSE_WORD = /reset|forgot|otp|log-?in|sign-?in|magic|recover|password/i
const ACCOUNT_IDENTIFIER_FIELD = /e_?mail|phone|mobile|user_?name|login|(?:user|account)_?id/i

/** The answer with a code that a key-value store keeps, which is no work on rows; whoever gets it need not be signed in. */
export const tellsKeptCode = rememberFor((route: Route): boolean => {
  const { behaviour } = route
  if (!behaviour || !tellsCode(route)) return false
  return (
    behaviour.steps.some(({ effect: e }) => e.kind === 'kv' && keptInStore(e).length > 0) &&
    behaviour.steps.some((s) => s.effect.kind === 'respond' && (s.effect.status ?? 200) < 400 && s.effect.body !== undefined && !guardOfStep(s, behaviour))
  )
})

/** Whether a value holds the code, other than on a developer's machine: `NODE_ENV === 'development' ? code : undefined`. */
function shows(v: Value, code: Drawn, depth = 0): boolean {
  if (isSame(v, code)) return true
  if (depth > 8) return false
  if (v.v === 'any') return v.of.some((x, i) => !v.under?.[i]?.some(forFew) && shows(x, code, depth + 1))
  return partsOf(v).some((x) => shows(x, code, depth + 1))
}

/** A condition on where the application runs; what the request says of that is whatever its sender likes. */
const asksWhere = ({ test }: Condition): boolean =>
  mentions(test, (x) => x.v === 'env' && /ENV$/.test(x.name)) ||
  (!isTainted(test) && mentions(test, (x) => x.v === 'const' && typeof x.value === 'string' && /^(?:dev|development|production|test|NODE_ENV)$/.test(x.value)))

/** On a developer's machine, or for the one account whose address stands in the code. */
const forFew = (c: Condition): boolean => asksWhere(c) || isFixedAccount(c)

const isFixedAccount = ({ test, negated }: Condition): boolean => namesFixed(test, !negated, 0)

function namesFixed(test: Value, truthy: boolean, depth: number): boolean {
  if (test.v !== 'op' || depth > 8) return false
  const parts = (held: boolean) => (x: Value) => namesFixed(x, held, depth + 1)
  if (test.op === '!') return test.of.some(parts(!truthy))
  if (test.op === '&&' || test.op === '||') return (test.op === '&&') === truthy ? test.of.some(parts(truthy)) : test.of.every(parts(truthy))
  if (!(truthy ? /^===?$/ : /^!==?$/).test(test.op)) return false
  const fixed = test.of.some((x) => x.v === 'const' && typeof x.value === 'string' && x.value !== '')
  return fixed && test.of.some((x) => mentions(x, (y) => y.v === 'request' && /mail|phone|mobile|user_?name/i.test(y.name ?? '')))
}

type Drawn = Extract<Value, { v: 'call' }>

function drawnIn(value: Value): Drawn[] {
  const found: Drawn[] = []
  mentions(value, (x) => {
    if (x.v === 'call' && RANDOM_GENERATOR.test(x.name)) found.push(x)
    return false
  })
  return found
}

const isSame = (x: Value, code: Drawn): boolean => x.v === 'call' && isAlike(x, code) && x.at?.line === code.at?.line
