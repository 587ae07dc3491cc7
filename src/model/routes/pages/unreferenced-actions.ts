import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { expressions } from '../../frameworks/walk.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import { loadedNames } from '../code-context/loaded-names.ts'
import { usesExport } from '../limits/limiter-of-pages.ts'
import type { Route } from '../routes.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve' | 'definition' | 'side'>

/**
 * Server actions that only other server code calls, or nobody, marked as such: a file of helpers begins with `use server` as if that kept it on the server.
 * They are endpoints all the same, but no page holds the id by which one is called.
 */
export function withUnlinkedActions(routes: readonly Route[], modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): readonly Route[] {
  // where no action is used by anything, what uses them is elsewhere: a package, or the part of the application that is still to come
  const used = routes.some((r) => r.kind === 'action' && modules.importers(r.path).some(({ path }) => !TEST_FILE.test(path)))
  return routes.map((route) => {
    const by = used ? usedOnlyBy(route, modules, javascript) : undefined
    return by === undefined ? route : by === 'server' ? unlinked(route) : unused(route)
  })
}

/** One object for as long as the route is the same: what was judged of it stays judged. */
const unlinked = rememberFor((route: Route): Route => ({ ...route, unlinked: 'server' }))
const unused = rememberFor((route: Route): Route => ({ ...route, unlinked: 'nobody' }))

function usedOnlyBy(route: Route, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): Route['unlinked'] {
  const js = javascript.get(route.path)
  if (route.kind !== 'action' || route.framework !== 'Next.js' || !js?.directives.includes('use server')) return undefined
  const name = exportedAs(route)
  if (DRAWN_BY_FRAMEWORK.test(route.path)) return undefined
  // what draws something may hand any of its functions to what it draws
  if (/x$/.test(route.path) && !isOnlyCalled(js, new Set([name]), new Set(), name)) return undefined
  const users = usersOf(route, modules, javascript)
  if (!users) return undefined
  if (!users.length) return 'nobody'
  return users.every(
    (path) => modules.side(path) !== 'client' && modules.side(path) !== 'both' && (!/x$/.test(path) || onlyCalls(path, route.path, name, modules, javascript)),
  )
    ? 'server'
    : undefined
}

/** What a server action is called, which is under what its file exports it. */
const exportedAs = ({ subject }: Route): string => subject.slice(subject.lastIndexOf('#') + 1)

/** The files that use a server action of another file; undefined where one of them may use anything that a barrel holds. */
export function usersOf(route: Route, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): readonly string[] | undefined {
  const name = exportedAs(route)
  return importersThroughBarrels(route.path, modules, javascript)?.filter(
    (path) => usesExport(path, route.path, name, modules, javascript) || loadsExport(path, route.path, name, modules, javascript),
  )
}

/** Nobody has to import a page for it to be used. */
const DRAWN_BY_FRAMEWORK = /(?:^|\/)(?:page|layout|template|default|error|loading|not-found)\.[jt]sx?$/

/** Whether a file may take an export of another one that it loads while it runs. */
function loadsExport(path: string, of: string, name: string, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): boolean {
  const js = javascript.get(path)
  if (!js) return true
  return [...loadedNames(js)].some(([specifier, names]) => {
    const file = names.has(name) || names.has('*') ? modules.resolve(path, specifier) : undefined
    return file !== undefined && (file === of || modules.definition(file, name)?.path === of)
  })
}

/** Everybody who imports a file, or a barrel that hands on what the file exports; undefined where one takes all of a barrel at once. */
function importersThroughBarrels(of: string, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): readonly string[] | undefined {
  const found = new Set<string>()
  const handsOn = new Set([of])
  for (const file of handsOn)
    for (const { path } of modules.importers(file)) {
      if (TEST_FILE.test(path)) continue
      if (passesOn(path, file, modules, javascript)) handsOn.add(path)
      if (file !== of && takesWhole(path, file, modules, javascript)) return undefined
      found.add(path)
    }
  return [...found]
}

const takesWhole = (path: string, of: string, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): boolean =>
  javascript.get(path)?.imports.some((i) => i.bindings.some((b) => b.imported === '*') && modules.resolve(path, i.from) === of) ?? true

/** Whether a file that draws pages calls an action while it does so and hands it to nothing in them: no form, no component, no other file. */
function onlyCalls(path: string, of: string, name: string, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): boolean {
  const js = javascript.get(path)
  if (!js) return false
  const locals = new Set<string>()
  const wholes = new Set<string>()
  for (const { from, bindings } of js.imports)
    for (const b of bindings)
      if (b.imported === name) locals.add(b.local)
      else if (b.imported === '*' && modules.resolve(path, from) === of) wholes.add(b.local)
  const own = [...locals, ...wholes]
  if (!own.length || js.exports.some((e) => e.local !== undefined && own.includes(e.local))) return false
  return isOnlyCalled(js, locals, wholes, name, true)
}

/** Whether a function is never named but to call it, under its own names or as a member of what holds all of its module. */
function isOnlyCalled(js: JavaScriptFacts, locals: ReadonlySet<string>, wholes: ReadonlySet<string>, name: string, somewhere = false): boolean {
  // `emails.send(…)` of `import * as emails`: what else it is used for hands out every function
  const isNamed = (e: Expr) => (e.k === 'id' && locals.has(e.name)) || (e.k === 'mem' && e.name === name && e.of.k === 'id' && wholes.has(e.of.name))
  let [named, called, whole, members] = [0, 0, 0, 0]
  for (const fn of js.functions)
    for (const e of expressions(fn)) {
      if (isNamed(e)) named++
      if (e.k === 'call' && isNamed(e.fn)) called++
      if (e.k === 'id' && wholes.has(e.name)) whole++
      if (e.k === 'mem' && e.of.k === 'id' && wholes.has(e.of.name)) members++
    }
  return (called > 0 || !somewhere) && named === called && whole === members
}

const TEST_FILE = /(?:^|[/.])(?:__tests__|tests?|spec)[/.]/

function passesOn(path: string, of: string, modules: Modules, javascript: ReadonlyMap<string, JavaScriptFacts>): boolean {
  return javascript.get(path)?.exports.some((e) => e.from !== undefined && modules.resolve(path, e.from) === of) ?? true
}
