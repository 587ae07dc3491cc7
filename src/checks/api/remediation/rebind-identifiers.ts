import { boundNames, calleeText, statements } from '../../../model/frameworks/walk.ts'
import type { Route, Surroundings } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'

/** Names under which handlers keep a client of Supabase, in the order in which one is taken. */
const CLIENT_VARIABLE_NAMES = ['supabaseClient', 'supabaseAdmin', 'supabaseService', 'adminClient', 'serviceClient', 'admin', 'db', 'client', 'sb']

/** Code of a fix that asks the database through `supabase`, through the client that the handler has under another name. */
export function throughOwnClient(route: Route, around: Surroundings, fix: Fix): Fix {
  if (!fix.code?.includes('await supabase.')) return fix
  // handlers make it inside of a `try`, where their other locals are not
  const made = around.code(route.path)?.functions.flatMap((f) => statements(f.body).flatMap((x) => (x.k === 'let' && x.to.k === 'name' ? [x.to.name] : [])))
  const names = new Set([...(made ?? []), ...around.names(route.path)])
  const own =
    names.has('supabase') || /\bconst (?:supabase\b|\{[^}]*\bsupabase\b)/.test(fix.code) ? undefined : CLIENT_VARIABLE_NAMES.find((name) => names.has(name))
  return own === undefined ? fix : { ...fix, code: fix.code.replaceAll(/\bsupabase(?=\.)/g, own) }
}

/** Code of a fix that names the caller as the library of the sessions does, by the name under which the handler has whoever is signed in. */
export function callerInScope(route: Route, around: Surroundings, fix: Fix): Fix {
  const { code } = fix
  const js = around.code(route.path)
  const within = js?.functions.filter((f) => f.id !== 0 && f.l >= route.line && f.l <= (route.endLine ?? route.line))
  if (!code || !within?.length || route.kind === 'procedure') return fix
  // what a query has found under such a name is somebody else's row
  const names = new Set([
    ...around.names(route.path),
    ...within.flatMap((f) => [
      ...f.params.flatMap(boundNames),
      ...statements(f.body).flatMap((s) => (s.k === 'let' && s.init && isHelpers(s.init) ? boundNames(s.to) : [])),
    ]),
  ])
  const declares = (name: string) => new RegExp(`\\b(?:const|let) (?:${name}\\b|\\{[^=]*\\b${name}\\b)`).test(code)
  const as = (from: RegExp, to: string): Fix => ({ ...fix, code: code.replaceAll(from, to) })
  if (/\bsession\.user\b/.test(code) && !names.has('session') && !declares('session')) return names.has('user') ? as(/\bsession\.user\b/g, 'user') : fix
  if (/(?<![.\w])user\.id\b/.test(code) && !names.has('user') && !declares('user'))
    return names.has('userId') ? as(/(?<![.\w])user\.id\b/g, 'userId') : names.has('session') ? as(/(?<![.\w])user\.id\b/g, 'session.user.id') : fix
  return fix
}

/** `await getCurrentUser()`, `await auth()`, `await supabase.auth.getUser()`. */
function isHelpers(e: Parameters<typeof calleeText>[0]): boolean {
  const call = e.k === 'await' ? e.of : e
  return call.k === 'call' && (call.fn.k === 'id' || /(?:^|\.)auth\.\w+$/.test(calleeText(call.fn)))
}
