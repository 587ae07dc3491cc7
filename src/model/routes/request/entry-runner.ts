import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import type { Runnable, Entry as Runnables, Seed, Value } from '../../behaviour/types.ts'
import type { Before, Calling, Entry } from '../../frameworks/entry.ts'
import { samplePath } from '../../frameworks/path-pattern.ts'
import type { Code } from '../../frameworks/program.ts'

/** A file that does not exist; its only function is run after all middleware, so that its step carries what it takes to get through. */
export const SENTINEL_PATH = '\0reached'

/** The facts of the sentinel: one function that logs. */
export const SENTINEL_FACTS: JavaScriptFacts = {
  directives: [],
  imports: [],
  exports: [],
  comments: [],
  functions: [
    { id: 0, params: [], body: [], l: 1, e: 1 },
    {
      id: 1,
      name: 'reached',
      params: [],
      parent: 0,
      body: [
        {
          k: 'expr',
          l: 1,
          expr: { k: 'call', l: 1, fn: { k: 'mem', l: 1, of: { k: 'id', name: 'console', l: 1 }, name: 'log' }, args: [{ k: 'lit', v: 'reached', l: 1 }] },
        },
      ],
      l: 1,
      e: 1,
    },
  ],
}

const LOCATION: Value = location({ v: 'request', part: 'url', name: 'pathname' })

/** The `to` of a route middleware. */
function location(path: Value): Value {
  return {
    v: 'object',
    props: {
      path,
      fullPath: path,
      href: path,
      params: { v: 'request', part: 'params' },
      query: { v: 'request', part: 'query' },
      meta: { v: 'unknown' },
      name: { v: 'unknown' },
    },
  }
}

/** The path of an entry's file, as if visitors requested it. */
export const routePath = (entry: Entry): string => samplePath(entry.route.replace(/\?\/.*$/, ''))

const parametersIn = (route: string): readonly string[] => [...route.matchAll(/\[([^[\]]+)\]/g)].map((m) => m[1] as string)

