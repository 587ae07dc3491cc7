import type { Plant } from './plant.ts'

const isSql = (p: string) => /\.sql$/.test(p) && !/seed|test|discard|archive/i.test(p)

/** Appends a statement as the newest migration, once for each object that `find` gives. */
export function migrating(find: (sql: string) => readonly string[]): Plant {
  return (files) => {
    const sql = [...files].filter(([p]) => isSql(p))
    const dir = sql
      .map(([p]) => p)
      .find((p) => /supabase\/migrations\//.test(p))
      ?.replace(/[^/]+$/, '')
    if (!dir) return []
    return find(sql.map(([, t]) => t).join('\n')).map((text) => ({ path: `${dir}99990101000000_change.sql`, text: `${text}\n` }))
  }
}

interface OwnedTable {
  readonly table: string
  readonly owner: string
  /** True when rows have a key of their own called `id`. */
  readonly keyed: boolean
  /** True when a policy already shows every row. */
  readonly open: boolean
}

/** Tables with an owner column that SQL creates in public, by name. */
function ownedTables(sql: string): OwnedTable[] {
  const found = new Map<string, Omit<OwnedTable, 'open'>>()
  for (const [, table, columns] of sql.matchAll(/create table (?:if not exists )?(?:public\.)?"?(\w+)"?\s*\(([\s\S]*?)\n\s*\)\s*;/gi) as Iterable<string[]>) {
    const owner = /\b(user_id|owner_id|created_by|author_id)\b\s+uuid/i.exec(columns as string)?.[1]
    if (owner) found.set(table as string, { table: table as string, owner, keyed: /(^|[\s(,])"?id"?\s+uuid/i.test(columns as string) })
  }
  const readable = new Set(
    sql
      .split(';')
      .filter((s) => /create policy/i.test(s) && /\bfor\s+(select|all)\b/i.test(s) && /using\s*\(\s*true\s*\)/i.test(s))
      .map((s) => /\bon\s+(?:public\.)?"?(\w+)"?/i.exec(s)?.[1]),
  )
  return [...found.values()].map((t) => ({ ...t, open: readable.has(t.table) }))
}

/** Once for each table whose rows belong to a user. */
export const onOwned = (statement: (table: string, owner: string) => string): Plant =>
  migrating((sql) => ownedTables(sql).map((t) => statement(t.table, t.owner)))

/** The same for tables whose rows are named by an `id`. */
export const onKeyed = (statement: (table: string) => string): Plant =>
  migrating((sql) =>
    ownedTables(sql)
      .filter((t) => t.keyed)
      .map((t) => statement(t.table)),
  )

/** Only tables whose rows nobody else sees: reading all rows of the others is no hole. */
export const onPrivate = (statement: (table: string, owner: string) => string): Plant =>
  migrating((sql) =>
    ownedTables(sql)
      .filter((t) => !t.open)
      .map((t) => statement(t.table, t.owner)),
  )

/** Where the repository writes policies at all. */
export const besidePolicies = (statement: string): Plant => migrating((sql) => (/create policy/i.test(sql) ? [statement] : []))

/** Where migrations have the last word: declared files are replayed after them, and put back what a migration takes away. */
export const undeclared =
  (plant: Plant): Plant =>
  (files) =>
    [...files.keys()].some((p) => /supabase\/schemas\/.*\.sql$/.test(p)) ? [] : plant(files)
