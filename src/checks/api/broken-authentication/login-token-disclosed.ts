import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { UnprovenSignIn } from './sign-in-without-proof.ts'

/** What a row's owner comes in with, kept in the row: `qr_token`, `access_token`. */
const COMES_IN_WITH = /^(?:(?:qr|access|login|log_in|sign_in|session|auth|magic|entry|personal|portal|juror|judge|voter|member|guest|player)_)?token$/
/** By which anybody knows somebody. */
const KNOWN_BY = /^(?:\w{1,20}_)?(?:e_?mail|phone|mobile|phone_number|whats_?app|user_?name|nick_?name)$/
/** What only its owner knows. */
const POSSESSION_PROOF_FIELD = /token|code|otp|pin|secret|pass|hash|answer|birth/i
const SIGN_IN_ENDPOINT = /log-?in|sign-?in|(?:^|[/#_-])(?:enter|access|portal)/i

/** Whoever names an address at a sign-in is told the token that the row of it keeps, with which its owner comes in. */
export const tellsRowsToken = rememberFor((route: Route): UnprovenSignIn | undefined => {
  const { behaviour } = route
  if (
    !behaviour?.complete ||
    behaviour.gaps?.length ||
    (route.guard && route.guard.trust !== 'claimed') ||
    !SIGN_IN_ENDPOINT.test(`${route.route} ${route.subject}`)
  )
    return undefined
  const { steps } = behaviour
  for (const step of steps) {
    const told = step.effect.kind === 'respond' && (step.effect.status ?? 200) < 400 && step.effect.body ? tokensIn(step.effect.body) : []
    for (const { step: from, table, field } of told) {
      const found = steps[from]
      const by = found && namedBy(found)
      if (by && field && !asksMore(step, from)) return { at: step.at, found: found.at, table, tells: field, ...by }
    }
  }
  return undefined
})

type Row = Extract<Value, { v: 'row' }>

function tokensIn(body: Value): readonly Row[] {
  const rows: Row[] = []
  mentions(body, (x) => {
    if (x.v === 'row' && x.step >= 0 && says(COMES_IN_WITH, x.field ?? '')) rows.push(x)
    return false
  })
  return rows
}

/** How the request names the row that a query gives: by what others know as well, and nothing else of the request. */
function namedBy({ effect: e }: Step): Pick<UnprovenSignIn, 'column' | 'by'> | undefined {
  if (e.kind !== 'db' || e.op !== 'select' || e.client.rights === 'caller' || e.unread) return undefined
  const sent = e.filters.filter((f) => mentions(f.value, (x) => x.v === 'request'))
  const [name, ...more] = sent
  if (!name || more.length || name.op !== 'eq' || !says(KNOWN_BY, name.column)) return undefined
  let by: string | undefined
  mentions(name.value, (x) => {
    if (x.v === 'request') by ??= x.name ?? name.column
    return false
  })
  return by === undefined || POSSESSION_PROOF_FIELD.test(by) ? undefined : { column: name.column, by }
}

/** Something beside the state of the row is asked before: who calls, a code, a comparison with what was sent. */
const asksMore = ({ under }: Step, row: number): boolean =>
  under.some((c) =>
    mentions(
      c.test,
      (x) =>
        x.v === 'caller' ||
        x.v === 'unknown' ||
        x.v === 'env' ||
        (x.v === 'result' && x.step !== row) ||
        (x.v === 'request' && POSSESSION_PROOF_FIELD.test(x.name ?? '')) ||
        (x.v === 'row' && POSSESSION_PROOF_FIELD.test(x.field ?? '')) ||
        (x.v === 'call' && /compare|verify|check|hash/i.test(x.name)),
    ),
  )
