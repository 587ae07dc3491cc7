import { grantsPower } from '../../../database/access/column-authority/privilege-columns.ts'
import type { Table } from '../../../database/database.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { steady } from '../../../lib/memo/stable-reference.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import type { Step } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { makesSameAccount, signsUp } from '../auth-flows/registration.ts'
import { keptApart } from '../object-level/missing-owner-filter.ts'
import { isForAdministrators } from '../remediation/code-conventions.ts'
import { tableOf } from '../shared/violation.ts'

type Schema = Pick<SchemaModel, 'tables'>

/** What the application seals or signs itself, and in which cookie it keeps that. */
const OWN_SEALED_SESSION = /^(?:(iron-session) \w+\(\)|\w+\(\) of a (JSON Web Token))(?:, cookie (\S+))?$/
const ADMINS_COOKIE = /admin|back_?office/i

/** Whether a caller is established by a cookie that is named for administrators. */
export const isInAdministratorsCookie = (how: string | undefined): boolean => how !== undefined && ADMINS_COOKIE.test(OWN_SEALED_SESSION.exec(how)?.[3] ?? '')

/** Tokens that the process gave out and remembers. */
const IN_MEMORY = 'a session kept in memory'

/** Whether all that asks for this is for administrators, by its path. */
const isAskedInAreaAlone = (how: string, routes: readonly Route[]): boolean =>
  routes.every((r) => isForAdministrators(r) || (r.guard?.how !== how && !r.work.some((w) => w.guard?.how === how)))

/** How sessions of Auth.js are asked for, by its old name and its new one. */
const AUTH_JS_SESSION_LABEL = /^(?:next-auth|Auth\.js) /
const ADMINS_TABLE = /^(?:admin(?:istrator)?|staff|back_?office)s?(?:_?(?:user|account|member)s?)?$/i

/**
 * Whether the one way to sign in looks people up among those who run the application, and nobody becomes one of them by asking for it: in a table of
 * administrators, or in one of users who are all equal and see the same rows.
 */
function isAdministratorsSignIn(routes: readonly Route[], schema: Schema): boolean {
  const ways = routes.filter((r) => r.framework === 'Auth.js')
  const queries = ways.flatMap((r) => r.behaviour?.steps.flatMap(({ effect: e }) => (e.kind === 'db' ? [e] : [])) ?? [])
  const tables = queries.map((e) => snakeCase(e.table))
  if (ways.length !== 1 || !ways[0]?.onlySignIn || !tables.length) return false
  if (!tables.every((t) => ADMINS_TABLE.test(t)) && !(queries.every((e) => holdsEquals(tableOf(e, schema))) && !keptApart(routes, schema.tables).size))
    return false
  return !routes.some((r) => !r.guard && !ways.includes(r) && r.behaviour?.steps.some((step) => addsAccount(step, tables) && !makesSameAccount(step)))
}

/** What tells one account from another in what it may do, or whose it is. */
const DISTINCTION = /(^|_)(type|kind|level|group|department|status|approved|active|tenant|store|shop|branch)(_id)?$|^is_/i

/** Whether the rows of a table are users of whom none may do more than another. */
const holdsEquals = (table: Table | undefined): boolean =>
  table !== undefined && !table.userData?.tenantColumns.length && !table.columns.some((c) => grantsPower(c.name) || says(DISTINCTION, c.name))

/** A new row with a password among those in which somebody is looked up who signs in. */
const addsAccount = ({ effect: e }: Step, tables: readonly string[]): boolean =>
  e.kind === 'db' &&
  (e.op === 'insert' || e.op === 'upsert') &&
  tables.includes(snakeCase(e.table)) &&
  (e.payload?.v !== 'object' || Object.keys(e.payload.props).some((column) => /passw|pwd|hash/i.test(column)))

/**
 * The ways to establish a caller that only administrators have: a cookie of their own that the application seals or signs. The seal does not say for
 * which cookie it was made, so where users have one of the same kind theirs opens there as well; and where this is all there is and anybody may
 * sign up, it is everybody's. So is the session of a library whose only way to sign in is a password of theirs.
 */
export const administratorsSessions = rememberFor((routes: readonly Route[], tables: Schema['tables']): ReadonlySet<string> => {
  const ways = new Set(
    routes.flatMap((r) => [r.guard, ...r.work.map((w) => w.guard)]).flatMap((g) => (g && (g.who === 'user' || g.who === 'admin') ? [g.how] : [])),
  )
  const own = [...ways].flatMap((how) => {
    if (how === IN_MEMORY) return [{ how, kind: how, theirs: isAskedInAreaAlone(how, routes) }]
    const [, sealed, signed] = OWN_SEALED_SESSION.exec(how) ?? []
    const kind = sealed ?? signed
    return kind ? [{ how, kind, theirs: isInAdministratorsCookie(how) }] : []
  })
  const apart = new Set(own.flatMap((o) => (o.theirs && !own.some((x) => x.kind === o.kind && !x.theirs) ? [o.how] : [])))
  const open = apart.size === ways.size && routes.some((r) => signsUp(r) && !apart.has(r.guard?.how ?? ''))
  const signIn = isAdministratorsSignIn(routes, { tables }) ? [...ways].filter((how) => AUTH_JS_SESSION_LABEL.test(how)) : []
  return asBefore(new Set([...(open ? [] : apart), ...signIn]))
})

/** What was judged beside the same sessions stays judged. */
const asBefore = steady<ReadonlySet<string>>()
