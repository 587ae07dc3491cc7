/**
 * Whether the filters of a query name the caller, in whichever of the forms of the libraries: a column, an `OR` of which each branch does, a relation inside
 * a relation.
 */
import type { Behaviour, Query, Value } from '../../../model/behaviour/types.ts'
import { isPersons } from '../principal/human-caller.ts'

/** A filter of the query itself names the caller (or a row of theirs). */
export function filtersByPerson(query: Query, behaviour: Behaviour): boolean {
  return query.filters.some((f) => f.op !== 'neq' && (isPersons(f.value, behaviour) || namesPersonEachWay(f, behaviour)) && filtersRows(query, f.column))
}

/** `OR: [{ userId }, { teamId: { in: mine } }]`: whichever of them holds, it names the caller. */
function namesPersonEachWay({ column, value }: Query['filters'][number], behaviour: Behaviour): boolean {
  return /(?:^|\.)OR$/.test(column) && everyWay(value, behaviour)
}

/** Whether each object of a list, whichever of the lists it is, names the caller. */
function everyWay(ways: Value, behaviour: Behaviour): boolean {
  if (ways.v === 'any') {
    const lists = ways.of.filter((x) => x.v !== 'const')
    return lists.length > 0 && lists.every((x) => everyWay(x, behaviour))
  }
  if (ways.v !== 'array' || !ways.items.length) return false
  return ways.items.flatMap((way) => (way.v === 'any' ? way.of : [way])).every((way) => namesPerson(way, behaviour, 0))
}

/** `{ team: { members: { some: { userId } } } }`, `{ AND: [{ userId }, …] }`. */
function namesPerson(way: Value, behaviour: Behaviour, depth: number): boolean {
  if (depth > 6 || way.v !== 'object') return false
  return Object.entries(way.props).some(([name, x]) => {
    if (/^(?:not|notIn|NOT|none)$/.test(name)) return false
    if (name === 'OR') return everyWay(x, behaviour)
    if (name === 'AND' && x.v === 'array') return x.items.some((y) => namesPerson(y, behaviour, depth + 1))
    return x.v === 'object' ? namesPerson(x, behaviour, depth + 1) : isPersons(x, behaviour)
  })
}

/** A condition on an embedded table narrows the rows themselves only where the table is joined with `!inner`. */
function filtersRows(query: Query, column: string): boolean {
  const embedded = column.split('.').slice(0, -1).at(-1)
  if (!embedded || query.client.library !== 'supabase' || !query.columns) return true
  const joined = query.columns.join(',')
  return !joined.includes(embedded) || joined.includes('!inner')
}
