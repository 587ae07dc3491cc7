import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { OWNER_COLUMN, type OwnershipBreach, verbOf } from '../shared/violation.ts'

/** A user id read out of an OAuth `state` that nothing signed or compared, used to write that user's row. */
export function forgedState(step: Step, e: Query, behaviour: Behaviour): OwnershipBreach | undefined {
  if (e.op === 'select' || e.client.rights !== 'service') return undefined
  const fromState = (v: Value) => mentions(v, (x) => x.v === 'request' && x.part === 'query' && /^state(?:\.|$)/.test(x.name ?? ''))
  // a state that the server stored is looked up by itself, not by a user's id
  const filter = e.filters.find((f) => f.op === 'eq' && (OWNER_COLUMN.test(f.column) || f.column === 'id') && fromState(f.value))
  const column = e.payload?.v === 'object' ? Object.entries(e.payload.props).find(([n, v]) => (OWNER_COLUMN.test(n) || n === 'id') && fromState(v)) : undefined
  if (!filter && !column) return undefined
  const compared = step.under.some((c) => comparesState(c.test, fromState, behaviour, 0))
  if (compared) return undefined
  return {
    kind: 'state',
    severity: 'Critical',
    at: step.at,
    table: e.table,
    verb: verbOf(e),
    by: 'query parameter `state`',
    ownerColumn: filter?.column ?? column?.[0] ?? 'id',
    open: true,
    what: `${verbOf(e)} ${e.table} of the user that \`state\` names`,
  }
}

/** The state is compared with a cookie, a stored row, a signature or the caller. */
function comparesState(test: Value, fromState: (v: Value) => boolean, behaviour: Behaviour, depth: number): boolean {
  if (depth > 8) return false
  if (test.v === 'op' && /^[!=]==?$/.test(test.op))
    return (
      test.of.some(fromState) &&
      test.of.some((x) =>
        mentions(
          x,
          (y) => (y.v === 'request' && y.part === 'cookie') || y.v === 'row' || y.v === 'caller' || (y.v === 'call' && /hmac|hash|sign/i.test(y.name)),
        ),
      )
    )
  if (test.v === 'op') return test.of.some((x) => comparesState(x, fromState, behaviour, depth + 1))
  if (test.v === 'row') {
    const e = behaviour.steps[test.step]?.effect
    return e?.kind === 'db' && e.filters.some((f) => fromState(f.value))
  }
  return test.v === 'call' && /verif|valid/i.test(test.name) && test.args.some(fromState)
}
