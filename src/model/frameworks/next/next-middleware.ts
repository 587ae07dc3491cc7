import type { Expr } from '../../../facts/javascript.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Before, Calling, Middleware } from '../entry.ts'
import { exportedHandler } from '../exported-handlers.ts'
import { matchesSource, samplePath } from '../path-pattern.ts'
import type { Program } from '../program.ts'
import { propOf, stringOf, stringsOf } from '../walk.ts'

const known = new WeakMap<Program, readonly Middleware[]>()

/** The module of next-auth 4 that `withAuth` comes from. */
const WITH_AUTH = 'next-auth/middleware'

/** `middleware.ts` and its successor `proxy.ts`, at the root of the workspace or in `src`; what lies among the routes never runs. */
export function nextMiddleware(program: Program): readonly Middleware[] {
  const before = known.get(program)
  if (before) return before
  const found: Middleware[] = []
  for (const workspace of program.workspaces.all) {
    const prefix = folderPrefix(workspace.dir)
    const folder = middlewareFolder(program, prefix)
    for (const file of ['proxy', 'src/proxy', 'middleware', 'src/middleware', 'app/middleware', 'src/app/middleware'])
      for (const ext of ['ts', 'js', 'mjs', 'tsx', 'mts']) {
        const path = `${prefix}${file}.${ext}`
        const js = program.js(path)
        // Astro has the same file name with `onRequest`.
        if (!js || js.exports.some((e) => e.name === 'onRequest') || program.workspaces.uses('astro', path)) continue
        const h = ['proxy', 'middleware', 'default'].map((n) => exportedHandler(program, path, n)).find((x) => x !== undefined)
        if (!h) continue
        const belongsIn = path.startsWith(folder) && !path.slice(folder.length).includes('/') ? undefined : folder
        const tooEarly = /(?:^|\/)proxy$/.test(file) && isBefore16(program, path)
        const runs = belongsIn === undefined && !tooEarly
        const matcher = runs ? matcherOf(program, path) : { sources: [], at: { path, line: h.line } }
        const external = h.meaning?.k === 'external' ? { from: h.meaning.from, name: h.meaning.name } : undefined
        const callback = wrapped(program, h.code)
        const code = callback?.code ?? h.code ?? ({ k: 'expr', path, scope: 0, expr: { k: 'opaque', l: h.line } } as const)
        found.push({
          framework: 'Next.js',
          workspace: workspace.dir,
          code,
          calling: callback?.calling ?? 'next-middleware',
          at: { path, line: h.line, ...(h.endLine ? { endLine: h.endLine } : {}) },
          what: 'middleware',
          blocks: true,
          ...(external ? { external } : callback?.external ? { external: callback.external } : {}),
          ...(callback?.name ? { name: callback.name } : {}),
          ...(callback?.open ? { open: callback.open } : {}),
          ...(matcher ? { matcher } : {}),
          ...(belongsIn === undefined ? {} : { belongsIn }),
          ...(tooEarly ? { tooEarly: true as const } : {}),
        })
      }
  }
  known.set(program, found)
  return found
}

/** The major version of a package that the manifest of a file's workspace names. */
function majorOf(program: Program, name: string, path: string): number | undefined {
  const { all, of } = program.workspaces
  const wanted = [of(path), all[0]].flatMap((w) => w?.manifest?.dependencies.find((d) => d.name === name)?.range ?? [])[0]
  const major = /^[\^~=v\s]{0,3}(\d{1,3})(?:\.|$)/.exec(wanted ?? '')?.[1]
  return major === undefined ? undefined : Number(major)
}

/** Whether the manifest names a version of Next.js that knows `middleware.ts` (from 12 on) and no `proxy.ts` yet (16). */
function isBefore16(program: Program, path: string): boolean {
  const major = majorOf(program, 'next', path)
  return major !== undefined && major >= 12 && major < 16
}

/** `auth().protect()` of Clerk answered at once before version 6 (https://clerk.com/docs/upgrade-guides/nextjs/v6). */
function callingOfClerk(program: Program, path: string): Calling {
  const major = majorOf(program, '@clerk/nextjs', path)
  return major !== undefined && major < 6 ? 'clerk-5-middleware' : 'clerk-middleware'
}

/**
 * Where Next.js looks for middleware: beside the folder of the routes, which is in `src` only where none lies at the root
 * (https://nextjs.org/docs/app/api-reference/file-conventions/src-folder).
 */
function middlewareFolder(program: Program, prefix: string): string {
  let inSrc = false
  for (const path of program.paths) {
    if (!path.startsWith(prefix)) continue
    const [, src, routes, file] = /^(src\/)?(app|pages)\/(?:.*\/)?([^/]+)\.[cm]?[jt]sx?$/.exec(path.slice(prefix.length)) ?? []
    if (!routes || (routes === 'app' && !/^(?:page|route|layout)$/.test(file ?? ''))) continue
    if (!src) return prefix
    inSrc = true
  }
  return inSrc ? `${prefix}src/` : prefix
}

