import { rememberFor } from '../../lib/remember-for.ts'
import { snakeCase } from '../../lib/snake-case.ts'
import { steady } from '../../lib/steady.ts'
import type { Route } from '../../model/routes/routes.ts'
import { makesSameAccount, registers, signsUp } from './registration.ts'

/** What the application seals or signs itself, and in which cookie it keeps that. */
const OWN = /^(?:(iron-session) \w+\(\)|\w+\(\) of a (JSON Web Token))(?:, cookie (\S+))?$/
const ADMINS_COOKIE = /admin|back_?office/i

/** Whether a caller is established by a cookie that is named for administrators. */
export const isInAdministratorsCookie = (how: string | undefined): boolean => how !== undefined && ADMINS_COOKIE.test(OWN.exec(how)?.[3] ?? '')

/** How sessions of Auth.js are asked for, by its old name and its new one. */
const AUTH_JS = /^(?:next-auth|Auth\.js) /
const ADMINS_TABLE = /^(?:admin(?:istrator)?|staff|back_?office)s?(?:_?(?:user|account|member)s?)?$/i

/** Whether the one way to sign in looks people up among the administrators alone, and nobody becomes one by asking for it. */
function isAdministratorsSignIn(routes: readonly Route[]): boolean {
  const ways = routes.filter((r) => r.framework === 'Auth.js')
  const tables = ways.flatMap((r) => r.behaviour?.steps.flatMap(({ effect: e }) => (e.kind === 'db' ? [snakeCase(e.table)] : [])) ?? [])
  if (ways.length !== 1 || !ways[0]?.onlySignIn || !tables.length || !tables.every((t) => ADMINS_TABLE.test(t))) return false
  return !routes.some((r) => {
    const account = r.guard ? undefined : registers(r)
    return account?.effect.kind === 'db' && tables.includes(snakeCase(account.effect.table)) && !makesSameAccount(account)
  })
}

/**
 * The ways to establish a caller that only administrators have: a cookie of their own that the application seals or signs. The seal does not say for
 * which cookie it was made, so where users have one of the same kind theirs opens there as well; and where this is all there is and anybody may
 * sign up, it is everybody's. So is the session of a library whose only way to sign in is a password of theirs.
 */
export const administratorsSessions = rememberFor((routes: readonly Route[]): ReadonlySet<string> => {
  const ways = new Set(
    routes.flatMap((r) => [r.guard, ...r.work.map((w) => w.guard)]).flatMap((g) => (g && (g.who === 'user' || g.who === 'admin') ? [g.how] : [])),
  )
  const own = [...ways].flatMap((how) => {
    const [, sealed, signed] = OWN.exec(how) ?? []
    const kind = sealed ?? signed
    return kind ? [{ how, kind, theirs: isInAdministratorsCookie(how) }] : []
  })
  const apart = new Set(own.flatMap((o) => (o.theirs && !own.some((x) => x.kind === o.kind && !x.theirs) ? [o.how] : [])))
  const open = apart.size === ways.size && routes.some((r) => signsUp(r) && !apart.has(r.guard?.how ?? ''))
  const signIn = isAdministratorsSignIn(routes) ? [...ways].filter((how) => AUTH_JS.test(how)) : []
  return asBefore(new Set([...(open ? [] : apart), ...signIn]))
})

/** What was judged beside the same sessions stays judged. */
const asBefore = steady<ReadonlySet<string>>()
