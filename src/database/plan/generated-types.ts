import type { FactsIndex } from '../../facts/facts.ts'

/** `supabase gen types`: what the database really has, tables made in the dashboard included. */
export interface GeneratedTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

const TABLES = /^\s*Tables\s*:\s*\{\s*$/
const VIEWS = /^\s*(Views|Functions|Enums|CompositeTypes)\s*:\s*\{/
const NAME = /^\s*"?([A-Za-z_]\w*)"?\s*:\s*\{\s*$/
const ROW = /^\s*Row\s*:\s*\{\s*$/
const COLUMN = /^\s*"?([A-Za-z_]\w*)"?\s*(?:\?\s*)?:\s*([^;,\s](?:[^;,]{0,2000}[^;,\s])?)\s{0,200}(?:[;,]\s*)?$/

/** Tables of the generated types of the repository, by name; `public` only. Read line by line, as the generator writes them. */
export function generatedTables(facts: FactsIndex): Map<string, GeneratedTable> {
  const tables = new Map<string, GeneratedTable>()
  for (const [path, { text }] of facts.of('text')) {
    if (!/\.tsx?$/i.test(path) || !/\bRow\s*:\s*\{/.test(text)) continue
    for (const [name, table] of read(text)) if (!tables.has(name)) tables.set(name, table)
  }
  return tables
}

function read(text: string): Map<string, GeneratedTable> {
  const tables = new Map<string, GeneratedTable>()
  let inTables = false
  let table: string | undefined
  let columns: { name: string; type: string }[] | undefined
  for (const line of text.split('\n')) {
    if (TABLES.test(line)) inTables = true
    else if (VIEWS.test(line)) inTables = false
    else if (!inTables) continue
    else if (ROW.test(line)) columns = []
    else if (columns) {
      const column = COLUMN.exec(line)
      if (column) columns.push({ name: column[1] as string, type: sqlType(column[1] as string, (column[2] as string).trim()) })
      else if (/^\s*\}/.test(line)) {
        if (table) tables.set(table, { columns })
        columns = undefined
      }
    } else table = NAME.exec(line)?.[1] ?? table
  }
  return tables
}

/** TypeScript's types say less than the database's: strings are told apart by their names. */
function sqlType(name: string, type: string): string {
  if (/\[\]/.test(type)) return /number/.test(type) ? 'numeric[]' : 'text[]'
  if (/\bnumber\b/.test(type)) return /(^|_)(id|count|quantity|position|year|month|age)$/.test(name) ? 'bigint' : 'numeric'
  if (/\bboolean\b/.test(type)) return 'boolean'
  if (/\bJson\b/.test(type)) return 'jsonb'
  if (/\bstring\b/.test(type)) {
    if (/(_at|_on|_until)$/.test(name)) return 'timestamptz'
    if (/(^|_)date$/.test(name)) return 'date'
    if (/^(id|user|owner)$|_(id|by)$/.test(name) && !/stripe|paypal|external|session|customer_id|price_id|subscription_id/.test(name)) return 'uuid'
  }
  return 'text'
}
