import type { EnvModel } from '../../../model/env/env.ts'
import type { RoutesModel } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'

/** A password of the application's own that stands in the environment: `ADMIN_PASSWORD`, `DASHBOARD_PIN`, `APP_PASSWORD_HASH`. */
const OWN_PASSWORD =
  /^(?:\w{1,40}_)?(?:ADMIN|OWNER|APP|SITE|DASHBOARD|LOGIN|AUTH|PANEL|STAFF|OPERATOR)_(?:USER_)?(?:PASS(?:WORD|WD|CODE|PHRASE)?|PIN)(?:_(?:HASH|BCRYPT))?$/i
/** Services and libraries that keep accounts. */
const KEEPS_ACCOUNTS =
  /supabase|clerk|auth0|next-?auth|auth\.js|better-auth|firebase|lucia|passport|kinde|workos|cognito|stack|logto|privy|supertokens|appwrite/i
/** Tables of people who sign in, and columns that say whose a row is. */
const USER_OR_SESSION_TABLE = /^(?:app_?|auth_?)?(?:users?|usuarios?|utilisateurs?|profiles?|members?|admins?|sessions?)$/i
const OF_SOMEBODY =
  /^(?:user|owner|author|member|profile|usuario|created_?by|auth_?user|clerk|firebase)_?(?:id|uuid|uid)?$|^pass(?:word|wd)?(?:_?hash|_?digest)?$|^hashed_?password$/i

/**
 * Whether only one person ever signs in: the password stands in the environment, no table holds accounts or says whose a row is, and nothing that keeps
 * accounts guards a handler. Nobody is there then whose rows another could reach.
 */
export function hasOneOperator(routes: RoutesModel, schema: SchemaModel, env: EnvModel): boolean {
  return (
    env.reads.some((r) => OWN_PASSWORD.test(r.name)) &&
    schema.tables.length > 0 &&
    !schema.tables.some((t) => USER_OR_SESSION_TABLE.test(t.name) || t.columns.some((c) => OF_SOMEBODY.test(c.name))) &&
    !routes.routes.some((r) => r.guard && KEEPS_ACCOUNTS.test(r.guard.how))
  )
}
