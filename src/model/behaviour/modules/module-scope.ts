import type { Expr, FunctionId, FunctionIR, Pattern } from '../../../facts/javascript.ts'
import { boundNames, eachStatement } from '../../frameworks/walk.ts'
import { raise } from '../control-flow/throw.ts'
import { isNullish, makeShared, Scope, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { member } from '../domain/members.ts'
import { UNNARROWED } from '../domain/narrowing.ts'
import { COUNTS, countsBetweenRequests } from '../idioms/in-memory-counter.ts'
import { declarationPart, exportPart } from '../incremental/file-parts.ts'
import type { Interpreter } from '../interpreter.ts'
import { loadedModels } from '../libraries/databases/orm-models.ts'
import { native } from '../native.ts'
import { bind, classValue, evaluate, functionValue } from '../operations.ts'
import type { Given } from '../types.ts'
import { connectedLater } from './late-initialization.ts'
import { declareLazily, evaluateOnce, type LazyEvaluation, UNFINISHED } from './program.ts'

/** Nodes of code that a value of a module may take: the same for whichever entry asks for it first, because the value is for all. */
const MODULE_FUEL = 60_000

/** Evaluates module-level code: no effects, no path, values kept for all entries. */
export function quietly<T>(it: Interpreter, run: () => T): T {
  const { pc, narrowed, journal, tries, via, lastRespond, lastEnd, fuel, hazards } = it
  const frames = it.frames.splice(0)
  it.quiet++
  it.pc = []
  it.narrowed = UNNARROWED
  it.journal = undefined
  it.tries = []
  it.via = []
  it.fuel = MODULE_FUEL
  it.frames.push({ key: 'module', name: undefined, path: '', base: [], returns: [], open: [], openSteps: 0, async: true, tries: 0 })
  try {
    return run()
  } finally {
    it.quiet--
    it.frames.length = 0
    it.frames.push(...frames)
    Object.assign(it, { pc, narrowed, journal, tries, via, lastRespond, lastEnd, fuel, hazards })
  }
}

/** Evaluates what a module holds, for all entries. */
export const evaluateAlone = (it: Interpreter, expr: Expr, scope: Scope): Val => makeShared(() => alone(it, () => evaluate(it, expr, scope)))

/** Takes back what evaluation wrote to names of modules: their values must not depend on what was asked for before. */
export function alone(it: Interpreter, run: () => Val): Val {
  let value: Val = UNKNOWN
  const { end } = it.branch(undefined, () => {
    value = run()
  })
  if (end) throw end
  return value
}

function lazily(it: Interpreter): LazyEvaluation {
  // The interpreter that first reads a name evaluates it; the value holds nothing of that run.
  return {
    pattern: (to, stmt, scope) =>
      quietly(it, () => {
        try {
          const counted = to.k === 'name' && countsBetweenRequests(it, to.name, stmt.init, scope)
          bind(it, to, counted ? COUNTS : stmt.init ? evaluateAlone(it, stmt.init, scope) : UNDEFINED, scope, stmt.l)
        } catch {
          // the declaration throws for certain; its names stay unknown
        }
      }),
    assigned: (name, body, scope, begins) =>
      quietly(it, () => {
        const found: Val[] = []
        eachStatement(body, 4, (s) => {
          if (s.k !== 'expr' || s.expr.k !== 'assign' || s.expr.op !== '=' || s.expr.to.k !== 'name' || s.expr.to.name !== name) return
          const { value } = s.expr
          found.push(safely(() => evaluateAlone(it, value, scope)))
        })
        const values = found.filter((x) => !isNullish(x))
        if (!values.length) {
          const connected = scope.parent ? undefined : connectedLater(it, scope.path, name, (value, inside) => insideFunction(it, scope.path, value, inside))
          return connected ?? (begins ? evaluateAlone(it, begins, scope) : UNDEFINED)
        }
        return it.alternatives(values.map((value) => ({ value, under: [] })))
      }),
    func: (path, id, scope) => functionValue(it, path, id, scope),
    members: (name, body, scope) => {
      for (const s of body) {
        if (s.k !== 'expr' || s.expr.k !== 'assign' || s.expr.op !== '=' || s.expr.to.k !== 'expr') continue
        const { expr: target } = s.expr.to
        if (target.k !== 'mem' || target.of.k !== 'id' || target.of.name !== name) continue
        const { value } = s.expr
        putMember(scope, name, target.name, () => quietly(it, () => safely(() => evaluateAlone(it, value, scope))))
      }
    },
    cls: (stmt, scope) => classValue(it, stmt.class, stmt.name ?? '', scope),
  }
}

/** `auth.optional = …` beside `const auth = …`: functions, classes and objects that a module completes after it made them. */
function putMember(scope: Scope, owner: string, name: string, value: () => Val): void {
  const of = scope.vars.get(owner)
  if (of?.v === 'object') scope.vars.set(owner, { ...of, props: { ...of.props, [name]: value() } })
  else if (of?.v === 'fn') of.scope.vars.set(`${of.id}.${name}`, value())
  else if (of?.v === 'class') of.statics.vars.set(name, value())
}

/** The value of an expression in a function that is not run; undefined where there is none. */
function insideFunction(it: Interpreter, path: string, value: Expr, id: FunctionId): Val | undefined {
  const scope = scopeOfFunction(it, path, id)
  try {
    return scope && evaluateAlone(it, value, scope)
  } catch {
    return undefined
  }
}

function safely(run: () => Val): Val {
  try {
    return run()
  } catch {
    return UNKNOWN
  }
}

/** The module scope of a file of the repository. */
export function moduleScope(it: Interpreter, path: string): Scope | undefined {
  const { program } = it
  const facts = program.partly(path)
  const known = program.scopes.get(path)
  if (known) return known
  const body = facts?.functions[0]
  if (!facts || !body) return undefined
  const scope = new Scope(path, undefined, true)
  program.scopes.set(path, scope)
  declareLazily(body, scope, { ...lazyOf(it) })
  for (const i of facts.imports) {
    if (i.typeOnly) continue
    for (const b of i.bindings) {
      if (i.how === 'require') {
        scope.lazy?.set(b.local, () => {
          const whole = requireModule(atWork(it), path, i.from)
          return b.imported === '*' || b.imported === 'default' ? whole : member(atWork(it), whole, b.imported, { path, line: i.l })
        })
      } else scope.lazy?.set(b.local, () => importedValue(atWork(it), path, i.from, b.imported))
    }
  }
  return scope
}

/** The interpreter that is at work; module scopes outlive the run that made them. */
let active: Interpreter | undefined

/** The interpreter that is at work now, where another one may have made what is evaluated. */
export const atWork = (it: Interpreter): Interpreter => active ?? it

export function withInterpreter<T>(it: Interpreter, run: () => T): T {
  const before = active
  active = it
  try {
    return run()
  } finally {
    active = before
  }
}

function lazyOf(it: Interpreter): LazyEvaluation {
  const now = () => lazily(atWork(it))
  return {
    pattern: (...a) => now().pattern(...a),
    assigned: (...a) => now().assigned(...a),
    func: (...a) => now().func(...a),
    cls: (...a) => now().cls(...a),
    members: (...a) => now().members(...a),
  }
}

/** The scope inside a function that is not run itself: entries written in `register(app) { app.get('/x', handler) }`. */
export function scopeOfFunction(it: Interpreter, path: string, id: number): Scope | undefined {
  const fn = id === 0 ? undefined : it.program.facts(path)?.functions[id]
  if (!fn) return moduleScope(it, path)
  const key = `${path} ${id}`
  const known = it.program.functionScopes.get(key)
  if (known) return known
  const parent = scopeOfFunction(it, path, fn.parent ?? 0)
  const scope = new Scope(path, parent, true)
  it.program.functionScopes.set(key, scope)
  declareLazily(fn, scope, lazyOf(it))
  declareParameters(it, fn, scope, it.program.given.get(key))
  return scope
}

/** Parameters are what the one call gives that puts the application together; what nothing gives is unknown. */
function declareParameters(it: Interpreter, fn: FunctionIR, scope: Scope, given: Given | undefined): void {
  fn.params.forEach((p, i) => {
    const arg = given?.args[i]
    if (!given || !arg) {
      if (p.k === 'name') scope.vars.set(p.name, UNKNOWN)
      return
    }
    for (const name of boundNames(p))
      scope.lazy?.set(name, () => {
        const now = atWork(it)
        return quietly(now, () => safely(() => bound(now, p, givenValue(now, given, i), name, scope, fn.l)))
      })
  })
}

/** What a function was given at a position. */
export function givenValue(it: Interpreter, given: Given, index: number): Val {
  const arg = given.args[index]
  const from = arg && scopeOfFunction(it, given.from.path, given.from.scope)
  return arg && from ? evaluateAlone(it, arg, from) : UNKNOWN
}

/** What a name of a pattern is when the pattern is bound to a value. */
function bound(it: Interpreter, to: Pattern, value: Val, name: string, scope: Scope, line: number): Val {
  const inside = new Scope(scope.path, scope)
  bind(it, to, value, inside, line)
  return inside.vars.get(name) ?? UNKNOWN
}

/** What `import { imported } from 'from'` gives. Entries are run as on a deployed server: it neither builds nor develops, and is no browser. */
export function importedValue(it: Interpreter, path: string, from: string, imported: string): Val {
  const file = it.program.resolve(path, from)
  if (generatedPrisma(it, from, file)) return { v: 'lib', pkg: '@prisma/client', name: imported }
  if (file && it.program.exists(file)) {
    if (imported === '*') return { v: 'namespace', path: file }
    const value = exportedValue(it, file, imported)
    if (value) return value
    const main = exportedValue(it, file, 'default')
    if (main && imported !== 'default') return member(it, main, imported, { path, line: 1 })
    return imported === 'default' ? { v: 'namespace', path: file } : isMissing(it, file, imported) ? missing(imported, file) : UNKNOWN
  }
  const bare = packageName(from)
  // what Nuxt gives to every file by itself can be imported by name, too
  if (from === '#imports' || from === '#app') {
    const auto = it.program.autoImport(path, imported)
    return (auto && exportedValue(it, auto.path, auto.imported)) ?? { v: 'global', name: imported }
  }
  if (/^\$env\/static\//.test(from)) return { v: 'env', name: imported }
  if (/^\$env\/dynamic\//.test(from) && imported === 'env') return { v: 'global', name: 'process.env' }
  if (/^(?:\$app\/env(?:ironment)?|esm-env)$/.test(from) && /^(?:building|dev|browser)$/i.test(imported)) return { v: 'const', value: false }
  if (bare === 'process' && imported === 'env') return { v: 'global', name: 'process.env' }
  return { v: 'lib', pkg: isPrismas(imported) ? '@prisma/client' : bare, name: imported }
}

/** Wherever the generator was told to write to (`output = "../src/db/client"`), what it writes there has this name. */
const isPrismas = (imported: string): boolean => imported === 'PrismaClient'

/** `npm:@supabase/supabase-js@2`, `https://esm.sh/stripe@12?target=deno`, `node:crypto` → the package's name with its subpath. */
export function packageName(specifier: string): string {
  let s = specifier.replace(/^(?:npm:|jsr:|node:)/, '')
  // Node's modules as Deno's standard library had them: `https://deno.land/std@0.168.0/node/crypto.ts`
  const ofNode = /^https:\/\/deno\.land\/std(?:@[\w.]{1,20})?\/node\/(\w{1,30})\.ts$/.exec(s)
  if (ofNode) return ofNode[1] as string
  const url = /^https?:\/\/(?:esm\.sh|cdn\.skypack\.dev|cdn\.jsdelivr\.net\/npm|unpkg\.com|esm\.run|ga\.jspm\.io\/npm:|deno\.land\/x)\/(.*)$/.exec(s)
  if (url) s = (url[1] as string).replace(/^(?:v\d+|stable|npm)\//, '')
  s = s.replace(/\?[\s\S]*/, '')
  const [, name = s, rest = ''] = /^((?:@[^/]{1,300}\/)?[^/@]{1,300})(?:@[^/]{0,300})?((?:\/.*)?)$/.exec(s) ?? []
  return /\.[cm]?[jt]s$/.test(rest) && url ? name : name + rest
}

const GENERATED_PRISMA =
  /\/(?:generated\/(?:[\w-]{0,40}prisma[\w-]{0,40}|client)|prisma[\w-]{0,40}\/(?:generated|client)(?:\/client)?|prisma-client)(?:\/(?:client|index|browser|edge|default|sql|wasm))?(?:\.[cm]?[jt]s)?$/i

/**
 * Prisma writes its client where the schema's generator says (`@/generated/prisma`, `../prisma/generated/client`), mostly
 * into a folder that is not committed: it is the package, and what is written into a folder of that name is not read.
 */
function generatedPrisma(it: Interpreter, specifier: string, file: string | undefined): boolean {
  if (!GENERATED_PRISMA.test(specifier) || /^(?:npm:)?@prisma\//.test(specifier)) return false
  return /\/generated\//.test(`${specifier}/`) || !file || !it.program.exists(file)
}

/** What `require('from')` gives. */
export function requireModule(it: Interpreter, path: string, from: string): Val {
  const file = it.program.resolve(path, from)
  if (generatedPrisma(it, from, file)) return { v: 'lib', pkg: '@prisma/client', name: '*' }
  if (file && it.program.exists(file)) {
    const main = exportedValue(it, file, 'default')
    return main && !it.program.exportsNames(file) ? main : { v: 'namespace', path: file }
  }
  return { v: 'lib', pkg: packageName(from), name: '*' }
}

export function importedModule(it: Interpreter, path: string, from: string): Val {
  const file = it.program.resolve(path, from)
  if (generatedPrisma(it, from, file)) return { v: 'lib', pkg: '@prisma/client', name: '*' }
  if (file && it.program.exists(file)) return { v: 'namespace', path: file }
  return { v: 'lib', pkg: packageName(from), name: '*' }
}

/** Whether a module certainly exports no such name: it exports others, nothing wholesale, and all of it is read. */
const isMissing = (it: Interpreter, file: string, name: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(file) &&
  !/\.d\.[cm]?ts$/.test(file) &&
  it.program.exportsNames(file) &&
  it.program.starsOf(file).length === 0 &&
  it.program.exportOf(file, name) === undefined

/** What is imported although nobody exports it is undefined: to call it throws, and nothing behind that runs. */
const missing = (name: string, file: string): Val =>
  native(name, (it, _args, at) => {
    it.gap(at, `${name} is imported from ${file}, which exports no such name`)
    return raise(it, UNKNOWN, at)
  })

/** The value that a file exports under a name, through re-exports; undefined when it exports no such name. */
export function exportedValue(it: Interpreter, path: string, name: string, depth = 0): Val | undefined {
  const { exports, reads } = it.program
  const key = exportPart(path, name)
  reads.part(key)
  const known = exports.get(key)
  if (known === null) reads.unfinished(path, name)
  if (known !== undefined) return known ?? undefined
  if (depth > 12) return undefined
  exports.set(key, null)
  const value = reads.evaluating({ owner: path, name, reader: key }, () => findExport(it, path, name, depth))
  exports.set(key, value ?? null)
  if (!value) exports.delete(key)
  return value
}

function findExport(it: Interpreter, path: string, name: string, depth: number): Val | undefined {
  const found = it.program.exportOf(path, name)
  if (found) {
    if (name === 'default' && loadsModels(it, path)) return loadedModels({ path, line: found.l })
    if (found.from !== undefined) return importThrough(it, path, found.from, found.imported ?? name, depth)
    const scope = moduleScope(it, path)
    if (!scope) return undefined
    if (found.value) return quietly(it, () => safely(() => evaluateAlone(it, found.value as NonNullable<typeof found.value>, scope)))
    const local = found.local ?? name
    return readModuleName(it, scope, local)
  }
  if (name === 'default') return undefined
  for (const e of it.program.starsOf(path)) {
    if (e.from === undefined) continue
    const file = it.program.resolve(path, e.from)
    const value = file ? exportedValue(it, file, name, depth + 1) : undefined
    if (value) return value
  }
  return undefined
}

/** The index of a folder of Sequelize's models, as its command line makes it: it loads whatever file lies beside it, and hands all of them out by name. */
function loadsModels(it: Interpreter, path: string): boolean {
  if (!/(?:^|\/)models\/index\.[cm]?[jt]s$/.test(path)) return false
  const from = it.program.facts(path)?.imports.map((i) => i.from) ?? []
  return from.includes('sequelize') && from.some((f) => /^(?:node:)?fs$/.test(f))
}

function readModuleName(it: Interpreter, scope: Scope, name: string): Val | undefined {
  it.program.reads.part(declarationPart(scope.path, name))
  const known = scope.vars.get(name)
  if (known === UNFINISHED) it.program.reads.unfinished(scope, name)
  if (known) return known
  const lazy = scope.lazy?.get(name)
  return lazy && evaluateOnce(it.program, scope, name, lazy)
}

function importThrough(it: Interpreter, path: string, from: string, imported: string, depth: number): Val | undefined {
  const file = it.program.resolve(path, from)
  if (!file) return importedValue(it, path, from, imported)
  if (imported === '*') return { v: 'namespace', path: file }
  return exportedValue(it, file, imported, depth + 1)
}
