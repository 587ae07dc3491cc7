import type { Expr } from '../../../facts/javascript.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import { nuxtHome } from '../../modules/nuxt-layers.ts'
import type { Before, Entry, Framework, Middleware } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { exportedHandler, frameworkIn } from '../exported-handlers.ts'
import { handlerEntry } from '../handler-entry.ts'
import type { Program } from '../program.ts'
import { expressions, propOf, stringsOf } from '../walk.ts'
import { fileToRoute, type RouteFile, routeFile } from './file-routes.ts'
import { isStatic, nuxtConfig, rateLimiter, ruledMiddleware, supabaseRedirect } from './nuxt-config.ts'

const API = ['server/api', 'app/server/api', 'src/server/api', 'api']
const ROUTES = ['server/routes', 'app/server/routes', 'src/server/routes', 'routes']
const NUXT_PAGE_FOLDERS = ['pages', 'app/pages', 'src/pages']
const NUXT_PACKAGES = ['nuxt', 'nuxt3', 'nitropack', 'nuxt-edge', 'nuxt-nightly']
const METHOD_SUFFIX = /\.(get|post|put|patch|delete|head|options|connect|trace)$/

/** Nuxt and Nitro: files of `server/api` and `server/routes`, server middleware, pages with their route middleware. */
export const nuxt: Framework = {
  name: 'Nuxt',
  entries: (program) => {
    if (!frameworkIn(program, undefined, NUXT_PACKAGES)) return []
    return program.paths.flatMap((path) => {
      const { application: dir, layer } = nuxtHome(path, program.workspaces)
      if (!isNuxt(program, path) && !isNuxt(program, dir === '' ? 'nuxt.config.ts' : `${dir}/nuxt.config.ts`)) return []
      const nitroOnly = !program.workspaces.uses('nuxt', path) && program.workspaces.uses('nitropack', path)
      const api = routeFile(path, layer, nitroOnly ? API : API.slice(0, 3))
      if (api && !path.endsWith('.vue')) return handler(program, path, dir, `api/${api.inside}`)
      const plain = routeFile(path, layer, nitroOnly ? ROUTES : ROUTES.slice(0, 3))
      if (plain && !path.endsWith('.vue')) return handler(program, path, dir, plain.inside)
      const page = path.endsWith('.vue') ? routeFile(path, layer, NUXT_PAGE_FOLDERS) : undefined
      return page ? [pageEntry(program, path, dir, page)] : []
    })
  },
  middleware: (program) =>
    program.workspaces.all.flatMap((w) =>
      w.manifest && !isNuxt(program, w.manifestPath ?? w.dir)
        ? []
        : serverMiddleware(program, w.dir).map((m): Middleware => ({ ...m, framework: 'Nuxt', workspace: w.dir })),
    ),
}

function isNuxt(program: Program, path: string): boolean {
  return frameworkIn(program, path, NUXT_PACKAGES)
}

function handler(program: Program, path: string, dir: string, inside: string): Entry[] {
  const suffix = METHOD_SUFFIX.exec(inside)
  const method = suffix ? (suffix[1] as string).toUpperCase() : undefined
  if (method === 'HEAD' || method === 'OPTIONS') return []
  const route = fileToRoute(suffix ? inside.slice(0, suffix.index) : inside)
  const h = exportedHandler(program, path, 'default')
  if (!h?.code) return []
  // `defineEventHandler(async (event) => …)` is the handler itself.
  return [handlerEntry({ framework: 'Nuxt', route, path, calling: 'nitro', before: serverMiddleware(program, dir) }, h, method)]
}

const middlewareOf = new WeakMap<Program, Map<string, readonly Before[]>>()

