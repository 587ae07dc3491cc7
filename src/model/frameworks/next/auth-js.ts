import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import { developmentOnly } from '../../code/development-only.ts'
import type { Entry, Framework } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { codeOf, type Program } from '../program.ts'
import { expressionsDeep, propOf, stringOf } from '../walk.ts'
import { nextMiddlewareFor } from './next-middleware.ts'

/** NextAuth and Auth.js: a credentials provider is an endpoint of its own, `POST /api/auth/callback/credentials`, that the application's `authorize` answers. */
export const authJs: Framework = {
  name: 'Auth.js',
  entries: (program) =>
    ['next-auth', '@auth/core', '@auth/sveltekit', '@auth/express']
      .flatMap((name) => [...program.importersOf(name)])
      .filter((path, i, all) => all.indexOf(path) === i)
      .sort()
      .flatMap((path) => {
        const js = program.js(path) as NonNullable<ReturnType<Program['js']>>
        const all = [...expressionsDeep(js, 0)]
        const notDeployed = new Set(js.functions.flatMap((fn) => [...developmentOnly(fn, js)]))
        return all.flatMap((x) =>
          notDeployed.has(x.expr) ? [] : provider(program, path, x.scope, x.expr, () => all.some((list) => isOnlyOneOf(list.expr, x.expr))),
        )
      }),
}

/** Whether a configuration lists this provider and no other. */
function isOnlyOneOf(configuration: Expr, call: Expr): boolean {
  const list = propOf(configuration, 'providers')
  return list?.k === 'arr' && list.items.length === 1 && list.items[0] === call
}

function provider(program: Program, path: string, scope: FunctionId, call: Expr, isOnly: () => boolean): Entry[] {
  const authorize = call.k === 'call' ? propOf(call.args[0], 'authorize') : undefined
  if (call.k !== 'call' || !authorize) return []
  const from = program.external(path, scope, call.fn)?.from
  const code = from && /\/providers\/credentials$/.test(from) ? codeOf(program.meaning(path, scope, authorize)) : undefined
  if (!code) return []
  const id = stringOf(propOf(call.args[0], 'id')) ?? 'credentials'
  const route = `${/sveltekit|express/.test(from ?? '') ? '' : '/api'}/auth/callback/${id}`
  const fn = code.k === 'fn' && code.path === path ? program.fn(path, code.fn) : undefined
  return [
    {
      framework: 'Auth.js',
      kind: 'api',
      method: 'POST',
      route,
      subject: routeSubject('POST', route),
      path,
      line: authorize.l,
      ...(fn && fn.e > authorize.l ? { endLine: fn.e } : {}),
      code,
      calling: 'action',
      args: ['input', 'web-request'],
      before: nextMiddlewareFor(program, path, route),
      ...(isOnly() ? { onlySignIn: true } : {}),
    },
  ]
}
