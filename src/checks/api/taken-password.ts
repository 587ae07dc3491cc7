import { rememberFor } from '../../lib/remember-for.ts'
import { says } from '../../lib/snake-case.ts'
import type { Condition, Step, Value } from '../../model/behaviour/behaviour.ts'
import { compares, mentions } from '../../model/behaviour/mentions.ts'
import { fromRequest } from '../../model/routes/from-request.ts'
import type { Route } from '../../model/routes/routes.ts'
import { ACCOUNTS } from './registration.ts'

const PASSWORD = /^(?:hashed_?|encrypted_?)?(?:password|passwd|pwd|passcode)(?:_?(?:hash|digest))?$/i
/** What names somebody, and proves nothing. */
const NAMES = /^(?:_?id|(?:user|account|member|customer)_?(?:id|name)|uid|name|e_?mail(?:_?address)?|login|nick_?name|phone(?:_?number)?|mobile)$/i
const PROOF = /token|code|otp|pin|secret|answer|signature|hash|key|proof|verif|(?:old|current|previous|existing)_?pass|captcha|expir/i

/**
 * Whether whoever names an account sets its password: the new one is of the request, the account is found by what everybody knows of it,
 * and nothing that only its owner has is asked for. A reset by mail looks for a token, a code or the old password first.
 */
export const takesPassword = rememberFor((route: Route): boolean => changesNamedAccount(route, (columns) => columns.some((name) => PASSWORD.test(name))))

/**
 * Whether an application or a registration changes what stands in the account that was there before: whoever names somebody's address writes over
 * the name, the number, the role. One column alone (a consent, a language) is no identity.
 */
export const overwritesAccount = rememberFor((route: Route): boolean =>
  changesNamedAccount(route, (columns) => columns.filter((name) => says(WHO_SOMEBODY_IS, name)).length > 1),
)

const WHO_SOMEBODY_IS = /(?:^|_)(?:name|phone|mobile|address|street|city|role|title|company|organi[sz]ation|bio|avatar|website|birth\w{0,10}|gender)(?:$|_)/

function changesNamedAccount(route: Route, counts: (columns: readonly string[]) => boolean): boolean {
  const { behaviour } = route
  if (!behaviour?.complete || behaviour.gaps?.length) return false
  return behaviour.steps.some((step, index) => {
    const e = step.effect
    if (e.kind !== 'db' || e.op !== 'update' || e.client.rights === 'caller' || !ACCOUNTS.test(e.table) || e.payload?.v !== 'object') return false
    const sent = Object.entries(e.payload.props).flatMap(([name, value]) => (mentions(value, (x) => x.v === 'request') ? [name] : []))
    if (!counts(sent) || !e.filters.some((f) => f.op === 'eq' && isNamed(f.column, f.value, behaviour.steps))) return false
    if (!route.work.some((w) => w.kind === 'update' && !w.guard && w.at.path === step.at.path && w.at.line === step.at.line)) return false
    return !behaviour.steps.slice(0, index).some(proves) && !step.under.some(asksForProof)
  })
}

/** A row chosen by what everybody may know. */
function isNamed(column: string, value: Value, steps: readonly Step[], depth = 0): boolean {
  if (!says(NAMES, column) || depth > 3) return false
  if (value.v !== 'row') return fromRequest(value)
  const from = steps[value.step]?.effect
  if (from?.kind !== 'db') return false
  return from.filters.length > 0 && from.filters.every((f) => isNamed(f.column, f.value, steps, depth + 1))
}

/** Something that only the owner of the account has is looked at. */
function proves({ effect: e }: Step): boolean {
  if (e.kind === 'db') return PROOF.test(e.table) || e.filters.some((f) => PROOF.test(f.column))
  return e.kind !== 'log' && e.kind !== 'respond' && e.kind !== 'mail' && e.kind !== 'limit'
}

/** What is compared is more than whether the values came along and the account is there. */
function asksForProof({ test }: Condition): boolean {
  return mentions(
    test,
    (x) =>
      x.v === 'unknown' ||
      x.v === 'caller' ||
      x.v === 'env' ||
      (x.v === 'request' && PROOF.test(x.name ?? '')) ||
      (x.v === 'row' && PROOF.test(x.field ?? '')) ||
      compares(
        x,
        (y) => y.v === 'request',
        (y) => y.v === 'row' || y.v === 'result',
      ),
  )
}
