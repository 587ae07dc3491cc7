import type { Catalog, Column, Table } from '../../database.ts'
import { literal } from '../sql.ts'

/** A row that was put into a table for a user: where it is, and SQL literals of what it holds. */
export interface SeededRow {
  readonly ctid: string
  readonly values: Readonly<Record<string, string>>
}

/**
 * The ordinary users of every trial. They hold no role, no paid plan, nothing that a policy could reward. A and B live in tenants of
 * their own; C joins B's as a plain member, after A and B have been tried.
 */
export const USERS = {
  A: { id: 'aaaaaaaa-1111-4111-8111-000000000001', email: 'user-a@example.com', number: 1 },
  B: { id: 'bbbbbbbb-2222-4222-8222-000000000002', email: 'user-b@example.com', number: 2 },
  C: { id: 'cccccccc-3333-4333-8333-000000000003', email: 'user-c@example.com', number: 3 },
} as const

export type User = keyof typeof USERS

/** A deterministic UUID for the row of a table; `salt` tells several rows of one user apart. */
export function rowUuid(table: string, user: User, salt = 0): string {
  let hash = 2166136261
  for (const char of `${table}:${salt}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619) >>> 0
  return `${USERS[user].id.slice(0, 8)}-0000-4000-8000-${hash.toString(16).padStart(12, '0')}`
}

/** A value of a type as an SQL literal; undefined when none can be made up. Distinct for the two users and for each salt. */
export function madeUpValue(column: Column, table: Table, user: User, catalog: Catalog, granting: ReadonlySet<string>, salt = 0): string | undefined {
  const type = column.type.toLowerCase()
  const number = USERS[user].number + salt * 10
  if (type.endsWith('[]')) return "'{}'"
  if (type === 'uuid') return literal(rowUuid(`${table.name}.${column.name}`, user, salt))
  const text = /^(?:text|citext|extensions\.citext|public\.citext|name|"char"|(?:character varying|varchar|character|char|bpchar)(?:\((\d+)\))?)$/.exec(type)
  if (text) {
    const fromCheck = checkLiterals(table, column.name).find((v) => !granting.has(v))
    if (fromCheck !== undefined) return literal(fromCheck)
    if (/e?mail/i.test(column.name)) return literal(salt ? `s${salt}-${USERS[user].email}` : USERS[user].email)
    const value = `${user.toLowerCase()}${salt || ''}-${column.name}`
    return literal(text[1] ? value.slice(0, Number(text[1])) : value)
  }
  if (/^(smallint|integer|bigint|numeric|real|double precision|money)/.test(type)) return String(number)
  if (type === 'boolean') return 'false'
  if (/^timestamp|^date$/.test(type)) return `now() + interval '${number} days'`
  if (/^time/.test(type)) return `'0${number % 10}:00'`
  if (type === 'interval') return "interval '1 day'"
  if (/^jsonb?$/.test(type)) return "'{}'"
  if (type === 'inet' || type === 'cidr') return `'10.0.0.${number}'`
  if (type === 'bytea') return "'\\x00'"
  if (/^(\w+\.)?(half)?vec(tor)?\(?/.test(type)) return `array_fill(0.1, array[${/\((\d+)\)/.exec(type)?.[1] ?? 3}])::${column.type}`
  if (type === 'point') return "'(0,0)'"
  if (/range$/.test(type)) return "'empty'"
  if (/^(xml|tsvector|hstore|(\w+\.)?hstore|ltree|(\w+\.)?ltree)$/.test(type)) return "'a'"
  const labels = enumLabels(column.type, catalog)
  if (labels?.length) return literal(labels.find((l) => !granting.has(l)) ?? (labels.at(-1) as string))
  return undefined
}

/** The values of an enumerated type, by its name as the catalog writes it (`public."app_role"`); undefined for other types. */
export const enumLabels = (type: string, { enums }: Pick<Catalog, 'enums'>): readonly string[] | undefined =>
  enums.find((e) => e.name === type.replace(/^.*\./, '').replaceAll('"', ''))?.values

/** The values that a column takes, by its type or by a CHECK constraint; empty when it takes any. */
export function allowedValues(table: Table, column: string, catalog: Pick<Catalog, 'enums'>): readonly string[] {
  const type = table.columns.find((c) => c.name === column)?.type ?? ''
  return enumLabels(type, catalog) ?? checkLiterals(table, column)
}

/** Literals that a CHECK constraint allows for a column. */
export function checkLiterals(table: Table, column: string): string[] {
  const name = column.replace(/[^\w]/g, '.')
  return (table.checks ?? [])
    .filter((c) => new RegExp(`\\b${name}\\b`).test(c))
    .flatMap((c) => [...c.matchAll(/'((?:[^']|'')*)'/g)].map((m) => (m[1] as string).replaceAll("''", "'")))
}
