import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Before, Entry, Framework, Middleware } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { exportedHandler, frameworkIn, SHOWN_METHODS } from '../exported-handlers.ts'
import { handlerEntry } from '../handler-entry.ts'
import { comparesMethod } from '../method-dispatch.ts'
import type { Code } from '../program.ts'
import { codeOf, type Program } from '../program.ts'
import { propOf, stringOf } from '../walk.ts'
import { fileToRoute, routeFile } from './file-routes.ts'

const ASTRO_PAGE_FOLDERS = ['src/pages']

/** Astro: endpoints, pages, pages whose frontmatter handles POST, actions, `onRequest`. */
export const astro: Framework = {
  name: 'Astro',
  entries: (program) =>
    program.paths.flatMap((path) => {
      const dir = program.workspace(path).dir
      const file = routeFile(path, dir, ASTRO_PAGE_FOLDERS)
      if (file && frameworkIn(program, path, ['astro']) && (path.endsWith('.astro') || program.workspaces.uses('astro', path))) {
        if (file.inside.split('/').some((s) => s.startsWith('_'))) return []
        const route = fileToRoute(file.inside)
        const before = onRequest(program, dir)
        return path.endsWith('.astro') ? pageEntries(program, path, route, before) : endpoints(program, path, route, before)
      }
      return /(^|\/)src\/actions\/index\.[jt]s$|(^|\/)src\/actions\.[jt]s$/.test(path) && program.workspaces.uses('astro', path) ? actions(program, path) : []
    }),
  middleware: (program) =>
    program.workspaces.all.flatMap((w) => onRequest(program, w.dir).map((m): Middleware => ({ ...m, framework: 'Astro', workspace: w.dir }))),
}

function endpoints(program: Program, path: string, route: string, before: readonly Before[]): Entry[] {
  return [...SHOWN_METHODS, 'ALL', 'get', 'post', 'del', 'all'].flatMap((name) => {
    const h = exportedHandler(program, path, name)
    if (!h) return []
    const method = /^all$/i.test(name) ? undefined : name === 'del' ? 'DELETE' : name.toUpperCase()
    return [handlerEntry({ framework: 'Astro', route, path, calling: 'astro', before }, h, method)]
  })
}

function pageEntries(program: Program, path: string, route: string, before: readonly Before[]): Entry[] {
  const js = program.js(path)
  const line = js?.functions[0]?.body.find((s) => s.k !== 'function')?.l ?? 1
  const common = {
    framework: 'Astro',
    route,
    path,
    line,
    code: { k: 'fn' as const, path, fn: 0 },
    calling: 'astro-page' as const,
    before,
    page: { path, client: false, ...(prerendered(program, path) ? { static: true as const } : {}) },
  }
  const get: Entry = { ...common, kind: 'page', method: 'GET', subject: routeSubject('GET', route) }
  if (!comparesMethod(program, path, 0, 'POST')) return [get]
  return [get, { ...common, kind: 'api', method: 'POST', subject: routeSubject('POST', route) }]
}

/** `export const prerender` of the page, else the output of the configuration (static by default). */
function prerendered(program: Program, path: string): boolean {
  const m = program.exported(path, 'prerender')
  if (m?.k === 'expr' && m.expr.k === 'lit') return m.expr.v === true
  const dir = program.workspace(path).dir
  const prefix = folderPrefix(dir)
  for (const ext of ['mjs', 'ts', 'js', 'mts']) {
    const config = program.js(`${prefix}astro.config.${ext}`) ? program.exported(`${prefix}astro.config.${ext}`, 'default') : undefined
    if (config?.k !== 'expr') continue
    const options = config.expr.k === 'call' ? config.expr.args[0] : config.expr
    const output = stringOf(propOf(options, 'output'))
    return output !== 'server'
  }
  return false
}

function onRequest(program: Program, dir: string): readonly Before[] {
  const prefix = folderPrefix(dir)
  for (const file of ['src/middleware.ts', 'src/middleware.js', 'src/middleware.mjs', 'src/middleware/index.ts', 'src/middleware/index.js']) {
    const path = prefix + file
    const h = program.js(path) && program.workspaces.uses('astro', path) ? exportedHandler(program, path, 'onRequest') : undefined
    if (h) return sequence(program, h.code, path, h.line, 0)
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
        return sequence(program, codeOf(m) ?? { k: 'expr', path: code.path, scope: code.scope, expr: a }, at.path, at.line, depth + 1)
      })
    // defineMiddleware(fn)
    const inner = callee?.name === 'defineMiddleware' && code.expr.args[0] ? codeOf(program.meaning(code.path, code.scope, code.expr.args[0])) : undefined
    if (inner) return sequence(program, inner, path, line, depth + 1)
    if (callee) return [{ code, calling: 'astro-middleware', at: { path, line }, what: 'middleware', blocks: true, external: callee }]
  }
  return [{ code, calling: 'astro-middleware', at: { path, line }, what: 'middleware', blocks: true }]
}

/** `export const server = { name: defineAction({ handler }) }`. */
function actions(program: Program, path: string): Entry[] {
  const m = program.exported(path, 'server')
  if (m?.k !== 'expr' || m.expr.k !== 'obj') return []
  const out: Entry[] = []
  const read = (mm: { path: string; scope: number }, e: typeof m.expr, prefix: string, depth: number): void => {
    if (e.k !== 'obj' || depth > 3) return
    for (const p of e.props) {
      if (!p.key) continue
      const v = program.meaning(mm.path, mm.scope, p.value)
      if (v?.k !== 'expr') continue
      if (v.expr.k === 'obj') read(v, v.expr, `${prefix}${p.key}.`, depth + 1)
      const h = v.expr.k === 'call' ? propOf(v.expr.args[0], 'handler') : undefined
      const code = h ? codeOf(program.meaning(v.path, v.scope, h)) : undefined
      if (code)
        out.push({
          framework: 'Astro',
          kind: 'action',
          method: 'POST',
          route: `/_actions/${prefix}${p.key}`,
          subject: `action ${v.path}#${prefix}${p.key}`,
          path: v.path,
          line: h?.l ?? v.expr.l,
          code,
          calling: 'astro-action',
          anyPage: true,
          before: onRequest(program, program.workspace(path).dir),
        })
    }
  }
  read(m, m.expr, '', 0)
  return out
}
