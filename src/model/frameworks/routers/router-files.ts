import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import { type Program, packageOf } from '../program.ts'
import type { RouterDialect } from './router.ts'

/** Which files of a program register on routers, and in which order they run. */
export interface RouterFiles {
  readonly paths: readonly string[]
  /** The files among them that run before the file itself, because it imports them. */
  before(path: string): readonly string[]
}

type Dialect = Pick<RouterDialect, 'packages' | 'creates'>

const MAX_DEPTH = 6

/**
 * Files that import the library, and those that import a router, or what makes one, from such a file: `import { app } from './app'; app.get(…)`
 * names no library at all.
 */
export function routerFiles(program: Program, dialect: Dialect): RouterFiles {
  const found = new Set(program.paths.filter((p) => dialect.packages.some((d) => program.importersOf(d).has(p))))
  const handing = [...found].filter((p) => handsOut(program, dialect, p))
  for (const path of handing)
    for (const { path: importer } of program.modules.importers(path)) {
      if (found.has(importer) || !program.js(importer)) continue
      found.add(importer)
      // a barrel hands it on, and what is made with it may be a router again
      if (program.js(importer)?.exports.some((e) => e.from) || handsOut(program, dialect, importer)) handing.push(importer)
    }
  return {
    paths: [...found],
    // `require` runs where it stands; what is imported has run before the first statement
    before: (path) =>
      program.js(path)?.imports.flatMap((i) => {
        const target = i.how === 'static' && !i.typeOnly ? program.modules.resolve(path, i.from) : undefined
        return target && found.has(target) ? [target] : []
      }) ?? [],
  }
}

/** Whether a file exports a router that is made in it, or a function that makes one. */
function handsOut(program: Program, dialect: Dialect, path: string): boolean {
  return (
    program.js(path)?.exports.some((e) => {
      const m = e.from ? undefined : program.exported(path, e.name)
      if (m?.k === 'fn') return m.path === path && makesOne(program, dialect, path, m.fn, 0)
      return m?.k === 'expr' && m.path === path && isMade(program, dialect, path, m.scope, m.expr, 0)
    }) === true
  )
}

function makesOne(program: Program, dialect: Dialect, path: string, fn: FunctionId, depth: number): boolean {
  const last = program.fn(path, fn)?.body.findLast((s) => s.k === 'return')
  return last?.k === 'return' && last.value !== undefined && isMade(program, dialect, path, fn, last.value, depth + 1)
}

/** `new Hono()`, `createRouter()`, and either with calls after it. */
function isMade(program: Program, dialect: Dialect, path: string, scope: FunctionId, e: Expr, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (e.k === 'id') {
    const m = program.meaning(path, scope, e)
    return m?.k === 'expr' && m.expr !== e && isMade(program, dialect, m.path, m.scope, m.expr, depth + 1)
  }
  if (e.k !== 'call' && e.k !== 'new') return false
  const from = program.external(path, scope, e.fn)
  if (from) return dialect.creates(packageOf(from.from) ?? from.from, from.name, e.k === 'new')
  if (e.k === 'call' && e.fn.k === 'mem') return isMade(program, dialect, path, scope, e.fn.of, depth + 1)
  const m = program.meaning(path, scope, e.fn)
  return m?.k === 'fn' && makesOne(program, dialect, m.path, m.fn, depth + 1)
}
