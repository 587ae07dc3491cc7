import type { ExportFact } from '../../facts/javascript.ts'
import type { Code } from './program.ts'
import { codeOf, type Meaning, type Program } from './program.ts'

/** An exported handler: what it means and the lines to show for it. */
export interface ExportedHandler {
  readonly name: string
  readonly meaning: Meaning | undefined
  readonly code: Code | undefined
  readonly line: number
  readonly endLine?: number
}

/** The handler that a file exports under a name; its place is in this file even when it is re-exported from another. */
export function exportedHandler(program: Program, path: string, name: string): ExportedHandler | undefined {
  const js = program.js(path)
  const fact = js?.exports.find((e) => e.name === name)
  if (!js || (!fact && !starExports(js.exports))) return undefined
  const meaning = program.exported(path, name)
  if (!fact && !meaning) return undefined
  const code = codeOf(meaning)
  const own = meaning && 'path' in meaning && meaning.path === path
  const fn = meaning?.k === 'fn' && own ? program.fn(path, meaning.fn) : undefined
  const line = fn?.l ?? (meaning?.k === 'expr' && own && fact?.l === undefined ? meaning.expr.l : (fact?.l ?? 1))
  const end = fn?.e ?? (meaning?.k === 'expr' && own ? (meaning.expr.e ?? meaning.expr.l) : undefined)
  return { name, meaning, code, line: Math.min(line, fact?.value?.l ?? line), ...(end && end > line ? { endLine: end } : {}) }
}

function starExports(exports: readonly ExportFact[]): boolean {
  return exports.some((e) => e.name === '*')
}

/** Methods that handlers are reported for: OPTIONS and HEAD answer no data of their own. */
export const SHOWN_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** True when the workspace of a path (or the root) names one of the packages, any workspace where no path is given, or none has a manifest that could. */
export function frameworkIn(program: Program, path: string | undefined, packages: readonly string[]): boolean {
  if (packages.some((p) => program.workspaces.uses(p, path))) return true
  return !program.workspaces.all.some((w) => w.manifest)
}
