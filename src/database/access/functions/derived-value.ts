import type { Table } from '../../database.ts'
import { type Atom, bases, type Term } from '../expression/predicate.ts'
import type { Alternatives, Instance } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'

const NUMERIC_VALUE_TYPE = /^(?:int|bigint|smallint|numeric|real|double|decimal)/
const MOMENT = /^(?:date|timestamp)/

/**
 * Whether a change writes nothing but what follows from rows, and when: a figure (`set total = (select sum(points) from readings …)`), or a
 * state that the function makes of them (`if nights > 10 then standing := 'regular'; else …`). Who calls says of which row at most, has no say
 * in what stands there then, and it is the same however often. `withheld`: columns of which a state is never taken for worked out, because
 * they say whose the row is.
 */
export function isDerived(effect: Effect, table: Table | undefined, instances: readonly Instance[], withheld: readonly string[], grants: boolean): boolean {
  if (effect.command !== 'update' || !table) return false
  const typeOf = (column: string) => table.columns.find((c) => c.name === column)?.type ?? ''
  const isWhen = (column: string, values: Alternatives) => MOMENT.test(typeOf(column)) && values.every((v) => bases(v.term).every((t) => t.t === 'const'))
  const written = [...effect.writes].filter(([column, values]) => !isWhen(column, values))
  return (
    written.length > 0 &&
    written.every(
      ([column, values]) =>
        (NUMERIC_VALUE_TYPE.test(typeOf(column)) && isFigure(values, effect.instance, column)) ||
        // what gives its user something is somebody's to give, whatever it is made of; a figure is only what the rows say
        (!grants && !withheld.includes(column) && isState(values, effect, column, instances)),
    )
  )
}

/** What an empty list adds up to: `coalesce(sum(points), 0)`. */
const isNothing = (term: Term): boolean => bases(term).every((t) => t.t === 'const' && (t.value === 0 || t.value === null))

function isFigure(values: Alternatives, changed: number, column: string): boolean {
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

/**
 * Whether rows decide what is written: what they hold, or which of several constants. They hang on the changed row: whoever names them apart
 * (`(select grade from readings where id = p_reading)`) picks what he likes. What moves on from what it was (`open` to `paid` to `sent`) is
 * another one each time.
 */
function isState(values: Alternatives, effect: Effect, column: string, instances: readonly Instance[]): boolean {
  const terms = values.flatMap((v) => bases(v.term))
  if (!terms.every((t) => t.t === 'const' || t.t === 'column')) return false
  const ways = values.flatMap((v) => v.when)
  const asked = ways.flat().flatMap(termsOf)
  const isOwn = (t: Term) => t.t === 'column' && instances[t.instance]?.table === effect.table && (t.column === column || t.column === '*')
  if ([...terms, ...asked].some(isOwn)) return false
  const naming = argumentsNaming(effect)
  if (!ways.flat().every((atom) => !mentionsArgument(atom) || namesRow(atom, naming))) return false
  if (terms.some((t) => t.t === 'column')) return true
  const hangsOnRows = (v: Alternatives[number]) => v.when.every((way) => way.some((atom) => termsOf(atom).some((t) => t.t === 'column')))
  const constants = (of: Alternatives) => new Set(of.flatMap((v) => bases(v.term)).map((t) => (t.t === 'const' ? t.value : undefined)))
  // one of them stands for all rows of which nothing else is said: `ELSE 'new'`
  return constants(values).size > 1 && constants(values.filter((v) => !hangsOnRows(v))).size <= 1
}

function termsOf(atom: Atom): readonly Term[] {
  if (atom.a === 'compare') return [...bases(atom.left), ...bases(atom.right)]
  if (atom.a === 'null') return bases(atom.of)
  return atom.a === 'some' ? atom.of.flatMap(bases) : []
}

const mentionsArgument = (atom: Atom): boolean => termsOf(atom).some((t) => t.t === 'argument')

/** Whether a condition only says by one of these arguments which row is meant. */
const namesRow = (atom: Atom, naming: ReadonlySet<string>): boolean =>
  (atom.a === 'null' && atom.not) ||
  (atom.a === 'compare' &&
    atom.op === '=' &&
    termsOf(atom).some((t) => t.t === 'column') &&
    termsOf(atom).every((t) => t.t !== 'argument' || naming.has(t.name)))

/** The arguments by which the caller says which row is changed: compared with the row itself, or with one that it hangs on. */
function argumentsNaming(effect: Effect): ReadonlySet<string> {
  const found = new Set<string>()
  for (const way of effect.when) {
    const ties = way.flatMap((atom) => (atom.a === 'compare' && atom.op === '=' ? [termsOf(atom)] : []))
    const linked = new Set([effect.instance])
    for (let before = 0; before < linked.size; ) {
      before = linked.size
      for (const tie of ties) {
        const rows = tie.flatMap((t) => (t.t === 'column' ? [t.instance] : []))
        if (rows.some((r) => linked.has(r))) for (const r of rows) linked.add(r)
      }
    }
    for (const tie of ties) if (tie.some((t) => t.t === 'column' && linked.has(t.instance))) for (const t of tie) if (t.t === 'argument') found.add(t.name)
  }
  return found
}
