import type { Policy, Table } from '../../database.ts'

type ForeignKey = Table['foreignKeys'][number]

/** `(project_id IN ( SELECT projects.id FROM projects …`, as PostgreSQL deparses it. */
const IN_ROWS = /\((\w{1,63}) IN \( SELECT (\w{1,63})\.id\s+FROM ([^()]{1,300})/g
/** `(p.id = stages.project_id)`, either way round, and what `p` stands for. */
const SAME_ROW = /\((\w{1,63})\.id = (\w{1,63})\.(\w{1,63})\)|\((\w{1,63})\.(\w{1,63}) = (\w{1,63})\.id\)/g
const READ_FROM = /\b(?:FROM|JOIN) \(*(?:(\w{1,63})\.)?(\w{1,63})(?: (?!ON\b|WHERE\b|JOIN\b|LEFT\b)(\w{1,63}))?/g

/**
 * What a table that no SQL of the repository creates belongs to, by its own policies: they ask for the row of another table that one of its columns
 * names. References of such tables are kept in the dashboard.
 */
export function askedParents(table: Table, policies: readonly Policy[]): readonly ForeignKey[] {
  if (!table.stub) return []
  const found = new Map<string, ForeignKey>()
  const add = (column: string, references: string) => {
    if (references !== `${table.schema}.${table.name}` && table.columns.some((c) => c.name === column))
      found.set(`${column} ${references}`, { columns: [column], references, referencedColumns: ['id'], cascades: true })
  }
  for (const p of policies) {
    if (p.schema !== table.schema || p.table !== table.name) continue
    const text = `${p.using ?? ''} ${p.check ?? ''}`
    for (const [, column = '', alias = '', from = ''] of text.matchAll(IN_ROWS)) {
      const parent = tablesRead(`FROM ${from}`, table.schema).get(alias)
      if (parent) add(column, parent)
    }
    const read = tablesRead(text, table.schema)
    for (const [, a, b, column, d, e, f] of text.matchAll(SAME_ROW)) {
      const [alias, own, key] = a ? [a, b, column] : [f, d, e]
      const parent = own === table.name ? read.get(alias ?? '') : undefined
      if (parent && key) add(key, parent)
    }
  }
  return [...found.values()]
}

/** The tables that a condition reads, by the names it calls them. */
function tablesRead(text: string, schema: string): ReadonlyMap<string, string> {
  const read = new Map<string, string>()
  for (const [, of = schema, name = '', alias] of text.matchAll(READ_FROM)) read.set(alias ?? name, `${of}.${name}`)
  return read
}
