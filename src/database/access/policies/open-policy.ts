import type { Catalog, Policy, Table } from '../../database.ts'
import { holdsCallersId } from '../owners/caller-id-column.ts'
import { isMeantToBeSeen } from '../row-audience/public-content.ts'

/** A condition that every account meets, as the database deparses it. */
const ANYBODY = /^\(*(?:true|auth\.role\(\) = 'authenticated'::text|auth\.uid\(\) IS NOT NULL|\( ?SELECT auth\.uid\(\) AS uid\) IS NOT NULL)\)*$/i

/** Whether a policy lets in whoever signs in. */
export function isForAnybody({ permissive, roles, command, using, check }: Policy): boolean {
  if (!permissive || !roles.some((r) => /^(?:public|anon|authenticated)$/i.test(r))) return false
  const asked = command === 'insert' ? check : using
  return asked !== undefined && ANYBODY.test(asked.trim())
}

/** Whether a policy lets whoever signs in write any row, or read any where rows are somebody's. */
export const isOpenPolicy = (policy: Policy, table: Table): boolean =>
  isForAnybody(policy) && (policy.command !== 'select' || (table.userData !== undefined && !isMeantToBeSeen(table)))

/** `au.id = auth.uid()`, of a table that the condition gives that other name. */
const USERS_ALIAS_COMPARISON = /\b(\w{1,63})\.(\w{1,63}) = (?:auth\.uid\(\)|\( SELECT auth\.uid\(\) AS uid\))/g

/** A column that a policy asks to be the caller's id and that never is, in a table that has the id of its user elsewhere. */
export function neverTheCaller(
  { using = '', check = '' }: Policy,
  catalog: Catalog,
): { readonly table: string; readonly column: string; readonly user?: string } | undefined {
  const text = `${using} ${check}`
  // one way of several may be met all the same
  if (/\bOR\b/.test(text)) return undefined
  for (const [, alias = '', column = ''] of text.matchAll(USERS_ALIAS_COMPARISON)) {
    const name = new RegExp(`\\b(\\w{1,63}) ${alias}\\b`).exec(text.replaceAll(/\b(?:AS|FROM|JOIN) /g, ''))?.[1]
    const table = catalog.tables.find((t) => t.name === name) ?? catalog.tables.find((t) => t.name === alias)
    const keyed = table?.primaryKey.includes(column) && table.primaryKey.length === 1
    const user = table?.columns.find((c) => c.name === 'user_id' || c.name === 'auth_user_id' || c.name === 'auth_id')?.name
    if (table && keyed && user && !table.stub && !holdsCallersId(table, column, catalog)) return { table: table.name, column, user }
  }
  return undefined
}
