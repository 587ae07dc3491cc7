import { lastPart } from '../../../lib/last-part.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isSame } from '../binding/value-equality.ts'

const PUBLIC_FLAG_COLUMN = /^(?:is_?)?(?:public|published|shared|visible|listed|open|template|demo|global)$/i
const PRIVATE_FLAG_COLUMN = /^(?:is_?)?(?:private|draft|hidden|restricted|unlisted)$/i
const VISIBILITY_COLUMN = /(?:^|_|[a-z])(?:status|state|visibility|access|privacy|stage)$/i

/** Whether `test` being `truthy` says that a row's own state opens it to others: `doc.isPublic`, `doc.visibility !== 'private'`. */
export function isOpenByState(test: Value, truthy: boolean, ofRow: (x: Value) => boolean): boolean {
  // a row that came along by a join keeps its columns under its own name: `event.spot.visibility`
  if (test.v === 'row') return test.field !== undefined && ofRow(test) && (truthy ? PUBLIC_FLAG_COLUMN : PRIVATE_FLAG_COLUMN).test(lastPart(test.field))
  if (test.v !== 'op') return false
  const [a, b] = test.of
  if (test.op === '!') return a !== undefined && isOpenByState(a, !truthy, ofRow)
  // `row.visibility === 'public' && row.status === 'approved'`
  if (test.op === '&&' && truthy) return test.of.some((x) => isOpenByState(x, truthy, ofRow))
  if (!/^[!=]==?$/.test(test.op)) return false
  const asked = [a, b].find((x) => x?.v === 'row' && ofRow(x))
  return asked?.v === 'row' && VISIBILITY_COLUMN.test(lastPart(asked.field ?? '')) && [a, b].some((x) => x?.v === 'const')
}

/**
 * An update by which the caller takes what is there to be taken: it names the caller in a column, nothing else of it is the request's choice, and it
 * is done only where the row is in a state that the code names, or that column is empty.
 */
export function takesWhatIsOpen({ under }: Step, e: Query, behaviour: Behaviour): boolean {
  if (e.op !== 'update' || e.payload?.v !== 'object' || e.payload.rest) return false
  const set = Object.entries(e.payload.props)
  const own = new Set(set.flatMap(([column, v]) => (isCallers(v, behaviour) ? [column] : [])))
  if (!own.size || set.some(([, v]) => mentions(v, (x) => x.v === 'request'))) return false
  const isFree = (column: string, value: Value | undefined): boolean =>
    value?.v === 'const' &&
    (own.has(column) ? value.value === null || value.value === undefined : VISIBILITY_COLUMN.test(column) && typeof value.value === 'string')
  const asks = (test: Value, truthy: boolean): boolean => {
    if (test.v === 'row') return !truthy && test.table === e.table && own.has(test.field ?? '')
    if (test.v !== 'op') return false
    const [a, b] = test.of
    if (test.op === '!') return a !== undefined && asks(a, !truthy)
    if (test.op === '&&' || test.op === '||')
      return (test.op === '&&') === truthy ? test.of.some((x) => asks(x, truthy)) : test.of.every((x) => asks(x, truthy))
    if (!/^[!=]==?$/.test(test.op) || test.op.startsWith('!') === truthy) return false
    return [
      [a, b],
      [b, a],
    ].some(([x, y]) => x?.v === 'row' && x.table === e.table && isFree(x.field ?? '', y))
  }
  return e.filters.some((f) => f.op === 'eq' && isFree(lastPart(f.column), f.value)) || under.some((c) => asks(c.test, !c.negated))
}

/** Whether the caller takes the row by the same handler: what is put aside for it there, and what is read of it without an answer, is part of that. */
export function isTakenByCaller(e: Query, behaviour: Behaviour): boolean {
  const isOf = (other: Query) => other.filters.some((f) => f.op === 'eq' && e.filters.some((x) => x.column === f.column && isSame(x.value, f.value)))
  return behaviour.steps.some((s) => s.effect.kind === 'db' && s.effect.table === e.table && isOf(s.effect) && takesWhatIsOpen(s, s.effect, behaviour))
}

/** An update of which nothing is the request's choice. */
export const choosesNothing = (e: Query): boolean => e.op === 'update' && e.payload !== undefined && !mentions(e.payload, (x) => x.v === 'request')
