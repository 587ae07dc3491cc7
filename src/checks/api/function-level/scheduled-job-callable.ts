import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import { dropsDevice } from '../../../model/routes/operations/housekeeping.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { aboutQuery, belongsToSomebody, type OwnershipBreach, verbOf } from '../shared/violation.ts'

const JOB = /(?:^|\/)(?:crons?|cron-?jobs?|schedulers?)(?:[-_/]|$)/i

/** The places of what a handler for the scheduler does once its secret was asked for, and that handler. */
export const scheduledWork = rememberFor((routes: readonly Route[]): ReadonlyMap<string, string> => {
  const work = new Map<string, string>()
  for (const route of routes) for (const place of route.behaviour && JOB.test(route.route) ? doneBySecret(route.behaviour) : []) work.set(place, route.subject)
  return asBefore(work)
})

/** What was judged beside the same jobs stays judged. */
const asBefore = steady<ReadonlyMap<string, string>>()

const doneBySecret = rememberFor((behaviour: Behaviour): readonly string[] =>
  behaviour.steps.flatMap((step) => (step.effect.kind === 'db' && guardOfStep(step, behaviour)?.who === 'secret' ? [placeOf(step)] : [])),
)

const placeOf = ({ at, effect }: Step): string => `${at.path}:${at.line} ${effect.kind === 'db' ? effect.op : ''}`

/**
 * By its path a job of the clock, or the same work as one: it works on the rows of all users, and whoever is signed in is not who should
 * start it.
 */
export function jobBreaches(
  step: Step,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  route: Route,
  scheduled: ReadonlyMap<string, string>,
): OwnershipBreach[] {
  const alike = JOB.test(route.route) ? undefined : scheduled.get(placeOf(step))
  if ((!alike && !JOB.test(route.route)) || step.before || e.op === 'select' || e.client.rights !== 'service' || e.unread || dropsDevice(e)) return []
  if (!belongsToSomebody(e, schema, behaviour) || ties.byFilter(e) || ties.byCondition(step)) return []
  // rows that were looked up without a word about the caller, and not by the request's choice
  const ofAll = (v: Value): boolean =>
    mentions(v, (x) => {
      const look = x.v === 'row' ? behaviour.steps[x.step] : undefined
      const found = look?.effect
      return (
        look !== undefined &&
        (!alike || scheduled.has(placeOf(look))) &&
        found?.kind === 'db' &&
        found.op === 'select' &&
        !found.one &&
        found.filters.every((f) => !mentions(f.value, (y) => isCallers(y, behaviour) || y.v === 'request'))
      )
    })
  const touched = e.filters.some((f) => ofAll(f.value)) || (e.payload !== undefined && ofAll(e.payload))
  if (!touched || (e.payload && mentions(e.payload, (x) => isCallers(x, behaviour)))) return []
  return [
    {
      kind: 'job',
      severity: 'Critical',
      ...aboutQuery(step, e, behaviour),
      ...(alike ? { alike } : {}),
      what: `${verbOf(e)} ${e.table} for every user`,
    },
  ]
}
