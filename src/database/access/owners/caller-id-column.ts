import type { Catalog, Table } from '../../database.ts'
import { nameOf } from '../policies/read-policies.ts'

type Known = Pick<Catalog, 'tables' | 'policies' | 'functions'>

/** Defaults that make up a new id for every row. */
const GENERATED_ID_DEFAULT = /gen_random_uuid|uuid_generate|nextval|nanoid|cuid|ulid/i

/**
 * Whether a column can hold the id of a signed-in user. The key of a table that makes its ids up itself (`customers(id uuid default
 * gen_random_uuid())`) never does, unless something puts the user's id there, and so do columns that refer to such a key.
 */
export function holdsCallersId(table: Table, column: string, catalog: Known, depth = 0): boolean {
  const key = table.foreignKeys.find((f) => f.columns.length === 1 && f.columns[0] === column)
  if (key) {
    const parent = catalog.tables.find((t) => nameOf(t) === key.references)
    const referenced = key.referencedColumns[0] ?? parent?.primaryKey[0]
    return !parent || parent.stub || referenced === undefined || depth > 4 || holdsCallersId(parent, referenced, catalog, depth + 1)
  }
  const { default: made, identity } = table.columns.find((c) => c.name === column) ?? {}
  if (!identity && !(made && GENERATED_ID_DEFAULT.test(made))) return true
  return isComparedWithCaller(table, column, catalog) || isFilledAtSignUp(table, column, catalog)
}

/**
 * SQL with the caller's id as the application's policies have it: where an outside service signs people in, their ids are no UUIDs, and `auth.uid()`
 * fails on them.
 */
export const inTheirWords = (sql: string, { policies }: Pick<Catalog, 'policies'>): string =>
  sql.includes(ID_AS_TEXT) && policies.some((p) => SUBJECT.test(`${p.using ?? ''} ${p.check ?? ''}`))
    ? sql.replaceAll(ID_AS_TEXT, "(select auth.jwt() ->> 'sub')")
    : sql

const ID_AS_TEXT = '(select auth.uid())::text'
/** As PostgreSQL deparses it. */
const SUBJECT = /auth\.jwt\(\)(?: AS jwt\))? ->> 'sub'/i

/** The columns that say whose a row is; a key that the table makes up itself names the row and no user. */
export function namesOwner(table: Table, catalog: Known): readonly string[] {
  return (table.userData?.ownerColumns ?? []).filter((c) => !table.primaryKey.includes(c) || holdsCallersId(table, c, catalog))
}

/** A policy of the table compares the column with the caller: its author knows that the two can be equal. */
function isComparedWithCaller(table: Table, column: string, { policies }: Known): boolean {
  const [owner, own] = [table.name, column].map((name) => name.replace(/\W/g, '.'))
  const compared = new RegExp(`(?<![\\w.])(?:${owner}\\.)?${own}=auth\\.uid|auth\\.uid=(?:${owner}\\.)?${own}(?!\\w)`)
  const plain = (text = '') => text.replace(/::\w+|\bselect\b|\bas uid\b|[()"\s]/gi, '')
  return policies.some((p) => p.schema === table.schema && p.table === table.name && [p.using, p.check].some((text) => compared.test(plain(text))))
}

/** A function takes over the id of what it is called for: `insert into profiles (id, …) values (new.id, …)`. Where it goes into another column, the key is made up. */
function isFilledAtSignUp(table: Table, column: string, { functions }: Known): boolean {
  const into = new RegExp(`insert\\s+into\\s+(?:"?${table.schema.replace(/\W/g, '.')}"?\\.)?"?${table.name.replace(/[^\w]/g, '.')}"?[\\s(]`, 'i')
  return functions.some(({ body }) => {
    const at = into.exec(body)
    if (!at || !/\bnew\.id\b|\bauth\.uid\(\)/i.test(body)) return false
    const names = /^[^()]{0,200}\(([^()]{1,2000})\)\s*values\b/i.exec(body.slice(at.index))?.[1]
    return names === undefined || names.split(',').some((name) => name.trim().replaceAll('"', '') === column)
  })
}