/** The request that an entry is for; without a path where the caller chooses it. */
function requestOf(entry: Entry, spelling?: string): NonNullable<Runnables['request']> {
  return {
    ...(entry.anyPage || entry.anyPath !== undefined ? {} : { path: spelling ?? entry.requested?.path ?? routePath(entry) }),
    ...(entry.requested ? { page: { path: routePath(entry), answering: entry.requested.answering } } : {}),
    ...(entry.method && !entry.otherMethods ? { method: entry.method } : {}),
    ...(entry.calling === 'express' && !/\*|\[\[?\.\.\./.test(entry.route) ? { parameters: parametersIn(entry.route) } : {}),
    ...(entry.platformJwt?.on ? { tokenVerified: true as const } : {}),
    ...(entry.metadata ? { metadata: entry.metadata } : {}),
  }
}

const INITIAL_ARGUMENTS: Readonly<Record<Calling, readonly Seed[]>> = {
  'next-route': ['web-request', 'next-context'],
  'next-middleware': ['web-request', 'unknown'],
  // The interpreter knows what the `auth` of the library does.
  'clerk-middleware': [{ v: 'lib', pkg: '@clerk/nextjs/server', name: 'auth' } as unknown as Seed, 'web-request', 'unknown'],
  'clerk-5-middleware': [{ v: 'lib', pkg: '@clerk/nextjs@5/server', name: 'auth' } as unknown as Seed, 'web-request', 'unknown'],
  'clerk-after-auth': [
    {
      v: 'chain',
      root: { v: 'lib', pkg: '@clerk/nextjs/server', name: 'afterAuth' },
      links: [{ name: 'afterAuth', args: [] }],
      at: { path: '', line: 0 },
    } as unknown as Seed,
    'web-request',
    'unknown',
  ],
  'next-api': ['express-req', 'express-res'],
  'next-props': ['pages-context'],
  'next-page': ['next-context'],
  action: ['input', 'input', 'input', 'input', 'input', 'input'],
  fetch: ['web-request', 'unknown'],
  express: ['express-req', 'express-res', 'next-function'],
  'express-param': ['express-req', 'express-res', 'next-function', 'input'],
  fastify: ['fastify-request', 'fastify-reply', 'next-function'],
  hono: ['hono-context', 'next-function'],
  koa: ['koa-context', 'next-function'],
  nest: ['input', 'input', 'input', 'input', 'input'],
  'nest-guard': ['nest-context'],
  remix: ['remix-args', 'next-function'],
  tanstack: ['server-fn-options'],
  'tanstack-middleware': ['server-fn-options'],
  sveltekit: ['kit-event'],
  'sveltekit-handle': ['kit-handle'],
  'sveltekit-remote': ['input', 'unknown'],
  nitro: ['h3-event'],
  'nuxt-middleware': [LOCATION, LOCATION],
  astro: ['astro-context'],
  'astro-middleware': ['astro-context', 'next-function'],
  'astro-page': ['astro-context'],
  'astro-action': ['input', 'astro-context'],
  lambda: ['lambda-event', 'unknown'],
  trpc: ['trpc-options'],
  'trpc-middleware': ['trpc-options'],
  component: [],
}

/** What the interpreter runs for an entry: its middleware, then its handler (for pages without one, the sentinel). */
export function runnablesOf(entry: Entry, spelling?: string): Runnables | undefined {
  const schemas = (entry.schemas ?? []).map((code) => ({ ...runnable(code, entry.calling, []), schema: true as const }))
  const carried = [...(entry.carried ?? [])].map(([name, code]) => ({ ...runnable(code, entry.calling, []), carried: name }))
  const before = [...carried, ...beforeOf(entry, spelling), ...schemas]
  if (!entry.code || (entry.page?.client && entry.calling === 'next-page') || entry.calling === 'component') return undefined
  const handler = runnable(entry.code, entry.calling, entry.args)
  // the code of a page is also what it takes to get past everything before it
  const through = entry.kind === 'page' && !entry.page?.client && !entry.args && !schemas.length && !handler.seeds.includes('next-function')
  return { ...handler, before, ...(through ? { through: SENTINEL } : {}), request: requestOf(entry, spelling), ...(entry.given ? { given: entry.given } : {}) }
}

const SENTINEL: Runnable = { path: SENTINEL_PATH, functionId: 1, seeds: [] }

/** What the interpreter runs to see what it takes to get past everything before a page (and its own loader), where its handler does not tell as well. */
export function gateOf(entry: Entry, spelling?: string, side?: 'browser'): Runnables {
  const own: Runnable[] =
    entry.code && entry.kind === 'page' && !entry.page?.client
      ? [{ ...runnable(entry.code, entry.calling), ...(entry.calling === 'remix' ? { loads: true as const } : {}) }]
      : entry.code && entry.kind === 'page' && entry.calling === 'next-props'
        ? [runnable(entry.code, entry.calling)]
        : []
  return { ...SENTINEL, before: [...beforeOf(entry, spelling), ...own], request: { ...requestOf(entry, spelling), ...(side ? { side } : {}) } }
}

/** Middleware that a framework runs before every request, by the name of its file. */
const EVERYWHERE: ReadonlySet<Calling> = new Set([
  'next-middleware',
  'clerk-middleware',
  'clerk-5-middleware',
  'clerk-after-auth',
  'sveltekit-handle',
  'astro-middleware',
  'nitro',
])

function beforeOf(entry: Entry, spelling?: string): Runnable[] {
  const path = requestOf(entry, spelling).path
  const to = path === undefined ? LOCATION : location({ v: 'const', value: path })
  return entry.before.map((b) => ({
    ...runnable(b.code, b.calling, b.calling === 'nuxt-middleware' ? [to, LOCATION] : undefined),
    ...(b.what === 'loader' && b.calling === 'remix' ? { loads: true as const } : {}),
    ...(b.everywhere || EVERYWHERE.has(b.calling) ? { everywhere: true as const } : {}),
  }))
}

/** What the interpreter runs for one middleware alone. */
export function middlewareAlone(b: Before): Runnables {
  return { ...SENTINEL, before: [runnable(b.code, b.calling)] }
}

function runnable(code: Code, calling: Calling, args?: readonly Seed[]): Runnable {
  const seeds = args ?? INITIAL_ARGUMENTS[calling]
  // guards of libraries are known by their import; what they give to the framework is not
  const gate = calling === 'nest-guard' && code.k === 'fn' ? { gate: true as const } : {}
  return { ...(code.k === 'fn' ? { path: code.path, functionId: code.fn } : { path: code.path, expression: code.expr, scope: code.scope }), seeds, ...gate }
}
