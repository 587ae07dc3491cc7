/**
 * What `app.register(plugin)` of Fastify brings. A plug-in is a function that is given an application: a context of its own under a prefix, whose hooks
 * hold for nobody else, or the same one through `fastify-plugin`.
 */
import type { Expr } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Before } from '../entry.ts'
import { joinPaths } from '../path-pattern.ts'
import { type Meaning, type Program, packageOf } from '../program.ts'
import { propOf, stringOf } from '../walk.ts'
import { autoloaded } from './fastify-autoload.ts'
import { isFastifyLimiter, isGlobal } from './fastify-limits.ts'
import { type Following, type Here, MAX_DEPTH } from './registration-context.ts'
import { Router } from './router.ts'
import { writtenPaths } from './written-paths.ts'

/** Enters the plug-in that a call registers, or each that a loader finds in a folder; one of a package is kept as it is. */
export function registerPlugin(follow: Following, here: Here, target: Router, e: Extract<Expr, { k: 'call' }>): void {
  const { program } = follow
  const [plugin, options] = e.args
  if (!plugin || here.depth > MAX_DEPTH) return
  const given = program.meaning(here.path, here.scope, plugin)
  if (given?.k === 'external' && packageOf(given.from) === '@fastify/autoload') {
    const above = stringOf(propOf(propOf(options, 'options'), 'prefix')) ?? '/'
    for (const file of autoloaded(program, here.path, options)) {
      const { meaning, shared } = unwrapped(program, file.meaning)
      if (meaning?.k !== 'fn') continue
      const context = contextOf(target, shared, joinPaths(above, file.prefix), { path: here.path, line: e.l })
      follow.enter(meaning.path, meaning.fn, [context], here.depth + 1)
    }
    return
  }
  const { meaning, shared } = unwrapped(program, given)
  if (meaning?.k === 'external') usePackage(follow, here, target, e, meaning)
  if (meaning?.k !== 'fn') return
  const [prefix = '/'] = writtenPaths(program, here.path, here.scope, propOf(options, 'prefix'))
  const context = contextOf(target, shared, prefix, { path: here.path, line: e.l })
  if (options) follow.givens.note(meaning.path, meaning.fn, { path: here.path, scope: here.scope }, [options, options], [true])
  follow.enter(meaning.path, meaning.fn, [context], here.depth + 1)
  if (follow.isAwaited(e)) target.registrations.push({ k: 'loaded' })
}

/** `fp(plugin)`: what is in it shares the context of whoever registers it. */
function unwrapped(program: Program, plugin: Meaning | undefined): { readonly meaning: Meaning | undefined; readonly shared: boolean } {
  if (plugin?.k !== 'expr' || plugin.expr.k !== 'call' || !plugin.expr.args[0]) return { meaning: plugin, shared: false }
  const wrapper = program.external(plugin.path, plugin.scope, plugin.expr.fn)
  if (!wrapper || !/fastify-plugin$/.test(packageOf(wrapper.from) ?? '')) return { meaning: plugin, shared: false }
  return { meaning: program.meaning(plugin.path, plugin.scope, plugin.expr.args[0]), shared: true }
}

/** The context in which a plug-in registers: its own, mounted under the prefix and knowing what was added so far, or the shared one. */
function contextOf(target: Router, shared: boolean, prefix: string, at: Place): Router {
  if (shared) return target
  const context = new Router(at)
  context.mounted = true
  for (const [name, code] of target.decorated) context.decorated.set(name, code)
  target.registrations.push({ k: 'mount', paths: [prefix], router: context, befores: [], upTo: context.registrations.length })
  return context
}

/** A plug-in of a package runs before the routes that come after it; which one it is says what it does. */
function usePackage(
  { dialect, isAwaited }: Following,
  { path, scope }: Here,
  target: Router,
  e: Extract<Expr, { k: 'call' }>,
  { from, name }: Extract<Meaning, { k: 'external' }>,
): void {
  const [plugin, options] = e.args
  if (!plugin) return
  const limits = isFastifyLimiter(from)
  if (limits && !isGlobal(options)) return
  const code = { k: 'expr', path, scope, expr: plugin } as const
  const before: Before = { code, calling: dialect.calling, at: { path, line: e.l }, what: 'middleware', blocks: true, external: { from, name } }
  const holds = limits ? { from: isAwaited(e) ? ('here' as const) : ('next-plugin' as const) } : {}
  target.registrations.push({ k: 'use', paths: ['/'], befores: [before], ...holds })
}
