import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Before, Entry, Framework, Middleware } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { exportedHandler, frameworkIn, SHOWN_METHODS } from '../exported-handlers.ts'
import { handlerEntry } from '../handler-entry.ts'
import type { Code } from '../program.ts'
import { codeOf, type Program } from '../program.ts'
import { foldersAbove, type RouteFile, routeFile, segmentsToRoute } from './file-routes.ts'
import { mayAwaitParent } from './sveltekit-parent.ts'

const SVELTEKIT_ROUTE_FOLDERS = ['src/routes']

/** SvelteKit: `+server` handlers, pages with their server loads, form actions, remote functions, layouts and `hooks.server`. */
export const sveltekit: Framework = {
  name: 'SvelteKit',
  entries: (program) =>
    program.paths.flatMap((path) => {
      const dir = program.workspace(path).dir
      const file = routeFile(path, dir, SVELTEKIT_ROUTE_FOLDERS)
      const name = path.slice(path.lastIndexOf('/') + 1)
      if (/\.remote\.[jt]s$/.test(name) && frameworkIn(program, path, ['@sveltejs/kit'])) return remoteFunctions(program, path, hooksOf(program, dir))
      if (!file || !name.startsWith('+') || !frameworkIn(program, path, ['@sveltejs/kit'])) return []
      const route = segmentsToRoute(file.inside.split('/').slice(0, -1))
      const hooks = hooksOf(program, dir)
      const routeId = `/${file.inside.split('/').slice(0, -1).join('/')}`
      return entriesOf(program, path, name, file, route, hooks).map((e) => ({ ...e, routeId }))
    }),
  middleware: (program) =>
    program.workspaces.all.flatMap((w) => hooksOf(program, w.dir).map((h): Middleware => ({ ...h, framework: 'SvelteKit', workspace: w.dir }))),
}

function entriesOf(program: Program, path: string, name: string, file: RouteFile, route: string, hooks: readonly Before[]): Entry[] {
  if (/^\+server\.[jt]s$/.test(name)) return [...SHOWN_METHODS, 'fallback'].flatMap((method) => endpoint(program, path, route, method, hooks))
  const above = () => layouts(program, file.root, file.inside)
  if (/^\+page\.server\.[jt]s$/.test(name)) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    // a load that always redirects needs no component beside it
    const alone = exportedHandler(program, path, 'load') && !program.paths.some((p) => p.startsWith(`${folder}+page`) && p.endsWith('.svelte'))
    return [...formActions(program, path, route, hooks), ...(alone ? [page(program, path, route, hooks, above())] : [])]
  }
  if (/^\+layout\.server\.[jt]s$/.test(name)) return layoutLoad(program, path, route, hooks, above())
  if (/^\+page(@[^.]*)?\.svelte$/.test(name)) return [page(program, path, route, hooks, above())]
  return []
}

function endpoint(program: Program, path: string, route: string, method: string, hooks: readonly Before[]): Entry[] {
  const h = exportedHandler(program, path, method)
  if (!h) return []
  return [handlerEntry({ framework: 'SvelteKit', route, path, calling: 'sveltekit', before: hooks }, h, method === 'fallback' ? undefined : method)]
}

/** `export const actions = { default, name }`: each is a POST of its own. Layout loads do not run before them. */
function formActions(program: Program, path: string, route: string, hooks: readonly Before[]): Entry[] {
  const m = program.exported(path, 'actions')
  if (m?.k !== 'expr' || m.expr.k !== 'obj') return []
  return m.expr.props.flatMap((p) => {
    if (!p.key) return []
    const code = codeOf(program.meaning(m.path, m.scope, p.value))
    const fn = code?.k === 'fn' && code.path === path ? program.fn(path, code.fn) : undefined
    return [
      {
        framework: 'SvelteKit',
        kind: 'action' as const,
        method: 'POST',
        route: p.key === 'default' ? route : `${route}?/${p.key}`,
        subject: `action ${path}#${p.key}`,
        path,
        line: p.l,
        ...(fn && fn.e > p.l ? { endLine: fn.e } : {}),
        ...(code ? { code } : {}),
        calling: 'sveltekit' as const,
        before: hooks,
      },
    ]
  })
}

const REMOTE = /^(?:query|form|command|prerender)(?:\.batch|\.live)?$/

/** Exports of a `*.remote` file: `query(schema, fn)`, `form(…)`, `command(…)`; each answers requests of its own, also through a wrapper of the application. */
function remoteFunctions(program: Program, path: string, hooks: readonly Before[]): Entry[] {
  return (program.js(path)?.exports ?? []).flatMap((fact): Entry[] => {
    const h = exportedHandler(program, path, fact.name)
    const m = h?.meaning
    if (!h || m?.k !== 'expr' || m.expr.k !== 'call') return []
    // handed on by a barrel: it is listed where it is written
    if (m.path !== path && /\.remote\.[jt]s$/.test(m.path)) return []
    const made = program.external(m.path, m.scope, m.expr.fn)
    if (made && !(made.from === '$app/server' && REMOTE.test(made.name))) return []
    return [
      {
        framework: 'SvelteKit',
        kind: 'action',
        method: made && /^(?:query|prerender)/.test(made.name) ? 'GET' : 'POST',
        route: `${path}#${fact.name}`,
        subject: `action ${path}#${fact.name}`,
        path,
        line: h.line,
        ...(h.endLine ? { endLine: h.endLine } : {}),
        ...(h.code ? { code: h.code } : {}),
        calling: 'sveltekit-remote',
        anyPage: true,
        before: hooks,
      },
    ]
  })
}

