import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query'
import { worldOf } from '../../../src/database/access/policies/name-resolution.ts'
import type { Catalog, SqlFunction, Table } from '../../../src/database/database.ts'

await loadModule()

const AT = { path: '1.sql', line: 1 }

/** A table from column names; `role=user` gives a default. */
export function table(name: string, columns: readonly string[], extra: Partial<Table> = {}): Table {
  return {
    schema: 'public',
    name,
    kind: 'table',
    owner: 'postgres',
    columns: columns.map((c) => {
      const [column, value] = c.split('=') as [string, string?]
      return { name: column, type: 'text', notNull: false, ...(value === undefined ? {} : { default: `'${value}'::text` }) }
    }),
    primaryKey: ['id'],
    uniques: [],
    foreignKeys: [],
    rls: { enabled: true, forced: false },
    grants: [],
    at: AT,
    ...extra,
  }
}

/** A function from its arguments and body. */
export function fn(name: string, args: readonly string[], returns: string, language: string, body: string, extra: Partial<SqlFunction> = {}): SqlFunction {
  return {
    schema: 'public',
    name,
    identity: `${name}(${args.map(() => 'uuid').join(', ')})`,
    args: args.map((a) => ({ name: a, type: 'uuid' })),
    returns,
    language,
    body,
    securityDefiner: true,
    volatility: 'volatile',
    isTrigger: false,
    setsSearchPath: false,
    executableBy: ['anon', 'authenticated', 'service_role'],
    owner: 'postgres',
    at: AT,
    ...extra,
  }
}

/** A catalog of what is given. */
export function catalog(parts: Partial<Catalog>): Catalog {
  return { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false, ...parts }
}

/** The world of a catalog, with the real parser. */
export function world(of: Catalog) {
  const quiet = (parse: () => unknown) => {
    try {
      return parse()
    } catch {
      return undefined
    }
  }
  return worldOf({ parse: (sql) => quiet(() => parseSync(sql)) as never, parsePlPgSql: (sql) => quiet(() => parsePlPgSQLSync(sql)) }, of)
}
