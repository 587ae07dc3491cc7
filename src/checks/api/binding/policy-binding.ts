/** What the policies of a table say of people who write to it themselves: the service role goes past them, and what they ask for nobody asks. */

import type { Policy, Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { referredTo } from '../shared/violation.ts'

const BROWSER_POLICY_ROLE = /^(?:public|authenticated|anon)$/
/** A question for who calls. */
const CALLER_ID_SQL = /\bauth\s*\.\s*(?:uid|jwt)\s*\(|\bcurrent_user_id\s*\(/i
const ROLE_SQL = /\b(?:has_role|is_\w{0,20}admin\w{0,20}|is_\w{0,20}staff|role|roles)\b/i

/**
 * The row above a new one whose owner the policies ask for: `module_id in (select id from modules where … = auth.uid())`. Nothing where one of the ways
 * in asks for neither that nor a role.
 */
export function parentByPolicy(column: string, table: Table, { tables, policies }: Pick<SchemaModel, 'tables' | 'policies'>): Table | undefined {
  const parent = referredTo(table, column, { tables })
  if (!parent || !table.rls.enabled || parent === table) return undefined
  const ways = waysIn(policies).get(`${table.schema}.${table.name}`) ?? []
  const binds = (text: string) => CALLER_ID_SQL.test(text) && hasWord(text, column) && hasWord(text, lastPart(parent.name))
  return ways.some(binds) && ways.every((text) => binds(text) || ROLE_SQL.test(text)) ? parent : undefined
}

/** What new rows have to fulfil, by table. */
const waysIn = rememberFor((policies: readonly Policy[]): ReadonlyMap<string, readonly string[]> => {
  const ways = new Map<string, string[]>()
  for (const p of policies) {
    if (!p.permissive || (p.command !== 'insert' && p.command !== 'all') || !p.roles.some((r) => BROWSER_POLICY_ROLE.test(r))) continue
    const name = `${p.schema}.${p.table}`
    ways.set(name, [...(ways.get(name) ?? []), p.check ?? p.using ?? ''])
  }
  return ways
})

const hasWord = (text: string, word: string): boolean => text.toLowerCase().split(/\W+/).includes(word.toLowerCase())

/** Some policy lets people change rows of the table, and each of them asks who calls. */
export function isKeptForOwners(table: Table, policies: readonly Policy[]): boolean {
  const ways = policies.filter(
    (p) =>
      p.permissive &&
      p.schema === table.schema &&
      p.table === table.name &&
      (p.command === 'update' || p.command === 'all') &&
      p.roles.some((r) => BROWSER_POLICY_ROLE.test(r)),
  )
  return (
    ways.length > 0 &&
    ways.every((p) => CALLER_ID_SQL.test(p.using ?? '') || ROLE_SQL.test(p.using ?? '')) &&
    ways.some((p) => CALLER_ID_SQL.test(p.using ?? ''))
  )
}
