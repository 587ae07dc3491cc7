import type { SchemaModel } from '../../model/app-model.ts'
import type { Behaviour, Step, Value } from '../../model/behaviour/behaviour.ts'
import { isCallers, mentions } from '../../model/behaviour/values.ts'
import type { Route } from '../../model/routes/routes.ts'
import { belongsToSomebody, callerOf, type OwnershipBreach, type Query, verbOf } from './ownership-breach.ts'
import type { Ties } from './ties.ts'

const JOB = /(?:^|\/)(?:crons?|cron-?jobs?|schedulers?)(?:[-_/]|$)/i

/** By its path a job of the clock: it works on the rows of all users, and whoever is signed in is not who should start it. */
export function jobBreaches(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables'>, route: Route): OwnershipBreach[] {
  if (!JOB.test(route.route) || step.before || e.op === 'select' || e.client.rights !== 'service' || e.unread) return []
  if (!belongsToSomebody(e, schema, behaviour) || ties.byFilter(e) || ties.byCondition(step)) return []
  // rows that were looked up without a word about the caller, and not by the request's choice
  const ofAll = (v: Value): boolean =>
    mentions(v, (x) => {
      const found = x.v === 'row' ? behaviour.steps[x.step]?.effect : undefined
      return (
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
      at: step.at,
      table: e.table,
      verb: verbOf(e),
      callerAs: callerOf(behaviour),
      what: `${verbOf(e)} ${e.table} for every user`,
    },
  ]
}
