import type { Table } from '../database.ts'
import { bases, type Term } from './expression/predicate.ts'
import type { Alternatives } from './expression/scope.ts'
import type { Effect } from './expression/statement-effects.ts'

const NUMBER = /^(?:int|bigint|smallint|numeric|real|double|decimal)/

/**
 * Whether a change writes nothing but numbers that follow from rows, and when: `set total = (select sum(points) from readings …)`. Who calls
 * has no say in them, and they are the same however often.
 */
export function isDerived(effect: Effect, table: Table | undefined): boolean {
  if (effect.command !== 'update' || !table) return false
  const typeOf = (column: string) => table.columns.find((c) => c.name === column)?.type ?? ''
  let totals = 0
  for (const [column, values] of effect.writes) {
    const isWhen = /^(?:date|timestamp)/.test(typeOf(column)) && values.every((v) => bases(v.term).every((t) => t.t === 'const'))
    if (isWhen) continue
    if (!NUMBER.test(typeOf(column)) || !isTotal(values, effect.instance, column)) return false
    totals++
  }
  return totals > 0
}

/** What an empty list adds up to: `coalesce(sum(points), 0)`. */
const isNothing = (term: Term): boolean => bases(term).every((t) => t.t === 'const' && (t.value === 0 || t.value === null))

function isTotal(values: Alternatives, changed: number, column: string): boolean {
  const some = values.filter((v) => !isNothing(v.term))
  return some.length > 0 && some.every((v) => isComputed(v.term, changed, column))
}

/** Made of what other columns say, by adding them up. */
function isComputed(term: Term, changed: number, column: string): boolean {
  if (term.t !== 'expression') return false
  const of = bases(term)
  return (
    of.some((t) => t.t === 'column') &&
    of.every((t) => t.t === 'const' || (t.t === 'column' && !(t.instance === changed && (t.column === column || t.column === '*'))))
  )
}