function page(program: Program, path: string, route: string, hooks: readonly Before[], above: readonly Before[]): Entry {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const server = ['ts', 'js'].map((x) => `${folder}/+page.server.${x}`).find((p) => program.js(p))
  const universal = ['ts', 'js'].map((x) => `${folder}/+page.${x}`).find((p) => program.js(p))
  const h = server ? exportedHandler(program, server, 'load') : undefined
  const load = h ?? (universal ? exportedHandler(program, universal, 'load') : undefined)
  const at = h && server ? { path: server, line: h.line } : { path, line: 1 }
  return {
    framework: 'SvelteKit',
    kind: 'page',
    method: 'GET',
    route,
    subject: routeSubject('GET', route),
    ...at,
    ...(h?.endLine ? { endLine: h.endLine } : {}),
    ...(load?.code ? { code: load.code } : {}),
    calling: 'sveltekit',
    // what a page's own load reads is behind the loads above it only when it waits for them
    before: [...hooks, ...(load?.code && mayAwaitParent(program, load.code) ? above.map((b) => ({ ...b, blocks: true })) : above)],
    page: { path, client: false },
  }
}

/**
 * The load of a layout answers by itself: whoever asks for the data of a page (`__data.json`) says which loads are to run, so that neither the page's own
 * check nor, unless it waits for them, those of the layouts above stand before it.
 */
function layoutLoad(program: Program, path: string, route: string, hooks: readonly Before[], above: readonly Before[]): Entry[] {
  const h = exportedHandler(program, path, 'load')
  if (!h?.code) return []
  const before = mayAwaitParent(program, h.code) ? above.filter((b) => b.at.path !== path).map((b) => ({ ...b, blocks: true })) : []
  return [{ ...handlerEntry({ framework: 'SvelteKit', route, path, calling: 'sveltekit', before: [...hooks, ...before] }, h, 'GET'), subject: `file ${path}` }]
}

/** Loads of the layouts above; they run beside the page's own load, so they redirect but guard no data. */
function layouts(program: Program, root: string, inside: string): Before[] {
  const found: Before[] = []
  for (const folder of foldersAbove(inside))
    for (const file of ['+layout.server.ts', '+layout.server.js', '+layout.ts', '+layout.js']) {
      const path = [root, folder, file].filter((p) => p !== '').join('/')
      const h = program.js(path) ? exportedHandler(program, path, 'load') : undefined
      if (h?.code) found.push({ code: h.code, calling: 'sveltekit', at: { path, line: h.line }, what: 'layout', blocks: false })
    }
  return found
}

/** `handle` of `hooks.server`; `sequence(a, b)` is taken apart. */
function hooksOf(program: Program, dir: string): readonly Before[] {
  const prefix = folderPrefix(dir)
  for (const file of ['src/hooks.server.ts', 'src/hooks.server.js', 'src/hooks.server/index.ts', 'src/hooks.ts', 'src/hooks.js']) {
    const path = prefix + file
    const h = program.js(path) ? exportedHandler(program, path, 'handle') : undefined
    if (!h) continue
    return sequence(program, h.code, path, h.line, 0)
  }
  return []
}

function sequence(program: Program, code: Code | undefined, path: string, line: number, depth: number): Before[] {
  if (!code || depth > 6) return []
  if (code.k === 'expr' && code.expr.k === 'call') {
    const callee = program.external(code.path, code.scope, code.expr.fn)
    if (callee?.name === 'sequence')
      return code.expr.args.flatMap((a) => {
        const m = program.meaning(code.path, code.scope, a)
        const at = m?.k === 'fn' ? { path: m.path, line: program.fn(m.path, m.fn)?.l ?? a.l } : { path: code.path, line: a.l }
        if (m?.k === 'external')
          return [
            {
              code: { k: 'expr' as const, path: code.path, scope: code.scope, expr: a },
              calling: 'sveltekit-handle' as const,
              at,
              what: 'hook' as const,
              blocks: true,
              external: { from: m.from, name: m.name },
            },
          ]
        return sequence(program, codeOf(m), at.path, at.line, depth + 1)
      })
  }
  const external = code.k === 'expr' ? program.external(code.path, code.scope, code.expr.k === 'call' ? code.expr.fn : code.expr) : undefined
  return [{ code, calling: 'sveltekit-handle', at: { path, line }, what: 'hook', blocks: true, ...(external ? { external } : {}) }]
}
