import { minimatch } from 'minimatch'
import type { Expr } from '../../../facts/javascript.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Before } from '../entry.ts'
import { safeRegExp, samplePath } from '../path-pattern.ts'
import type { Program } from '../program.ts'
import { propOf, stringOf, stringsOf } from '../walk.ts'

/** The object given to `defineNuxtConfig`, and its file. */
export interface NuxtConfig {
  readonly path: string
  readonly options: Expr | undefined
}

/** The configuration of the Nuxt application in a folder. */
export function nuxtConfig(program: Program, dir: string): NuxtConfig | undefined {
  const prefix = folderPrefix(dir)
  for (const ext of ['ts', 'js', 'mjs']) {
    const path = `${prefix}nuxt.config.${ext}`
    const m = program.js(path) ? program.exported(path, 'default') : undefined
    if (m?.k === 'expr') return { path, options: m.expr.k === 'call' ? m.expr.args[0] : m.expr }
  }
  return undefined
}

/** `ssr: false` (for all pages or by a route rule), or `target: 'static'` and `mode: 'spa'` of version 2: no server renders the page when it is asked for. */
export function isStatic(config: NuxtConfig | undefined, route: string): boolean {
  const options = config?.options
  return (
    isFalse(propOf(options, 'ssr')) ||
    stringOf(propOf(options, 'target')) === 'static' ||
    stringOf(propOf(options, 'mode')) === 'spa' ||
    routeRules(options, route).some((r) => isFalse(propOf(r, 'ssr')))
  )
}

/** Route middleware that rules name for a page: `appMiddleware: 'auth'`, `['auth']` or `{ auth: true }`. */
export function ruledMiddleware(config: NuxtConfig | undefined, route: string): readonly string[] {
  return routeRules(config?.options, route).flatMap((rule) => {
    const named = propOf(rule, 'appMiddleware')
    return named?.k === 'obj' ? named.props.flatMap((p) => (p.key !== undefined && !isFalse(p.value) ? [p.key] : [])) : stringsOf(named)
  })
}

/** The limiter of `nuxt-security`: on unless switched off, for every request. */
export function rateLimiter(config: NuxtConfig | undefined): Before[] {
  const module = moduleOf(config, 'nuxt-security')
  if (!config || !module) return []
  const options = module.k === 'arr' ? module.items[1] : propOf(config.options, 'security')
  return isFalse(propOf(options, 'rateLimiter')) ? [] : [ofModule(config, module, { from: 'nuxt-security', name: 'rateLimiter' })]
}

/** The redirect of `@nuxtjs/supabase`: on unless switched off, for every page but sign-in, its callback and the exceptions. */
export function supabaseRedirect(config: NuxtConfig | undefined, route: string): Before[] {
  const module = moduleOf(config, '@nuxtjs/supabase')
  if (!config || !module) return []
  const options = module.k === 'arr' ? module.items[1] : propOf(config.options, 'supabase')
  if (isFalse(propOf(options, 'redirect'))) return []
  const chosen = propOf(options, 'redirectOptions')
  const open = [stringOf(propOf(chosen, 'login')) ?? '/login', stringOf(propOf(chosen, 'callback')) ?? '/confirm', ...stringsOf(propOf(chosen, 'exclude'))]
  const included = stringsOf(propOf(chosen, 'include'))
  const path = samplePath(route)
  const matches = (patterns: readonly string[]) => patterns.some((p) => wildcard(p)?.test(path))
  if (matches(open) || (included.length > 0 && !matches(included))) return []
  return [ofModule(config, module, { from: '@nuxtjs/supabase', name: 'redirect' })]
}

/** How a module is listed: its name, or the name with options. */
function moduleOf(config: NuxtConfig | undefined, name: string): Expr | undefined {
  const modules = propOf(config?.options, 'modules')
  return modules?.k === 'arr' ? modules.items.find((i) => stringOf(i) === name || (i.k === 'arr' && stringOf(i.items[0]) === name)) : undefined
}

/** Middleware that a module brings: nothing of the repository to follow. */
function ofModule(config: NuxtConfig, module: Expr, external: { readonly from: string; readonly name: string }): Before {
  return {
    code: { k: 'expr', path: config.path, scope: 0, expr: { k: 'lit', v: null, l: module.l } },
    calling: 'component',
    at: { path: config.path, line: module.l },
    what: 'middleware',
    blocks: true,
    external,
  }
}

const isFalse = (e: Expr | undefined): boolean => e?.k === 'lit' && e.v === false

/** The route rules whose pattern covers a page; `/admin/**` covers `/admin` as well. */
function routeRules(options: Expr | undefined, route: string): readonly Expr[] {
  const rules = propOf(options, 'routeRules')
  const path = samplePath(route)
  const covers = (pattern: string) =>
    pattern.length < 200 && path.length < 200 && (minimatch(path, pattern) || (pattern.endsWith('/**') && path === pattern.slice(0, -3)))
  return rules?.k === 'obj' ? rules.props.flatMap((p) => (p.key !== undefined && covers(p.key) ? [p.value] : [])) : []
}

/** A pattern of the module, in which `*` stands for anything. */
function wildcard(pattern: string): RegExp | undefined {
  return pattern.length < 200 ? safeRegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`) : undefined
}
