import type { Expr, FunctionId, Stmt } from '../../../facts/javascript.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Program } from '../program.ts'
import { blocksOf, childrenOf, exprsOf } from '../walk.ts'

/**
 * Whether what a file registers on a router that it is handed is served by nobody: no file imports it, and nothing of its workspace loads
 * files by names that are made up while it runs. What was left behind when the application was put together anew answers no request.
 */
export function isLeftBehind(program: Program, path: string): boolean {
  return program.modules.importers(path).length === 0 && !loadsByName(program, program.workspace(path).dir)
}

/** Whether a file is imported by nobody, under a name that the code writes down or one that it makes up: nothing mounts a router that it makes. */
export function isNeverImported(program: Program, path: string): boolean {
  return program.modules.importers(path).length === 0 && !importsByName(program, topFolder(program, path))
}

/** The folder of a workspace below which a file stands; the workspace itself for what stands in it. */
function topFolder(program: Program, path: string): string {
  const prefix = folderPrefix(program.workspace(path).dir)
  const end = path.indexOf('/', prefix.length)
  return end < 0 ? prefix : path.slice(0, end + 1)
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

/** Whether something on the server of a workspace imports files by names that are made up while it runs, or lists files, after which it may. */
const loadsByName = someFile(
  (program, workspace, p) => program.workspace(p).dir === workspace,
  (s) => has(s, (e) => imports(e) || lists(e)),
)
/** The same of imports alone, by what stands in the same folder of the workspace or in the workspace itself: scripts beside the application load none of it. */
const importsByName = someFile(
  (program, folder, p) => {
    const other = topFolder(program, p)
    return other === folder || (folder.startsWith(other) && other === folderPrefix(program.workspace(p).dir))
  },
  (s) => has(s, imports),
)

function someFile(
  belongs: (program: Program, where: string, path: string) => boolean,
  loads: (s: Stmt) => boolean,
): (program: Program, where: string) => boolean {
  const known = new WeakMap<Program, Map<string, boolean>>()
  return (program, where) => {
    const answers = known.get(program) ?? new Map<string, boolean>()
    known.set(program, answers)
    let found = answers.get(where)
    if (found === undefined) {
      found = program.paths.some(
        (p) => belongs(program, where, p) && program.modules.side(p) !== 'client' && program.js(p)?.functions.some((f) => f.body.some(loads)) === true,
      )
      answers.set(where, found)
    }
    return found
  }
}

function has(s: Stmt, asked: (e: Expr) => boolean): boolean {
  return exprsOf(s).some((e) => holds(e, asked)) || blocksOf(s).some((b) => b.some((x) => has(x, asked)))
}

/** However deep: a template is filled in by a chain of fifty `.replace()`. */
function holds(whole: Expr, asked: (e: Expr) => boolean): boolean {
  const open = [whole]
  for (let e = open.pop(); e; e = open.pop()) {
    if (asked(e)) return true
    open.push(...childrenOf(e))
  }
  return false
}

/** `import(file)`, `require(join(dir, file))`, and libraries that do so for whole folders. */
function imports(e: Expr): boolean {
  if (e.k === 'import') return !isWritten(e.from)
  return e.k === 'call' && e.fn.k === 'id' && /^(?:require|consign|glob|globSync|autoload|fg)$/.test(e.fn.name) && !(e.args[0] && isWritten(e.args[0]))
}

const lists = (e: Expr): boolean => e.k === 'call' && e.fn.k === 'mem' && /^(?:readdir|readdirSync|globSync)$/.test(e.fn.name)

const isWritten = (e: Expr): boolean => e.k === 'lit' || (e.k === 'tpl' && e.exprs.length === 0)
