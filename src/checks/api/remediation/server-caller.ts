import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import type { Place } from '../../../lib/place.ts'
import type { Route, Surroundings } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import { headerOf } from './service-secret.ts'

/**
 * The check of an edge function that pages call, with the server let through that calls it as well: other functions and statements of the database have
 * no session, and a check that asks for one alone would shut them out.
 */
export function besideServer(fix: Fix, route: Route, around: Surroundings): Fix {
  const from = calledByServer(route, around)
  // code that was made for this handler may let it through already
  if (!from || /\bthey bring the key of the server\b/.test(fix.text)) return fix
  const { imports, body } = partsOf(fix.code ?? '')
  const usesCaller = /\buser\.id\b/.test(fix.text) && /\buser\b/.test(body)
  const told = usesCaller ? fix.text.replaceAll('user.id', '`callerId`') : fix.text
  const text = `${told} ${from.path}:${from.line} calls it from the server as well, where nobody is signed in: let through who brings the key of the server, and see that this call sends it as a bearer token${'anonKey' in from ? ' (it brings the anon key now)' : ''}.`
  if (!body) return { ...fix, text }
  const code = [
    ...imports,
    "const serverKey = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')",
    `const byServer = !!serverKey && ${headerOf(route, 'Authorization')} === \`Bearer \${serverKey}\``,
    ...(usesCaller ? ['let callerId: string | undefined // whoever is signed in; the server says for whom it calls'] : []),
    'if (!byServer) {',
    ...body.split('\n').map((line) => (line ? `  ${line}` : line)),
    ...(usesCaller ? ['  callerId = user.id'] : []),
    '}',
  ].join('\n')
  return { ...fix, text, language: 'ts', code }
}

/** The call of another function or of the database. */
function calledByServer(route: Route, around: Surroundings): Place | undefined {
  if (route.kind !== 'edge-function') return undefined
  const name = route.subject.replace(/^function /, '')
  const own = route.path.slice(0, route.path.lastIndexOf('/') + 1)
  return around.callersOf(name).find((p) => inEdgeFunctions(p.path) && !p.path.startsWith(own)) ?? around.timetable.byDatabase.get(name)
}

/** Imports stand at the top of the file, whatever the rest is put into. */
function partsOf(code: string): { readonly imports: readonly string[]; readonly body: string } {
  const lines = code.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const body = lines.filter((line) => !line.startsWith('import ')).join('\n')
  return { imports: imports.length ? [...imports, ''] : [], body: body.trim() }
}