/** `clerkMiddleware(cb)`, `auth(cb)`, `withAuth(cb)`, `authMiddleware({ publicRoutes })`: what is inside the library's wrapper. */
function wrapped(
  program: Program,
  code: Before['code'] | undefined,
): { code?: Before['code']; calling?: Calling; name?: string; external?: { from: string; name: string }; open?: readonly string[] } | undefined {
  if (code?.k !== 'expr' || code.expr.k !== 'call') return undefined
  const direct = program.external(code.path, code.scope, code.expr.fn)
  // `auth` of an own `NextAuth(config)` instance
  const instance = direct ? undefined : program.meaning(code.path, code.scope, code.expr.fn)
  const maker =
    instance?.k === 'expr' && instance.expr.k === 'mem' && instance.expr.of.k === 'call'
      ? program.external(instance.path, instance.scope, instance.expr.of.fn)
      : undefined
  const external = direct ?? (maker && instance?.k === 'expr' && instance.expr.k === 'mem' ? { from: maker.from, name: instance.expr.name } : undefined)
  if (!external) return undefined
  const first = code.expr.args[0]
  const m = first ? program.meaning(code.path, code.scope, first) : undefined
  const open = external.from === WITH_AUTH ? openBehindWithAuth(program, code) : first?.k === 'obj' ? stringsOf(propOf(first, 'publicRoutes')) : []
  // whoever says what comes after Clerk has read the session also says who is let through: nothing else refuses
  const after = /clerk/.test(external.from) && first ? propOf(first, 'afterAuth') : undefined
  const own = after && program.meaning(code.path, code.scope, after)
  if (own?.k === 'fn')
    return { code: { k: 'fn', path: own.path, fn: own.fn }, calling: 'clerk-after-auth', ...(open.length ? { open, name: 'afterAuth' } : {}) }
  // what its callbacks decide is followed, and what it wraps runs inside of it
  if (external.from === WITH_AUTH) return { ...(open.length ? { open } : {}) }
  return {
    external,
    ...(/clerk/.test(external.from) ? { calling: callingOfClerk(program, code.path) } : {}),
    ...(m?.k === 'fn' ? { code: { k: 'fn' as const, path: m.path, fn: m.fn } } : {}),
    ...(open.length ? { open } : {}),
  }
}

/**
 * What `withAuth` of next-auth 4 lets through before it looks at anything and before it calls what it was given: its own
 * endpoints, and the pages for signing in and for errors (`handleMiddleware` in next-auth/src/next/middleware.ts).
 */
function openBehindWithAuth(program: Program, code: { path: string; scope: number; expr: Expr }): readonly string[] {
  const args = code.expr.k === 'call' ? code.expr.args : []
  const pages = args.flatMap((a) => {
    const m = program.meaning(code.path, code.scope, a)
    return m?.k === 'expr' ? [propOf(m.expr, 'pages')] : []
  })
  return ['/api/auth/:path*', ...pages.flatMap((p) => ['signIn', 'error'].flatMap((name) => stringOf(propOf(p, name)) ?? []))]
}

/** The middleware that runs for a route of a file; a matcher that cannot be decided is taken to match. */
export function nextMiddlewareFor(program: Program, path: string, route: string): Before[] {
  const dir = program.workspace(path).dir
  return nextMiddleware(program).filter(
    (m) =>
      m.workspace === dir &&
      matcherCovers(m.matcher?.sources, samplePath(route)) !== false &&
      !m.open?.some((p) => matchesSource(p, samplePath(route)) === true),
  )
}

/** Whether any source of a matcher covers a path; no matcher covers all. */
export function matcherCovers(sources: readonly string[] | undefined, path: string): boolean | undefined {
  if (!sources) return true
  let unknown = false
  for (const s of sources) {
    const r = matchesSource(s, path)
    if (r) return true
    if (r === undefined) unknown = true
  }
  return unknown ? undefined : false
}

function matcherOf(program: Program, path: string): Middleware['matcher'] {
  const config = program.exported(path, 'config')
  if (config?.k !== 'expr') return undefined
  const matcher = propOf(config.expr, 'matcher')
  if (!matcher) return undefined
  const value = program.meaning(config.path, config.scope, matcher)
  const expr = value?.k === 'expr' ? value.expr : matcher
  const sources = sourcesOf(expr)
  const isEmpty = expr.k === 'arr' && !expr.items.length
  return sources.length || isEmpty ? { sources, at: { path, line: matcher.l, ...(matcher.e ? { endLine: matcher.e } : {}) } } : undefined
}

function sourcesOf(e: Expr): readonly string[] {
  if (e.k === 'arr') return e.items.flatMap(sourcesOf)
  const s = stringOf(e) ?? stringOf(propOf(e, 'source'))
  return s === undefined ? [] : [s]
}
