import type { Expr, FunctionId, JavaScriptFacts } from '../../../facts/javascript.ts'
import { walkExpressions } from '../walk.ts'
import { type EntryRules, matching } from './entry-rules.ts'

const START = ['@tanstack/react-start', '@tanstack/start', '@tanstack/solid-start', '@tanstack/vue-start']

/** TanStack Start: routes and their loaders run on both sides; bodies of server functions are replaced by calls. */
export const tanstackStart: EntryRules = {
  name: 'TanStack Start',
  applies: (app) => START.some((p) => app.uses(p)),
  entries: (app) => [
    ...matching(
      app,
      /^(src|app)\/routes\/.*\.[jt]sx?$|^(src|app)\/(router|client|start)\.[jt]sx?$/,
      'client',
      'route of TanStack Start',
      /^(src|app)\/routes\/api\/|\.server\./,
    ),
    ...matching(app, /^(src|app)\/routes\/.*\.[jt]sx?$|^(src|app)\/(router|server|ssr)\.[jt]sx?$/, 'server', 'rendered by TanStack Start'),
  ],
  serverOnly: (rel) => /\.server\.[jt]sx?$/.test(rel),
  strips: (_rel, js) => {
    const functions = serverFunctions(js)
    return functions.size > 0 ? { functions } : undefined
  },
}

/** Functions handed to `createServerFn().handler`, `createMiddleware().server`, `createServerOnlyFn` and `server.handlers` of a route. */
function serverFunctions(js: JavaScriptFacts): Set<FunctionId> {
  const found = new Set<FunctionId>()
  if (!js.imports.some((i) => START.includes(i.from) || /^@tanstack\/(react|solid|vue)-(router|start)/.test(i.from))) return found
  const take = (e: Expr) =>
    walkExpressions(js, e, (x) => {
      if (x.k === 'fn') found.add(x.fn)
    })
  walkExpressions(js, js.functions[0]?.body, (e) => {
    if (e.k !== 'call') return
    if (e.fn.k === 'id' && /^(createServerOnlyFn|serverOnly|createServerFileRoute|createAPIFileRoute)$/.test(e.fn.name)) e.args.forEach(take)
    if (e.fn.k === 'mem' && (e.fn.name === 'handler' || e.fn.name === 'server' || e.fn.name === 'methods')) {
      if (/^(createServerFn|createMiddleware|createIsomorphicFn|createServerFileRoute)$/.test(chainRoot(e.fn.of))) e.args.forEach(take)
    }
    for (const a of e.args) if (a.k === 'obj') for (const p of a.props) if (p.key === 'server' && /^create(File|Root)Route/.test(chainRoot(e.fn))) take(p.value)
  })
  return found
}

/** The name that a chain of calls and members starts from. */
function chainRoot(e: Expr): string {
  let at = e
  for (;;) {
    if (at.k === 'mem') at = at.of
    else if (at.k === 'call') at = at.fn
    else return at.k === 'id' ? at.name : ''
  }
}
