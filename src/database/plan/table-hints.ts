import type { FactsIndex } from '../../facts/facts.ts'
import type { TableHint } from '../database.ts'
import { clientQueries } from './client-queries.ts'
import { generatedTables } from './generated-types.ts'

/**
 * What code says of tables that the SQL speaks of but does not create. Only those: the hints are part of what a result is
 * cached by, and code changes far more often than SQL.
 */
export function tableHints(facts: FactsIndex): readonly TableHint[] {
  const texts = [...facts.of('sql').values()].map((f) => f.text)
  const created = new Set(texts.flatMap((t) => [...t.matchAll(CREATE_PUBLIC_TABLE_SQL)].map((m) => (m[1] as string).toLowerCase())))
  const spokenOf = new Set(texts.flatMap((t) => [...t.matchAll(ON_TABLE)].map((m) => (m[1] as string).toLowerCase())))
  const hints = new Map<string, Map<string, string | undefined>>()
  const add = (table: string, columns: readonly { name: string; type?: string }[]) => {
    const name = table.toLowerCase()
    if (created.has(name) || !spokenOf.has(name)) return
    const known = hints.get(table) ?? new Map<string, string | undefined>()
    for (const c of columns) if (!known.has(c.name)) known.set(c.name, c.type)
    hints.set(table, known)
  }
  const generated = generatedTables(facts)
  for (const [name, table] of generated) add(name, table.columns)
  for (const q of clientQueries(facts))
    if (!q.table.includes('.'))
      add(
        q.table,
        q.columns.map((name) => ({ name })),
      )
  for (const text of texts) for (const { table, columns } of writtenColumns(text)) add(table, columns)
  return [...hints]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([table, columns]) => {
      const references = generated.get(table)?.references ?? []
      return { table, columns: [...columns].map(([name, type]) => ({ name, ...(type ? { type } : {}) })), ...(references.length ? { references } : {}) }
    })
}

const CREATE_PUBLIC_TABLE_SQL = /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(?:"?public"?\s*\.\s*)?"?(\w+)"?/gi
const ON_TABLE = /\b(?:on|table|references|from|join|into|update|exists|only)\s+(?:"?public"?\s*\.\s*)?"?(\w+)"?/gi

const UPDATE_SET_SQL = /\bupdate\s+(?:only\s+)?(?:"?public"?\s*\.\s*)?"?(\w+)"?(?:\s+(?:as\s+)?\w{1,30})?\s+set\s+([^;]{1,600}?)(?:\bwhere\b|\bfrom\b|;)/gi
const INSERT_COLUMNS_SQL = /\binsert\s+into\s+(?:"?public"?\s*\.\s*)?"?(\w+)"?\s*\(([\w\s",]{1,600})\)\s*(?:values|select)\b/gi

/** The columns that SQL writes, in functions most of all. */
function writtenColumns(text: string): { table: string; columns: { name: string }[] }[] {
  const updated = [...text.matchAll(UPDATE_SET_SQL)].map(([, table, list]) => ({
    table,
    names: [...(list as string).matchAll(/(?:^|,)\s*"?([a-z_]\w*)"?\s*=/gi)],
  }))
  const inserted = [...text.matchAll(INSERT_COLUMNS_SQL)].map(([, table, list]) => ({ table, names: [...(list as string).matchAll(/"?([a-z_]\w*)"?/gi)] }))
  return [...updated, ...inserted].map(({ table, names }) => ({
    table: table as string,
    columns: names.map((m) => ({ name: (m[1] as string).toLowerCase() })),
  }))
}
