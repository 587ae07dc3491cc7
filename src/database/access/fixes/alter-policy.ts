import type { Catalog, Policy, Table } from '../../database.ts'
import type { Hole } from '../hole.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { ident, readable, readableName, successorOf } from '../sql.ts'
import { createPolicy } from './create-policy.ts'
import { caller } from './owner-condition.ts'
import type { AskParent } from './owner-of-parent.ts'

/** Whether a policy asks something of the new row that it does not ask of the old one, and not nothing. */
export const saysMore = ({ using, check }: Policy): boolean => check !== undefined && check !== using && !/^\(*true\)*$/i.test(check.trim())

/** What a policy for everything allows beside adding rows: to see the own ones and to leave. */
export function keepOthers(table: Table, policy: Policy): string[] {
  const { using } = policy
  if (policy.command !== 'all' || !using) return []
  return (['select', 'delete'] as const).map((c) => createPolicy(table, successorOf(policy.name, c === 'select' ? '(see)' : '(leave)'), c, using.trim()))
}

/** A policy for everything as one for each command, a condition of its own for new rows, and one more for what is changed and taken back. */
export function byCommand(table: Table, policy: Policy, check: string, added: string, own?: string): string[] {
  const using = (policy.using ?? check).trim()
  const beside = (condition: string) => (own ? `${condition} and ${own}` : condition)
  const of = (words: string) => successorOf(policy.name, words)
  const change = `create policy ${ident(of('(change)'))} on ${readableName(nameOf(table))}\n  for update to authenticated\n  using (${beside(using)})\n  with check (${beside(check.trim())});`
  return [
    createPolicy(table, of('(see)'), 'select', using),
    createPolicy(table, of('(add)'), 'insert', added),
    change,
    createPolicy(table, of('(delete)'), 'delete', beside(using)),
  ]
}

/** The condition in parentheses of its own. */
export function wrapped(condition: string): string {
  return /^\(.*\)$/s.test(condition.trim()) ? condition.trim() : `(${condition.trim()})`
}

/** A new row waits as it does by default, also where the page says so itself. */
export function waiting(hole: Hole, policy: Policy, on: string, table: Table): string | undefined {
  const condition = policy.check ?? policy.using
  const [column = ''] = hole.columns ?? []
  const state = /^'[^']*'/.exec(table.columns.find((c) => c.name === column)?.default ?? '')?.[0]
  return condition && state ? `alter policy ${ident(policy.name)} on ${on} with check (${condition.trim()} and ${readable(column)} = ${state});` : undefined
}

/** The row that is shown has to be the caller's own. */
export function ownParent(hole: Hole, policy: Policy, on: string, catalog: Catalog, ask: AskParent): string | undefined {
  const parent = catalog.tables.find((t) => nameOf(t) === hole.tables?.[0]?.table)
  const owner = (parent?.userData?.ownerColumns ?? []).find((c) => /uuid|text|char/.test(parent?.columns.find((x) => x.name === c)?.type ?? ''))
  const condition = policy.check ?? policy.using
  const [column] = hole.columns ?? []
  if (!parent || !owner || !condition || !column) return undefined
  const key = parent.primaryKey[0] ?? 'id'
  const own = `p.${readable(owner)} = ${caller(parent, owner)}`
  const query = `exists (select 1 from ${readableName(nameOf(parent))} p where p.${readable(key)} = ${readable(column)} and ${own})`
  return `alter policy ${ident(policy.name)} on ${on} with check (${condition.trim()} and ${ask({ parent, key, column, own }, query)});`
}

/** The parent has to be a row that the caller sees: its own policies say which. Where they ask the child, neither could be read. */
export function readableParent(hole: Hole, policy: Policy, on: string, table: Table, readings: ReadonlyMap<string, readonly Reading[]>): string | undefined {
  const [column = ''] = hole.columns ?? []
  const parent = hole.tables?.[0]?.table ?? ''
  const key = table.foreignKeys.find((f) => f.columns[0] === column && f.references === parent)?.referencedColumns[0]
  const condition = policy.check ?? policy.using
  const askBack = (readings.get(parent) ?? []).some((r) => r.command === 'select' && r.ways.some((w) => w.tables.includes(hole.object)))
  if (!key || !condition || askBack) return undefined
  const seen = `exists (select 1 from ${readableName(parent)} p where p.${readable(key)} = ${readable(table.name)}.${readable(column)})`
  return `alter policy ${ident(policy.name)} on ${on} with check (${condition.trim()} and ${seen});`
}
