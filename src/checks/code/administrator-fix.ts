import type { RoutesModel } from '../../model/routes/routes.ts'
import type { SchemaModel } from '../../model/schema/schema-model.ts'
import { keeperOf } from '../api/principal/role-source.ts'
import { grantedWords, type RoleKeeper, roleRows } from '../api/remediation/role-query.ts'

/** What takes the place of one person's address where code asks who may administer. */
export interface AdministratorFix {
  readonly text: string
  readonly code?: string
}

/**
 * Where the application keeps who administers it, its own checks come first; after them a table that says so. A claim of the platform's tokens is offered
 * only where the platform signs people in: elsewhere nobody has it.
 */
export function administratorFix({ routes }: RoutesModel, schema: SchemaModel): AdministratorFix {
  const keeper = keeperOf(routes, schema)
  if (keeper)
    return {
      text: `The application keeps who administers it in ${keeper.table}.${keeper.column}: ask there, by the id that the verified session says, and see that only the server writes it.`,
      code: asked(keeper),
    }
  if (routes.some((r) => SUPABASE_SESSION_CALL.test(r.guard?.how ?? '')))
    return {
      text: 'Keep the role in a claim that only the server sets, give it to the accounts that administer today, and check it.',
      code: "const isAdmin = user?.app_metadata?.role === 'admin' // user: as the verified session says",
    }
  return { text: 'Keep in the database who administers, in a column that only the server writes, and ask there by the id that the verified session says.' }
}

/** A session of the platform is asked for (`supabase.auth.getUser`). */
const SUPABASE_SESSION_CALL = /\bauth\.get(?:User|Claims|Session)\b/

/** Written for the platform's client, which most applications ask with; the words say the same for any other. */
function asked(keeper: RoleKeeper): string {
  const { user, column, flag, listed } = keeper
  const row = `const { data } = ${roleRows(keeper, 'supabase', 'user.id')}`
  if (listed && column === user) return `${row}\nconst isAdmin = Boolean(data?.length)`
  return flag
    ? `${row}\nconst isAdmin = data?.some((r) => r.${column}) ?? false`
    : `${row}\nconst isAdmin = data?.some((r) => [${grantedWords(keeper).join(', ')}].includes(r.${column})) ?? false`
}
