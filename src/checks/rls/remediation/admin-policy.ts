import { createPolicy } from '../../../database/access/fixes/create-policy.ts'
import { readable } from '../../../database/access/sql.ts'
import type { Table } from '../../../database/database.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { keeperOf } from '../../api/principal/role-source.ts'
import { isForAdministrators } from '../../api/remediation/code-conventions.ts'
import type { RoleKeeper } from '../../api/remediation/role-query.ts'

type Model = Pick<AppModel, 'schema' | 'routes'>

/** How a table stays open for those who run the application, as SQL that can stand in a migration, and where their role is kept. */
export interface AdministratorsPolicy {
  readonly code: string
  readonly role: string
}

/**
 * A policy for administrators, whose pages work with the rights of their own session. The role is asked for in a function of the owner's, because a
 * policy that reads a table under row level security sees only what the caller may see, and one on the table itself never ends
 * (https://supabase.com/docs/guides/database/postgres/row-level-security#use-security-definer-functions).
 */
export function administratorsPolicy(model: Model, table: Pick<Table, 'schema' | 'name'>, command: 'select' | 'all'): AdministratorsPolicy | undefined {
  const asked = administratorsCondition(model)
  if (!asked) return undefined
  const { condition, made, role } = asked
  const policy = createPolicy(table, command === 'all' ? 'Administrators manage all rows' : 'Administrators read all rows', command, condition)
  return { code: made ? `${made}\n${policy}` : policy, role }
}

/** How SQL asks whether the caller runs the application; `made` is the function for it, where none is there yet. */
export function administratorsCondition(model: Model): { readonly condition: string; readonly made?: string; readonly role: string } | undefined {
  const functions = model.schema.functions.filter((f) => f.schema === 'public' && !f.stub && /^bool/.test(f.returns))
  const asks = functions.find((f) => /^is_?admin$/i.test(f.name) && f.args.length === 0)
  if (asks) return { condition: `(select public.${readable(asks.name)}())`, role: `public.${asks.name}()` }
  const has = functions.find((f) => /^has_role$/i.test(f.name) && f.args.length === 2)
  if (has) return { condition: `(select public.${readable(has.name)}((select auth.uid()), 'admin'))`, role: `public.${has.name}()` }
  const keeper = haveOtherSessions(model.routes.routes) ? undefined : keeperOf(model.routes.routes, model.schema)
  if (!keeper) return undefined
  const made = `create or replace function public.is_admin() returns boolean\n  language sql stable security definer set search_path = ''\n  as $$ select exists (select 1 from public.${readable(keeper.table)} where ${conditionOf(keeper)}) $$;`
  return { condition: '(select public.is_admin())', made, role: `${keeper.table}.${keeper.column}` }
}

/** Administrators sign in by something else than the platform, so that its database knows none of them: `auth.uid()` is empty for them. */
export const haveOtherSessions = rememberFor((routes: readonly Route[]): boolean => {
  const closed = routes.filter((r) => r.kind !== 'page' && isForAdministrators(r) && r.guard?.trust === 'verified')
  return closed.length > 1 && closed.filter((r) => SUPABASE_SESSION_MARK.test(r.guard?.how ?? '')).length * 2 < closed.length
})

const SUPABASE_SESSION_MARK = /supabase|\bauth\.get(?:User|Claims|Session)\b|gateway/i

function conditionOf({ user, column, flag, granted = ['admin'] }: RoleKeeper): string {
  const own = `${readable(user)} = auth.uid()`
  if (column === user) return own
  const words = granted.map((w) => `'${w.replaceAll("'", "''")}'`)
  return `${own} and ${flag ? readable(column) : words.length === 1 ? `${readable(column)} = ${words[0]}` : `${readable(column)} in (${words.join(', ')})`}`
}
