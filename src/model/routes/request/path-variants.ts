import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import { FREE_PARAMETER } from '../../../lexicon/routes/free-parameter.ts'
import type { Before, Entry, Middleware } from '../../frameworks/entry.ts'
import { matcherCovers } from '../../frameworks/next/next-middleware.ts'
import { samplePath } from '../../frameworks/path-pattern.ts'
import type { Program } from '../../frameworks/program.ts'
import { childrenOf, expressionsDeep } from '../../frameworks/walk.ts'

/** Another way to write the path of a route, which the framework answers with the same handler and a check in front does not know. */
export interface Bypass {
  readonly spelling: string
  /** A library's middleware, which covers every path, still asks for a session: only what the own guard asks beyond that is passed by. */
  readonly signedIn?: true
  /** The middleware is not run for it, where others are the framework's other spellings of the same path. */
  readonly because?: 'matcher'
}

/** Frameworks whose routers take letters of either case, and a slash at the end, for the same path. */
const LENIENT = new Set(['Express', 'Nuxt', 'Remix'])
const PATH = /^(path|pathname|url|originalUrl|fullPath|href|baseUrl)$/

/** Whether another spelling of the path may make a difference: the framework takes several, and something before the handler asks for the path itself. */
export function takesSpellings(program: Program, entry: Entry): boolean {
  if (!LENIENT.has(entry.framework) || (entry.framework === 'Nuxt' && entry.kind !== 'page')) return false
  return entry.before.some((b) => asksForPath(program, b))
}

/** Other spellings that a lenient framework takes for a path. */
export function spellingsOf(path: string): readonly string[] {
  return [path.replace(/[a-z]/, (letter) => letter.toUpperCase()), path.endsWith('/') ? path : `${path}/`].filter((spelling) => spelling !== path)
}

/**
 * The path of a route with a dot in a parameter (`/dashboard/example.org`), for which a matcher of Next.js leaves out middleware that runs for others; with
 * what still stands before it there. Undefined where the dot makes no difference.
 */
export function withDot(entry: Entry): { readonly spelling: string; readonly before: readonly Before[] } | undefined {
  if (entry.framework !== 'Next.js' || entry.anyPage || !FREE_PARAMETER.test(entry.route)) return undefined
  const spelling = samplePath(entry.route, 'example.org')
  const before = entry.before.filter((b) => matcherCovers((b as Partial<Middleware>).matcher?.sources, spelling) !== false)
  return before.length < entry.before.length ? { spelling, before } : undefined
}

/** Whether the code of a middleware reads the path of the request. */
function asksForPath(program: Program, before: Before): boolean {
  const { code } = before
  const js = program.js(code.path)
  if (!js) return false
  const functions = code.k === 'fn' ? [code.fn] : functionsIn(code.expr, 0)
  return functions.some((fn) => [...expressionsDeep(js, fn)].some(({ expr }) => expr.k === 'mem' && PATH.test(expr.name)))
}

/** Functions written into an expression: `defineNuxtRouteMiddleware((to) => …)`. */
function functionsIn(e: Expr, depth: number): readonly FunctionId[] {
  if (e.k === 'fn') return [e.fn]
  return depth > 3 ? [] : childrenOf(e).flatMap((child) => functionsIn(child, depth + 1))
}
