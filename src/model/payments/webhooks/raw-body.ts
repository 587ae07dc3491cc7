import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import type { Value } from '../../behaviour/types.ts'
import { calleeText, expressions, propOf } from '../../frameworks/walk.ts'
import type { Route } from '../../routes/routes.ts'

type Sources = ReadonlyMap<string, JavaScriptFacts>

/**
 * Why the bytes that an endpoint verifies are not the ones that were sent: somebody parsed the body before. Undefined when they are,
 * or when the code does not say.
 */
export function parsedBody(route: Route, payload: Value, sources: Sources): string | undefined {
  if (payload.v !== 'request' || payload.name !== undefined || (payload.part !== 'body' && payload.part !== 'raw-body')) return undefined
  const raw = payload.part === 'raw-body'
  switch (route.framework) {
    case 'Express':
      return raw ? withoutRawBody(route, sources) : parsedByExpress(route)
    case 'Fastify':
      return setsUp(sources, isFastifyRawBody) ? undefined : raw ? 'Fastify keeps no raw body without a plug-in' : 'Fastify parses JSON before the handler runs'
    case 'NestJS':
      if (setsUp(sources, isNestRawBody)) return undefined
      return raw ? '`rawBody: true` is not given to `NestFactory.create`, so there is no raw body' : 'NestJS parses JSON before the handler runs'
    case 'Next.js':
      if (/(^|\/)pages\/api\//.test(route.path)) return parsedByPagesRouter(sources.get(route.path), raw)
      break
  }
  // `await request.json()`, `readBody(event)`, `c.req.json()`
  return !raw && READS_ITSELF.has(route.framework) ? 'the handler parses the body and verifies the result' : undefined
}

/** Frameworks that leave the body to the handler. */
const READS_ITSELF: ReadonlySet<string> = new Set([
  'Next.js',
  'SvelteKit',
  'Remix',
  'Astro',
  'Hono',
  'Nuxt',
  'TanStack Start',
  'Expo',
  'Cloudflare Workers',
  'Supabase Edge Functions',
])

/** The first body parser in front of the route reads the stream; those after it see that it was read. */
function parsedByExpress(route: Route): string | undefined {
  for (const { external, at } of route.before) {
    const name = external && /^(express|body-parser)$/.test(external.from) ? external.name.replace(/^default\./, '') : undefined
    if (name === 'raw' || name === 'text') return undefined
    if (name === 'json') return `the JSON parser at ${at.path}:${at.line} runs before the handler`
  }
  return undefined
}

/** `req.rawBody` is there only when somebody keeps it: `express.json({ verify })`, a middleware of one's own, a platform that adds it. */
function withoutRawBody(route: Route, sources: Sources): string | undefined {
  const parser = parsedByExpress(route)
  return parser && !setsUp(sources, keepsRawBody) ? `${parser} and nothing keeps the raw body` : undefined
}

function keepsRawBody(js: JavaScriptFacts, e: Expr): boolean {
  if (e.k === 'obj') return propOf(e, 'verify') !== undefined || propOf(e, 'rawBody') !== undefined
  if (e.k === 'assign') return e.to.k === 'expr' && e.to.expr.k === 'mem' && e.to.expr.name === 'rawBody'
  return js.imports.some((i) => /raw-body|firebase-functions|functions-framework/.test(i.from))
}

/** `export const config = { api: { bodyParser: false } }` leaves the stream alone; without it nothing is left to read. */
function parsedByPagesRouter(js: JavaScriptFacts | undefined, raw: boolean): string | undefined {
  const declared = (js?.functions[0]?.body ?? []).flatMap((s) => (s.k === 'let' && s.to.k === 'name' && s.to.name === 'config' && s.init ? [s.init] : []))[0]
  const config = declared ?? js?.exports.find((x) => x.name === 'config')?.value
  // A configuration that is made elsewhere may say anything.
  if (!js || (config && config.k !== 'obj') || (!config && js.exports.some((x) => x.name === 'config'))) return undefined
  const parser = propOf(propOf(config, 'api'), 'bodyParser')
  const off = parser?.k === 'lit' && parser.v === false
  if (parser && !(parser.k === 'lit' || parser.k === 'obj')) return undefined
  if (!off) return 'Next.js parses the body before the handler runs, unless `config.api.bodyParser` is false'
  return raw ? undefined : '`bodyParser` is off, so `req.body` is empty'
}

function setsUp(sources: Sources, test: (js: JavaScriptFacts, e: Expr) => boolean): boolean {
  for (const js of sources.values()) {
    if (!js.imports.some((i) => /fastify|@nestjs\/|body-parser|express/.test(i.from))) continue
    for (const fn of js.functions) for (const e of expressions(fn)) if (test(js, e)) return true
  }
  return false
}

function isFastifyRawBody(js: JavaScriptFacts, e: Expr): boolean {
  return (e.k === 'call' && /(^|\.)addContentTypeParser$/.test(calleeText(e.fn))) || js.imports.some((i) => /raw-body/.test(i.from))
}

function isNestRawBody(_: JavaScriptFacts, e: Expr): boolean {
  if (e.k === 'obj') return propOf(e, 'rawBody') !== undefined || propOf(e, 'bodyParser') !== undefined
  return (
    e.k === 'call' &&
    (/(^|\.)raw$/.test(calleeText(e.fn)) || (/(^|\.)(json|useBodyParser)$/.test(calleeText(e.fn)) && propOf(e.args[0], 'verify') !== undefined))
  )
}
