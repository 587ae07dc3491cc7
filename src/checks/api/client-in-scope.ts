import { statements } from '../../model/frameworks/walk.ts'
import type { Route, Surroundings } from '../../model/routes/routes.ts'
import type { Fix } from '../define-check.ts'

/** Names under which handlers keep a client of Supabase, in the order in which one is taken. */
const CLIENTS = ['supabaseClient', 'supabaseAdmin', 'supabaseService', 'adminClient', 'serviceClient', 'admin', 'db', 'client', 'sb']

/** Code of a fix that asks the database through `supabase`, through the client that the handler has under another name. */
export function throughOwnClient(route: Route, around: Surroundings, fix: Fix): Fix {
  if (!fix.code?.includes('await supabase.')) return fix
  // handlers make it inside of a `try`, where their other locals are not
  const made = around.code(route.path)?.functions.flatMap((f) => statements(f.body).flatMap((x) => (x.k === 'let' && x.to.k === 'name' ? [x.to.name] : [])))
  const names = new Set([...(made ?? []), ...around.names(route.path)])
  const own = names.has('supabase') || /\bconst (?:supabase\b|\{[^}]*\bsupabase\b)/.test(fix.code) ? undefined : CLIENTS.find((name) => names.has(name))
  return own === undefined ? fix : { ...fix, code: fix.code.replaceAll(/\bsupabase(?=\.)/g, own) }
}
