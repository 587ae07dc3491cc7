import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { lazily } from '../../../lib/memo/lazy.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { calleeText, expressions, stringOf, subExpressions } from '../../frameworks/walk.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import type { Route } from '../routes.ts'
import type { OwnRequest } from './code-context-model.ts'
import { OwnAddresses } from './internal-urls.ts'

/** The requests to a handler, for whoever writes advice about it: who calls decides what can be asked. */
export function requestsTo(
  routes: readonly Route[],
  sources: ReadonlyMap<string, JavaScriptFacts>,
  modules: Pick<ModulesModel, 'inBrowser'>,
): (route: Route) => readonly OwnRequest[] {
  const handlers = new Set(routes.flatMap((r) => (r.kind === 'page' ? [] : [r.path])))
  const asking = lazily(() => new OwnAddresses(sources, requestsIn))
  return rememberFor((route: Route): readonly OwnRequest[] => {
    if (route.kind !== 'api') return []
    return asking()
      .of(route.route)
      .filter((r) => r.path !== route.path && (!r.method || !route.method || r.method === route.method))
      .map(({ path, line, brings }) => ({ path, line, brings, fromServer: handlers.has(path) && !modules.inBrowser(path, line) }))
  })
}

interface Request {
  readonly address: string
  readonly line: number
  /** In capitals; undefined where it cannot be read. */
  readonly method?: string
  readonly brings: boolean
}

/** `fetch('/api/…', { … })` and `fetch(`${base}/api/…`)`. */
const requestsIn = rememberFor((js: JavaScriptFacts): readonly Request[] =>
  js.functions.flatMap((fn) =>
    expressions(fn).flatMap((e): readonly Request[] => {
      if (e.k !== 'call' || !/(?:^|\.)fetch$/.test(calleeText(e.fn))) return []
      const address = addressOf(e.args[0])
      if (address === undefined) return []
      const [, options] = e.args
      if (!options) return [{ address, line: e.l, method: 'GET', brings: false }]
      if (options.k !== 'obj') return [{ address, line: e.l, brings: true }]
      const written = options.props.find((p) => p.key === 'method')?.value
      const method = written ? stringOf(written)?.toUpperCase() : 'GET'
      return [{ address, line: e.l, ...(method ? { method } : {}), brings: bringsSomething(options) }]
    }),
  ),
)

/** The path of an address of the application itself, whatever its own host is read from. */
function addressOf(e: Expr | undefined): string | undefined {
  const written = e?.k === 'tpl' ? e.quasis.join('…') : e && stringOf(e)
  const path = written?.replace(/^…(?=\/)/, '').split(/[?#]/, 1)[0]
  return path?.startsWith('/') && path.length < 200 ? path : undefined
}

/** Headers are handed on whole, or one of them says who calls. */
function bringsSomething(options: Extract<Expr, { k: 'obj' }>): boolean {
  if (options.props.some((p) => p.value.k === 'spread' || p.key === undefined)) return true
  const headers = options.props.find((p) => p.key === 'headers')?.value
  if (!headers) return false
  return (
    headers.k !== 'obj' || headers.props.some((p) => !/^(?:content-type|accept)$/i.test(p.key ?? '')) || subExpressions(headers).some((e) => e.k === 'spread')
  )
}
