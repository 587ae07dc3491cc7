import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { isAlike } from '../../../model/behaviour/domain/contains.ts'
import { isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Effect, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { asksAboutPayment, isChosen } from '../../../model/payments/questions.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { OWNER_COLUMN, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'
import { settles } from './signature-not-bound-to-order.ts'

/** What is granted with a row of its own: each says that somebody has, or is in, something that is sold. */
const BOUGHT_ROWS = /(?:^|[._])(?:enroll?ments?|purchases?|orders?|tickets?|licen[cs]es?|subscriptions?|memberships?|credits?)$/i
const PAID_ENTITLEMENT_FIELD =
  /^(?:plan|tier|is_?(?:pro|premium|paid|active|subscribed)|premium|subscription(?:_?(?:status|tier|plan))?|has_?(?:paid|access)|credits?|role)$/i

/**
 * What somebody paid for goes to whoever names the payment: the processor was asked about it and said that it is paid, but nothing relates what it
 * said to the caller or to the row that becomes paid. One payment then serves any number of accounts, or settles another order.
 */
export function settledForAnybody(step: Step, e: Query, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): OwnershipBreach[] {
  if (e.op === 'select' || e.op === 'delete' || e.payload?.v !== 'object') return []
  const named = namedPayments(step, behaviour)
  if (!named.length || !grants(e, behaviour)) return []
  const about = (x: Value): boolean => named.some((p) => (x.v === 'result' && x.step === p.step) || isAlike(x, p.id))
  if (isRelated(step, e, about, behaviour, schema)) return []
  const by = requestName((named[0] as Named).id) ?? 'a value of the request'
  return [
    {
      kind: 'claimed-payment',
      severity: 'Critical',
      at: step.at,
      table: e.table,
      verb: verbOf(e),
      by,
      settled: true,
      what: `${verbOf(e)} ${e.table} because the payment that ${by} names went through`,
    },
  ]
}

/** A payment that the request named and the processor was asked about, before something was decided by its answer. */
interface Named {
  readonly step: number
  readonly id: Value
}

function namedPayments({ under }: Step, behaviour: Behaviour): readonly Named[] {
  const found = new Map<number, Named>()
  for (const { test } of under)
    for (const step of answersSayingPaid(test)) {
      if (found.has(step)) continue
      const e = behaviour.steps[step]?.effect
      const id = asksAboutPayment(e) && idIn(e)
      if (id) found.set(step, { step, id })
    }
  return [...found.values()]
}

/** The steps whose answers a test asks whether something was paid; the steps of a behaviour share their conditions. */
const answersSayingPaid = rememberFor((test: Value): readonly number[] => {
  const steps: number[] = []
  mentions(test, (x) => {
    if (x.v === 'result' && saysPaid(x.field)) steps.push(x.step)
    return false
  })
  return steps
})

const saysPaid = (field: string | undefined): boolean => /paid|status|state/i.test(field ?? '')

function idIn(e: Effect | undefined): Value | undefined {
  let id: Value | undefined
  for (const a of e && 'args' in e && Array.isArray(e.args) ? (e.args as readonly Value[]) : [])
    mentions(a, (x) => {
      if (isChosen(x)) id ??= x
      return id !== undefined
    })
  return id
}

/** Whether the row is the caller's, or one that the request names beside the payment, and says from now on that something was paid. */
function grants(e: Query, behaviour: Behaviour): boolean {
  const rows = e.payload?.v === 'object' ? [e.payload.props.create, e.payload.props.update, e.payload].flatMap((x) => (x?.v === 'object' ? [x.props] : [])) : []
  const callers = (v: Value) => isCallers(v, behaviour)
  const ofCaller =
    e.filters.some((f) => callers(f.value)) || rows.some((props) => Object.entries(props).some(([column, v]) => OWNER_COLUMN.test(column) && callers(v)))
  if (e.op === 'insert') return ofCaller && BOUGHT_ROWS.test(e.table)
  const paid = rows.some((props) => settles(props) || Object.keys(props).some((column) => PAID_ENTITLEMENT_FIELD.test(column)))
  return paid && (ofCaller || e.filters.some((f) => f.op === 'eq' && f.value.v === 'request'))
}

function isRelated({ under }: Step, e: Query, about: (x: Value) => boolean, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>): boolean {
  const relates = (v: Value, depth = 0): boolean =>
    depth < 5 && mentions(v, (x) => about(x) || (x.v === 'row' && x.step >= 0 && filtersOf(x.step, behaviour).some((f) => relates(f, depth + 1))))
  if (e.filters.some((f) => relates(f.value))) return true
  // whose it is, or which order, or what it costs, is compared with something that the server knows
  const compared = ({ test }: Condition) => comparisons(test).some((c) => c.of.some((x) => relates(x)) && c.of.some((x) => isKnown(x, about, behaviour)))
  if (under.some(compared)) return true
  // a payment that was used already is found by its id, or refused by the key that holds it
  if (behaviour.steps.some(({ effect: s }) => s.kind === 'db' && s.filters.some((f) => mentions(f.value, about)))) return true
  const { props } = e.payload as Extract<Value, { v: 'object' }>
  return tableOf(e, schema)?.uniques.some((u) => u.columns.length === 1 && mentions(props[u.columns[0] as string] ?? NULL_VALUE, about)) ?? false
}

const NULL_VALUE: Value = { v: 'const', value: null }

/** The caller, a row, or another value of the request: what the payment can be compared with. */
const isKnown = (value: Value, about: (x: Value) => boolean, behaviour: Behaviour): boolean =>
  mentions(value, (x) => !about(x) && (x.v === 'row' || x.v === 'caller' || isChosen(x) || isCallers(x, behaviour)))

function comparisons(test: Value, depth = 0): readonly Extract<Value, { v: 'op' }>[] {
  if (depth > 10) return []
  const inside = test.v === 'op' || test.v === 'any' ? test.of : test.v === 'call' ? test.args : []
  const own =
    test.v === 'op' && /^(?:[!=]==?|[<>]=?|includes)$/.test(test.op) ? [test] : test.v === 'call' ? [{ v: 'op' as const, op: 'call', of: test.args }] : []
  return [...own, ...inside.flatMap((x) => comparisons(x, depth + 1))]
}

function filtersOf(index: number, { steps }: Behaviour): readonly Value[] {
  const e = steps[index]?.effect
  return e?.kind === 'db' ? e.filters.map((f) => f.value) : []
}
