import type { Expr, FunctionId, Stmt } from '../../facts/javascript.ts'
import type { Program } from './program.ts'
import { blocksOf, childrenOf, exprsOf } from './walk.ts'

/**
 * Whether what a file registers on a router that it is handed is served by nobody: no file imports it, and nothing of its workspace loads
 * files by names that are made up while it runs. What was left behind when the application was put together anew answers no request.
 */
export function isLeftBehind(program: Program, path: string): boolean {
  return program.modules.importers(path).length === 0 && !loadsByName(program, program.workspace(path).dir)
}

/** Whether a file hands a router out by a name that nobody asks for: an application that something starts is no such thing. */
export function isListOnly(program: Program, path: string): boolean {
  const names = program.js(path)?.exports.map((e) => e.name) ?? []
  return names.length > 0 && !names.includes('default') && program.modules.importers(path).length === 0
}

/**
 * Whether a function that a file exports is asked for by nobody: no file imports the name, directly or through files that only hand it on.
 * What stands ready in the repository and was never registered answers no request.
 */
export function isNeverAskedFor(program: Program, path: string, fn: FunctionId): boolean {
  const names = program.js(path)?.exports.flatMap((e) => (e.local !== undefined && e.local === program.fn(path, fn)?.name ? [e.name] : [])) ?? []
  const own = names.length > 0 && !names.includes('default')
  return own && names.every((name) => !isAskedFor(program, path, name, new Set())) && !loadsByName(program, program.workspace(path).dir)
}

function isAskedFor(program: Program, path: string, name: string, seen: Set<string>): boolean {
  const key = `${path}\0${name}`
  if (seen.has(key)) return false
  seen.add(key)
  return program.modules.importers(path).some(({ path: by }) => {
    const js = program.js(by)
    const takes = (from: string | undefined) => from !== undefined && program.modules.resolve(by, from) === path
    const imports = js?.imports.filter((i) => takes(i.from)) ?? []
    const handsOn = js?.exports.filter((e) => takes(e.from)) ?? []
    if (!imports.length && !handsOn.length) return true
    return (
      imports.some((i) => !handsOn.some((e) => e.l === i.l) && (!i.bindings.length || i.bindings.some((b) => b.imported === name || b.imported === '*'))) ||
      handsOn.some((e) =>
        e.name === '*' ? isAskedFor(program, by, name, seen) : e.imported === '*' || (e.imported === name && isAskedFor(program, by, e.name, seen)),
      )
    )
  })
}

const known = new WeakMap<Program, Map<string, boolean>>()

function loadsByName(program: Program, workspace: string): boolean {
  let loads = known.get(program)
  if (!loads) {
    loads = new Map()
    known.set(program, loads)
  }
  let found = loads.get(workspace)
  if (found === undefined) {
    found = program.paths.some((p) => {
      if (program.workspace(p).dir !== workspace || program.modules.side(p) === 'client') return false
      return program.js(p)?.functions.some((f) => f.body.some(loadsIn)) === true
    })
    loads.set(workspace, found)
  }
  return found
}

function loadsIn(s: Stmt): boolean {
  return exprsOf(s).some((e) => loads(e, 0)) || blocksOf(s).some((b) => b.some(loadsIn))
}

/** `import(file)`, `require(join(dir, file))`, and libraries that do so for whole folders. */
function loads(e: Expr, depth: number): boolean {
  if (depth > 40) return true
  if (e.k === 'import' && !isWritten(e.from)) return true
  if (e.k === 'call' && e.fn.k === 'id' && /^(?:require|consign|glob|globSync|autoload|fg)$/.test(e.fn.name) && !(e.args[0] && isWritten(e.args[0])))
    return true
  if (e.k === 'call' && e.fn.k === 'mem' && /^(?:readdir|readdirSync|globSync)$/.test(e.fn.name)) return true
  return childrenOf(e).some((c) => loads(c, depth + 1))
}

const isWritten = (e: Expr): boolean => e.k === 'lit' || (e.k === 'tpl' && e.exprs.length === 0)
