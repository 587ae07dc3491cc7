import type { SqlFunction, Table, Trigger } from '../../database.ts'

/** How the reason begins for which a table of copies holds user data. */
const COPIES = 'it keeps copies of rows of'

/** Whether a table is a log of others' rows: nobody's own, and not for users to read. */
export const keepsCopies = (table: Pick<Table, 'userData'>): boolean => table.userData?.because.startsWith(COPIES) === true

const TARGET = /\binsert\s+into\s+(?:"?(\w{1,63})"?\s*\.\s*)?"?(\w{1,63})"?/gi
const WHOLE_ROW = /\b(?:to_jsonb?|row_to_json|hstore)\s*\(\s*(?:new|old)\s*[,)]/i

/**
 * Marks tables into which triggers write whole rows of tables with user data (`audit_log(before_data jsonb, after_data jsonb)`): whoever reads
 * the copy has read the row. Pure.
 */
export function markCopies(tables: readonly Table[], triggers: readonly Trigger[], functions: readonly SqlFunction[]): Table[] {
  const personal = new Set(tables.flatMap((t) => (t.userData ? [`${t.schema}.${t.name}`] : [])))
  const copies = new Map<string, string>()
  for (const trigger of triggers) {
    if (!trigger.enabled || !trigger.perRow || !personal.has(trigger.table)) continue
    const fn = functions.find((f) => `${f.schema}.${f.name}` === trigger.function.replace(/\(.*/, ''))
    for (const table of fn ? copiedTo(fn) : []) if (!personal.has(table) && !copies.has(table)) copies.set(table, trigger.table)
  }
  return tables.map((t) => {
    const from = t.stub ? undefined : copies.get(`${t.schema}.${t.name}`)
    return from ? { ...t, userData: { because: `${COPIES} ${from}`, ownerColumns: [], tenantColumns: [], personalColumns: [], powerColumns: [] } } : t
  })
}

/** Tables that a trigger function writes the whole row to. */
function copiedTo(fn: SqlFunction): string[] {
  return fn.body
    .split(';')
    .flatMap((statement) =>
      WHOLE_ROW.test(statement) ? [...statement.matchAll(TARGET)].map((m) => `${m[1] ?? 'public'}.${m[2] as string}`.toLowerCase()) : [],
    )
}