/** `server/middleware/*` in the order of their names; each runs for every request and must decide by the path itself. */
function serverMiddleware(program: Program, dir: string): readonly Before[] {
  const known = middlewareOf.get(program) ?? new Map<string, readonly Before[]>()
  middlewareOf.set(program, known)
  const before = known.get(dir)
  if (before) return before
  const prefix = folderPrefix(dir)
  const found = program.paths
    .filter((p) => p.startsWith(prefix) && /^(?:layers\/[^/]+\/)?(?:(?:src|app)\/)?server\/middleware\//.test(p.slice(prefix.length)))
    .flatMap((path): Before[] => {
      const h = exportedHandler(program, path, 'default')
      return h?.code
        ? [{ code: h.code, calling: 'nitro', at: { path, line: h.line, ...(h.endLine ? { endLine: h.endLine } : {}) }, what: 'middleware', blocks: true }]
        : []
    })
  const all = [...rateLimiter(nuxtConfig(program, dir)), ...found]
  known.set(dir, all)
  return all
}

function pageEntry(program: Program, path: string, dir: string, { root, inside }: RouteFile): Entry {
  const route = fileToRoute(inside.replace(/_([A-Za-z]\w*)(?=\/|$)/g, '[$1]').replace(/(^|\/)\[\.\.\.\]$/, '$1[...slug]'))
  const config = nuxtConfig(program, dir)
  // the pages that a page is nested in come with theirs: `a.vue` for `a/b.vue`
  const nested = inside.split('/').map((_, i, parts) => `${root}/${parts.slice(0, i + 1).join('/')}.vue`)
  const names = [...new Set(nested.flatMap((p) => pageMiddleware((program.js(p)?.functions ?? []).flatMap((f) => [...expressions(f)]))))]
  return {
    framework: 'Nuxt',
    kind: 'page',
    method: 'GET',
    route,
    subject: routeSubject('GET', route),
    path,
    line: 1,
    code: { k: 'fn', path, fn: 0 },
    calling: 'component',
    before: [
      ...serverMiddleware(program, dir),
      ...supabaseRedirect(config, route),
      ...routeMiddleware(program, dir, [...ruledMiddleware(config, route), ...names]),
      ...libraryMiddleware(program, path, names),
    ],
    page: { path, client: false, ...(isStatic(config, route) ? { static: true as const } : {}) },
  }
}

/** `definePageMeta({ middleware: ['auth'] })`. */
function pageMiddleware(all: readonly Expr[]): readonly string[] {
  for (const e of all) if (e.k === 'call' && e.fn.k === 'id' && e.fn.name === 'definePageMeta') return stringsOf(propOf(e.args[0], 'middleware'))
  return []
}

const OWN_AUTH = /^(?:(?:app|src)\/)?middleware\/(?:\d+\.)?(?:sidebase-)?auth(?:\.global)?\.[cm]?[jt]s$/

/** The middleware that @sidebase/nuxt-auth gives pages to name; one of the application's own takes its place. */
function libraryMiddleware(program: Program, path: string, names: readonly string[]): Before[] {
  const name = names.find((n) => n === 'auth' || n === 'sidebase-auth')
  const { dir } = program.workspace(path)
  const prefix = folderPrefix(dir)
  const isOwn = (p: string) => p.startsWith(prefix) && OWN_AUTH.test(p.slice(prefix.length))
  if (!name || !program.workspaces.uses('@sidebase/nuxt-auth', path) || program.paths.some(isOwn)) return []
  const code = { k: 'expr', path, scope: 0, expr: { k: 'opaque', l: 1 } } as const
  return [{ code, calling: 'nuxt-middleware', at: { path, line: 1 }, what: 'middleware', blocks: true, external: { from: '@sidebase/nuxt-auth', name } }]
}

/** Route middleware of the application: global ones first, then those that the page names. It runs on the server for the first request. */
function routeMiddleware(program: Program, dir: string, names: readonly string[]): Before[] {
  const prefix = folderPrefix(dir)
  const all = program.paths.flatMap((path) => {
    const m = path.startsWith(prefix) ? /^(?:layers\/[^/]+\/)?(?:(?:app|src)\/)?middleware\//.exec(path.slice(prefix.length)) : null
    if (!m) return []
    const name = path
      .slice(prefix.length + m[0].length)
      .replace(/\.[cm]?[jt]s$/, '')
      .replace(/^\d+\./, '')
    return [{ path, name: name.replace(/\.global$/, '').replace(/\/index$/, ''), global: /\.global$/.test(name) }]
  })
  const kebab = (s: string) => s.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()
  const chosen = [...all.filter((m) => m.global), ...names.flatMap((n) => all.filter((m) => !m.global && kebab(m.name) === kebab(n)))]
  return chosen.flatMap((m): Before[] => {
    const h = exportedHandler(program, m.path, 'default')
    return h?.code ? [{ code: h.code, calling: 'nuxt-middleware', at: { path: m.path, line: h.line }, what: 'middleware', blocks: true }] : []
  })
}
