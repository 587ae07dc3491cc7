import type { AccessMatrix } from '../../../database/database.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isAdministrators } from '../../../model/routes/guards/evidence/evidence.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { aboutQuery, type OwnershipBreach, tableOf } from '../shared/violation.ts'

/** What is done at the processor in the name of whoever pays there. */
const FOR_A_PAYER =
  /subscriptions\.(?:update|cancel|del)|billingPortal\.sessions\.create|customers\.(?:update|del)|paymentMethods\.(?:attach|detach)|refunds\.create|subscriptionItems\./

/**
 * A row that its policies show to others (a shop, a gym) holds the id of its owner's customer: that one may see the row says nothing of whether one
 * may have the owner's portal. The step that uses the id without a comparison with the caller.
 */
export function actsForPayer(step: Step, index: number, e: Query, by: string, behaviour: Behaviour, ties: Ties): OwnershipBreach | undefined {
  if (e.op !== 'select') return undefined
  const customer = (x: Value) => x.v === 'row' && x.step === index && /customer|subscription|payment/i.test(x.field ?? '')
  // that the row has a customer says of nobody that it is his
  const tells = (c: Step['under'][number]) => !mentions(c.test, (x) => x.v === 'row' && x.step === index) || mentions(c.test, (x) => x.v === 'caller')
  const use = behaviour.steps.find(
    (s, i) =>
      i > index &&
      s.effect.kind === 'payment' &&
      FOR_A_PAYER.test(s.effect.name) &&
      s.effect.args.some((a) => mentions(a, customer)) &&
      !ties.byCondition({ ...s, under: s.under.filter(tells) }, step) &&
      !isAdministrators(guardOfStep(s, behaviour)),
  )
  if (use?.effect.kind !== 'payment') return undefined
  const verb = use.effect.name
  return {
    ...aboutQuery(step, e, behaviour),
    kind: 'payers-row',
    severity: 'High',
    at: use.at,
    verb,
    by,
    library: e.client.library,
    what: `${verb} with the customer of ${e.table} by ${by}`,
  }
}

/** A policy that shows such rows to others than their owner was read, whether or not it could be tried. */
export function isOpenByPolicy(e: Query, schema: Pick<SchemaModel, 'tables'>, { holes = [] }: AccessMatrix): boolean {
  const table = tableOf(e, schema)
  return table !== undefined && holes.some((h) => h.kind === 'policy' && h.command === 'select' && h.object === `${table.schema}.${table.name}`)
}
