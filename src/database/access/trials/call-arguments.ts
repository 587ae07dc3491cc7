import type { Catalog, SqlFunction, Table } from '../../database.ts'
import type { JudgeWorld } from '../expression/disjunct.ts'
import { Evaluator } from '../expression/evaluate.ts'
import { isUnguessable } from '../expression/judge.ts'
import { bases, type Ways } from '../expression/predicate.ts'
import { readRoutine, returnsOf, scopeOfCall } from '../expression/routine.ts'
import type { World } from '../expression/scope.ts'
import { nameOf } from '../policies/read-policies.ts'
import { ident, identOf, literal } from '../sql.ts'
import type { Seeded } from './seed-rows.ts'
import { enumLabels, USERS } from './seed-values.ts'

/** A column that an argument is compared with: what a caller who means somebody else's row hands over. */
interface Target {
  readonly table: string
  readonly column: string
}

/**
 * A call with arguments that mean user B's rows, as SQL: `"public"."f"("p_id" => '…')`. Where an argument is compared with a column of a
 * row, it is B's value there; a secret that nobody guesses stays made up. Undefined when a value cannot be made up.
 */
export function callFor(fn: SqlFunction, catalog: Catalog, seeded: Seeded, world: World & JudgeWorld): string {
  const targets = targetsOf(fn, world)
  const given = fn.args.flatMap((arg, i) => {
    const target = targets.get(arg.name ?? `$${i + 1}`)
    // what has a default is left out, unless it says whose row is meant; without a name the place decides
    if (arg.hasDefault && (!target || !arg.name)) return []
    const value = `${madeUpArgument(arg, target, catalog, seeded)}::${arg.type}`
    return [arg.name ? `${ident(arg.name)} => ${value}` : value]
  })
  const named = given.every((g) => g.startsWith('"')) || fn.args.every((a) => !a.name)
  const call = named ? given : given.map((g) => g.replace(/^"(?:[^"]|"")*" => /, ''))
  return `${identOf(`${fn.schema}.${fn.name}`)}(${call.join(', ')})`
}

/** Which columns a function compares its arguments with. */
function targetsOf(fn: SqlFunction, world: World & JudgeWorld): ReadonlyMap<string, Target> {
  const found = new Map<string, Target>()
  const evaluator = new Evaluator(world, returnsOf)
  const routine = readRoutine(evaluator, fn, scopeOfCall(fn))
  const note = (ways: Ways) => {
    for (const atom of ways.flat()) {
      if (atom.a !== 'compare' || atom.op !== '=') continue
      const terms = [...bases(atom.left), ...bases(atom.right)]
      const column = terms.find((t) => t.t === 'column')
      const table = column?.t === 'column' ? evaluator.instances[column.instance]?.table : undefined
      if (column?.t !== 'column' || !table) continue
      for (const t of terms) if (t.t === 'argument' && !found.has(t.name)) found.set(t.name, { table, column: column.column })
    }
  }
  for (const effect of routine?.effects ?? []) {
    note(effect.when)
    for (const [column, values] of effect.writes)
      for (const v of values) if (v.term.t === 'argument' && !found.has(v.term.name)) found.set(v.term.name, { table: effect.table, column })
  }
  for (const result of routine?.returns ?? []) {
    note(result.when)
    if (result.query) for (const select of evaluator.select(result.query, result.scope)) note(select.when)
  }
  return found
}

function madeUpArgument(arg: SqlFunction['args'][number], target: Target | undefined, catalog: Catalog, seeded: Seeded): string {
  const known = target && !isUnguessable(target.column) ? seeded.rows.get(target.table)?.B?.values[target.column] : undefined
  // `id = any(p_ids)`
  if (known !== undefined && isOfType(known, arg.type)) return arg.type.endsWith('[]') && !/^'\{|^array\b/i.test(known) ? `array[${known}]` : `(${known})`
  const name = arg.name ?? ''
  const type = arg.type.toLowerCase()
  if (type.endsWith('[]')) return "'{}'"
  if (type === 'uuid') return namedRow(name, catalog, seeded) ?? literal(USERS.B.id)
  if (/^(smallint|integer|bigint|numeric|real|double precision|money)/.test(type)) return '1'
  if (type === 'boolean') return 'true'
  if (/^timestamp|^date$/.test(type)) return "'2030-01-01'"
  if (/^time/.test(type)) return "'10:00'"
  if (type === 'interval') return "'1 day'"
  if (/^jsonb?$/.test(type)) return "'{}'"
  if (/^(text|character|varchar|citext|name)/.test(type))
    return literal(/mail/i.test(name) ? USERS.B.email : /role|status|plan/i.test(name) ? 'admin' : 'prelaunch')
  const labels = enumLabels(type, catalog)
  return labels?.length ? literal(labels.at(-1) as string) : 'null'
}

/** Whether a column's value is one of an argument's type: an id that is written down as text stands in a column that may hold any text. */
function isOfType(value: string, type: string): boolean {
  const written = /^\(*'([^']*)'/.exec(value)?.[1]
  if (written === undefined) return true
  if (type === 'uuid') return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(written)
  return !/^(?:smallint|integer|bigint|numeric|real|double precision)$/.test(type) || /^-?\d/.test(written)
}

/** `p_order_id` means the key of B's row in `orders`. */
function namedRow(name: string, catalog: Catalog, seeded: Seeded): string | undefined {
  const word = name
    .replace(/^_*(?:p|in|arg|v|target|the)?_/i, '')
    .replace(/_?(?:id|uuid)$/i, '')
    .toLowerCase()
  const table = word && catalog.tables.find((t: Table) => [word, `${word}s`, `${word}es`, word.replace(/y$/, 'ies')].includes(t.name.toLowerCase()))
  const [key] = table ? table.primaryKey : []
  return table && key ? seeded.rows.get(nameOf(table))?.B?.values[key] : undefined
}
