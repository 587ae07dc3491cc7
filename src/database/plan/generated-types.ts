import type { FactsIndex } from '../../facts/facts.ts'
import type { TableHint } from '../database.ts'

/** `supabase gen types`: what the database really has, tables made in the dashboard included. */
export interface GeneratedTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Tables of `public` whose rows it cannot be without. */
  readonly references: NonNullable<TableHint['references']>
}

const TABLES = /^\s*Tables\s*:\s*\{\s*$/
const VIEWS = /^\s*(Views|Functions|Enums|CompositeTypes)\s*:\s*\{/
const TYPE_ENTRY_NAME = /^\s*"?([A-Za-z_]\w*)"?\s*:\s*\{\s*$/
const ROW_TYPE_LINE = /^\s*Row\s*:\s*\{\s*$/
/** `columns: ["trip_id"]`, `referencedRelation: "trips"`, one below the other. */
const FOREIGN_KEY_LINE = /^\s*(columns|referencedRelation|referencedColumns)\s*:[\s[]*["']([A-Za-z_]\w*)["'][\s\],;]*$/
const COLUMN = /^\s*"?([A-Za-z_]\w*)"?\s*(?:\?\s*)?:\s*([^;,\s](?:[^;,]{0,2000}[^;,\s])?)\s{0,200}(?:[;,]\s*)?$/

/** Tables of the generated types of the repository, by name; `public` only. Read line by line, as the generator writes them. */
export function generatedTables(facts: FactsIndex): Map<string, GeneratedTable> {
  const tables = new Map<string, GeneratedTable>()
  for (const [path, { text }] of facts.of('text')) {
    if (!/\.tsx?$/i.test(path) || !/\bRow\s*:\s*\{/.test(text)) continue
    const found = read(text)
    // what views show of a table is listed as if it were referred to as well
    for (const [name, table] of found) if (!tables.has(name)) tables.set(name, { ...table, references: table.references.filter((r) => found.has(r.table)) })
  }
  return tables
}

interface Draft {
  readonly columns: readonly ReturnType<typeof columnOf>[]
  readonly references: NonNullable<TableHint['references']>[number][]
}

function read(text: string): Map<string, Draft> {
  const tables = new Map<string, Draft>()
  let inTables = false
  let table: string | undefined
  let columns: ReturnType<typeof columnOf>[] | undefined
  let last: Draft | undefined
  let reference: Partial<Record<string, string>> = {}
  for (const line of text.split('\n')) {
    if (TABLES.test(line)) inTables = true
    else if (VIEWS.test(line)) inTables = false
    else if (!inTables) continue
    else if (ROW_TYPE_LINE.test(line)) columns = []
    else if (columns) {
      const column = COLUMN.exec(line)
      if (column) columns.push(columnOf(column[1] as string, (column[2] as string).trim()))
      else if (/^\s*\}/.test(line)) {
        last = { columns, references: [] }
        if (table) tables.set(table, last)
        columns = undefined
      }
    } else {
      const [, key, named] = FOREIGN_KEY_LINE.exec(line) ?? []
      if (key) reference[key] = named
      else if (/^\s*\}/.test(line)) {
        addReference(last, reference)
        reference = {}
      } else table = TYPE_ENTRY_NAME.exec(line)?.[1] ?? table
    }
  }
  return tables
}

const columnOf = (name: string, type: string) => ({ name, type: sqlType(name, type), required: !/\bnull\b/.test(type) })

/** What a row can be without is no part of what it is. */
function addReference(of: Draft | undefined, { columns, referencedRelation, referencedColumns }: Partial<Record<string, string>>): void {
  if (columns && referencedRelation && referencedColumns && of?.columns.find((c) => c.name === columns)?.required)
    of.references.push({ column: columns, table: referencedRelation, key: referencedColumns })
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
