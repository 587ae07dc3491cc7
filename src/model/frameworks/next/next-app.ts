import type { FunctionIR } from '../../../facts/javascript.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Before, Entry, Framework } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { exportedHandler, frameworkIn, SHOWN_METHODS } from '../exported-handlers.ts'
import { foldersAbove, type RouteFile, routeFile, segmentsToRoute } from '../file-routed/file-routes.ts'
import { handlerEntry } from '../handler-entry.ts'
import type { Program } from '../program.ts'
import { nextMiddleware, nextMiddlewareFor } from './next-middleware.ts'

const APP_ROUTER_FOLDERS = ['src/app', 'app']

/** Next.js App Router: route handlers, pages under their layouts, server actions. */
export const nextApp: Framework = {
  name: 'Next.js',
  entries: (program) => program.paths.flatMap((path) => [...routeEntries(program, path), ...actionEntries(program, path)]),
  middleware: nextMiddleware,
}

function routeEntries(program: Program, path: string): Entry[] {
  const file = routeFile(path, program.workspace(path).dir, APP_ROUTER_FOLDERS)
  if (!file || !frameworkIn(program, path, ['next'])) return []
  const segments = file.inside.split('/')
  const leaf = segments.pop()
  // `__tests__` is no private folder by intent: a handler there is judged as if it were served.
  // Intercepting routes show a page of another route in place; they answer no path of their own.
  if (segments.some((s) => /^\(\.{1,3}\)/.test(s)) || segments.some((s) => /^_(?!_\w+__$)/.test(s))) return []
  const route = segmentsToRoute(segments)
  if (leaf === 'route') return handlerEntries(program, path, route)
  if (leaf === 'page') return pageEntry(program, path, route, file)
  return []
}

function handlerEntries(program: Program, path: string, route: string): Entry[] {
  return SHOWN_METHODS.flatMap((method) => {
    const h = exportedHandler(program, path, method)
    return h ? [handlerEntry({ framework: 'Next.js', route, path, calling: 'next-route', before: nextMiddlewareFor(program, path, route) }, h, method)] : []
  })
}

function pageEntry(program: Program, path: string, route: string, file: RouteFile): Entry[] {
  const h = exportedHandler(program, path, 'default')
  const client = program.js(path)?.directives.includes('use client') ?? false
  return [
    {
      framework: 'Next.js',
      kind: 'page',
      method: 'GET',
      route,
      subject: routeSubject('GET', route),
      path,
      line: h?.line ?? 1,
      ...(h?.endLine ? { endLine: h.endLine } : {}),
      ...(h?.code ? { code: h.code } : {}),
      calling: 'next-page',
      before: [...nextMiddlewareFor(program, path, route), ...layouts(program, file)],
      page: { path, client },
    },
  ]
}

/** Layouts and templates above a page, root first. */
function layouts(program: Program, file: RouteFile): Before[] {
  const known = layoutsOf.get(program) ?? new Map<string, readonly Before[]>()
  layoutsOf.set(program, known)
  return foldersAbove(file.inside).flatMap((folder) => {
    const dir = [file.root, folder].filter((p) => p !== '').join('/')
    const found = known.get(dir) ?? layoutsIn(program, dir)
    known.set(dir, found)
    return found
  })
}

const layoutsOf = new WeakMap<Program, Map<string, readonly Before[]>>()

/** Client layouts are no check on the server. */
function layoutsIn(program: Program, dir: string): readonly Before[] {
  const found: Before[] = []
  for (const name of ['layout', 'template'])
    for (const ext of ['tsx', 'ts', 'jsx', 'js']) {
      const path = `${folderPrefix(dir)}${name}.${ext}`
      const js = program.js(path)
      if (!js || js.directives.includes('use client')) continue
      const h = exportedHandler(program, path, 'default')
      if (h?.code) found.push({ code: h.code, calling: 'next-page', at: { path, line: h.line }, what: 'layout', blocks: true })
    }
  return found
}

const isRouteHandler = (path: string): boolean => /(?:^|\/)app\/(?:.*\/)?route\.[cm]?[jt]sx?$/.test(path)

/** Server actions: exported functions of a `use server` file, and functions that begin with the directive. */
function actionEntries(program: Program, path: string): Entry[] {
  const js = program.js(path)
  if (!js) return []
  const entries: Entry[] = []
  const seen = new Set<number>()
  // what a route file exports answers its path, whatever directive stands above it
  if (js.directives.includes('use server') && !isRouteHandler(path))
    for (const fact of js.exports) {
      if (fact.name === '*') continue
      const h = exportedHandler(program, path, fact.name)
      if (!h?.code) continue
      // Types and constants that are exported beside actions are no endpoints.
      if (h.meaning?.k === 'expr' && !['call', 'id', 'mem', 'cond', 'fn'].includes(h.meaning.expr.k)) continue
      if (h.meaning?.k === 'fn') seen.add(h.meaning.fn)
      entries.push(action(path, fact.name === 'default' ? 'default' : fact.name, h.line, h.endLine, h.code))
    }
  for (const fn of js.functions)
    if (!seen.has(fn.id) && fn.directives?.includes('use server'))
      entries.push(action(path, fn.name ?? ownerName(js.functions, fn), fn.l, fn.e, { k: 'fn', path, fn: fn.id }))
  return entries
}

/** An anonymous inline action is named after the nearest function with a name. */
function ownerName(functions: readonly FunctionIR[], fn: FunctionIR): string {
  for (let f: FunctionIR | undefined = fn, i = 0; f && i < 64; f = f.parent === undefined ? undefined : functions[f.parent], i++)
    if (f.name) return `${f.name}.action`
  return 'action'
}

function action(path: string, name: string, line: number, endLine: number | undefined, code: Entry['code']): Entry {
  return {
    framework: 'Next.js',
    kind: 'action',
    method: 'POST',
    route: `${path}#${name}`,
    subject: `action ${path}#${name}`,
    path,
    line,
    ...(endLine && endLine > line ? { endLine } : {}),
    ...(code ? { code } : {}),
    calling: 'action',
    anyPage: true,
    before: [],
  }
}
