import type { FactsIndex } from '../../facts/facts.ts'
import type { ClassIR, Expr, FunctionId, FunctionIR, ImportFact, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import type { ByFile } from '../../lib/memo/collect-by-file.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import { existencePart, exportPart, functionPart, namePart } from '../behaviour/incremental/file-parts.ts'
import { Reads } from '../behaviour/incremental/read-tracking.ts'
import { type FilesModel, sourceFiles } from '../files/files.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { Workspace, WorkspacesModel } from '../workspaces/workspaces.ts'
import { boundNames, statements } from './walk.ts'

/** What a name finally means. */
export type Meaning =
  | { readonly k: 'fn'; readonly path: string; readonly fn: FunctionId }
  | { readonly k: 'expr'; readonly path: string; readonly scope: FunctionId; readonly expr: Expr }
  | { readonly k: 'class'; readonly path: string; readonly scope: FunctionId; readonly class: ClassIR; readonly line: number }
  | { readonly k: 'external'; readonly from: string; readonly name: string }
  | { readonly k: 'namespace'; readonly path: string }
  /** A parameter of a function: known only where it is called. */
  | { readonly k: 'param'; readonly path: string; readonly scope: FunctionId; readonly index: number }

const DEPTH = 24
const NO_FUNCTIONS: ReadonlySet<string> = new Set()

const importedPackages = collectByCodeFile((_, js: JavaScriptFacts) => {
  const packages = new Set(js.imports.flatMap((i) => (i.typeOnly ? [] : (packageOf(i.from) ?? []))))
  return packages.size ? packages : undefined
})

const importersByPackage = rememberFor((imported: ByFile<ReadonlySet<string>>): ReadonlyMap<string, ReadonlySet<string>> => {
  const importers = new Map<string, Set<string>>()
  for (const [path, packages] of imported)
    for (const name of packages) {
      const known = importers.get(name)
      if (known) known.add(path)
      else importers.set(name, new Set([path]))
    }
  return importers
})

/** The facts of the source files, with names followed through scopes, imports and barrels. */
export class Program {
  readonly facts: FactsIndex
  readonly files: FilesModel
  readonly workspaces: WorkspacesModel
  readonly modules: ModulesModel
  /** The application's own source; whoever reads it all rests on all of it. */
  readonly sources: ByFile<JavaScriptFacts>
  /** Paths with JavaScript facts that are the application's own source, in order. */
  readonly paths: readonly string[]

  readonly #reads: Reads

  constructor(
    facts: FactsIndex,
    slices: { readonly files: FilesModel; readonly workspaces: WorkspacesModel; readonly modules: ModulesModel },
    reads = new Reads(),
  ) {
    const { files, workspaces, modules } = slices
    this.facts = facts
    this.files = files
    this.workspaces = workspaces
    this.modules = {
      ...modules,
      resolve: (from, specifier) => reads.specifier(from, specifier, modules.resolve(from, specifier)),
      autoImport: (path, name) => reads.autoImport(path, name, modules.autoImport(path, name)),
      throughStars: (path, name) => reads.throughStars(path, name, modules.throughStars(path, name)),
    }
    this.#reads = reads
    this.sources = sourceFiles(facts.of('javascript'))
    this.paths = [...this.sources.keys()]
  }

  js(path: string): JavaScriptFacts | undefined {
    this.#reads.file(path)
    return this.#facts(path)
  }

  /** The facts of a file, of which whoever asks notes himself what he looks at. */
  #facts(path: string): JavaScriptFacts | undefined {
    return this.facts.of('javascript').get(path)
  }

  fn(path: string, id: FunctionId): FunctionIR | undefined {
    return this.js(path)?.functions[id]
  }

  workspace(path: string): Workspace {
    return this.workspaces.of(path)
  }

  /** True when the file's workspace names the package, or the file (or any file of its workspace) imports it. */
  uses(name: string, path: string): boolean {
    return this.workspaces.uses(name, path) || this.importersOf(name).has(path)
  }

  /** Files that import a package or one of its sub-paths (`npm:` and CDN specifiers included). */
  importersOf(name: string): ReadonlySet<string> {
    return importersByPackage(importedPackages(this.sources)).get(name) ?? NO_FUNCTIONS
  }

  /** What `name` means inside a function of a file. */
  lookup(path: string, scope: FunctionId, name: string, depth = 0): Meaning | undefined {
    const js = this.#facts(path)
    this.#reads.partOf(path, namePart, name)
    if (!js || depth > DEPTH) return undefined
    for (let id: FunctionId | undefined = scope, hops = 0; id !== undefined && hops < 64; hops++) {
      const fn: FunctionIR | undefined = js.functions[id]
      if (id !== 0) this.#reads.partOf(path, functionPart, id)
      if (!fn) break
      const own = this.#declared(path, fn, name, depth)
      if (own) return own
      id = fn.parent ?? (id === 0 ? undefined : 0)
    }
    const i = importOf(js, name)
    if (i) return this.#imported(path, i.fact, i.imported, depth + 1)
    const auto = this.modules.autoImport(path, name)
    return auto ? this.exported(auto.path, auto.imported, depth + 1) : undefined
  }

  /** By the path as well: files of the same content share their facts. */
  #declarations = new WeakMap<FunctionIR, Map<string, Map<string, Meaning>>>()

  #declared(path: string, fn: FunctionIR, name: string, depth: number): Meaning | undefined {
    const tables = this.#declarations.get(fn) ?? new Map<string, Map<string, Meaning>>()
    let table = tables.get(path)
    if (!table) {
      table = new Map()
      fn.params.forEach((p, index) => {
        for (const n of boundNames(p)) table?.set(n, { k: 'param', path, scope: fn.id, index })
      })
      for (const s of statements(fn.body)) {
        if (s.k === 'function') table.set(s.name, { k: 'fn', path, fn: s.fn })
        else if (s.k === 'class' && s.name) table.set(s.name, { k: 'class', path, scope: fn.id, class: s.class, line: s.l })
        else if (s.k === 'let' && s.to.k === 'name' && s.init) table.set(s.to.name, this.#of(path, fn.id, s.init))
        else if (s.k === 'let' && s.to.k === 'object' && s.init)
          for (const p of s.to.props)
            if (p.to.k === 'name') table.set(p.to.name, { k: 'expr', path, scope: fn.id, expr: { k: 'mem', of: s.init, name: p.key, l: s.l } })
      }
      this.#declarations.set(fn, tables.set(path, table))
    }
    const m = table.get(name)
    if (!m) return undefined
    // `const x = require('./x')` is an import as well; the import says where it leads.
    if (m.k === 'expr' && isRequire(m.expr)) {
      const i = importOf(this.#facts(path) as JavaScriptFacts, name)
      if (i) return this.#imported(path, i.fact, i.imported, depth + 1) ?? m
    }
    return m
  }

  #imported(path: string, fact: ImportFact, imported: string, depth: number): Meaning | undefined {
    const target = this.modules.resolve(path, fact.from)
    if (!target) return { k: 'external', from: fact.from, name: imported }
    if (imported === '*') {
      if (fact.how === 'require') return this.exported(target, 'default', depth) ?? { k: 'namespace', path: target }
      return { k: 'namespace', path: target }
    }
    return this.exported(target, imported, depth)
  }

  /** What a file exports under a name. */
  exported(path: string, name: string, depth = 0): Meaning | undefined {
    const js = this.#facts(path)
    if (!js) this.#reads.partOf(path, existencePart)
    if (!js || depth > DEPTH) return undefined
    this.#reads.partOf(path, exportPart, name)
    const own = js.exports.find((e) => e.name === name && e.name !== '*')
    if (own) {
      if (own.from) {
        const target = this.modules.resolve(path, own.from)
        if (!target) return { k: 'external', from: own.from, name: own.imported ?? name }
        return own.imported === '*' ? { k: 'namespace', path: target } : this.exported(target, own.imported ?? name, depth + 1)
      }
      if (own.local) {
        const m = this.lookup(path, 0, own.local, depth + 1)
        if (m) return m
      }
      if (own.value) return this.#of(path, 0, own.value)
      return undefined
    }
    // `module.exports = { a, b }` read by name.
    if (name === 'default') return undefined
    this.#reads.partOf(path, exportPart, 'default')
    const whole = js.exports.find((e) => e.name === 'default' && e.value?.k === 'obj')
    if (whole?.value?.k === 'obj') {
      const p = whole.value.props.find((x) => x.key === name)
      if (p) return this.meaning(path, 0, p.value, depth + 1)
    }
    for (const target of this.modules.throughStars(path, name)) {
      const m = this.exported(target, name, depth + 1)
      if (m) return m
    }
    return undefined
  }

  #of(path: string, scope: FunctionId, expr: Expr): Meaning {
    if (expr.k === 'fn') return { k: 'fn', path, fn: expr.fn }
    if (expr.k === 'class') return { k: 'class', path, scope, class: expr.class, line: expr.l }
    return { k: 'expr', path, scope, expr }
  }

  /** What an expression means: names and members are followed, everything else is itself. */
  meaning(path: string, scope: FunctionId, expr: Expr, depth = 0): Meaning | undefined {
    if (depth > DEPTH) return undefined
    if (expr.k === 'await') return this.meaning(path, scope, expr.of, depth + 1)
    const imported = importedFrom(expr)
    if (imported !== undefined) {
      const target = this.modules.resolve(path, imported)
      return target ? { k: 'namespace', path: target } : { k: 'external', from: imported, name: '*' }
    }
    if (expr.k === 'id') {
      const m = this.lookup(path, scope, expr.name, depth + 1)
      return m?.k === 'expr' && (m.expr.k === 'id' || m.expr.k === 'mem' || m.expr.k === 'fn' || m.expr.k === 'class') && m.expr !== expr
        ? (this.meaning(m.path, m.scope, m.expr, depth + 1) ?? m)
        : m
    }
    if (expr.k === 'mem') {
      const of = this.meaning(path, scope, expr.of, depth + 1)
      if (!of) return { k: 'expr', path, scope, expr }
      return this.member(of, expr.name, depth + 1) ?? { k: 'expr', path, scope, expr }
    }
    if (expr.k === 'call' && isRequire(expr)) {
      const from = expr.args[0]?.k === 'lit' ? String(expr.args[0].v) : ''
      const target = this.modules.resolve(path, from)
      if (!target) return { k: 'external', from, name: 'default' }
      return this.exported(target, 'default', depth + 1) ?? { k: 'namespace', path: target }
    }
    return this.#of(path, scope, expr)
  }

  /** A member of what a name means: an export of a namespace, a property of an object literal, a method of an instance. */
  member(of: Meaning, name: string, depth = 0): Meaning | undefined {
    if (depth > DEPTH) return undefined
    if (of.k === 'namespace') return this.exported(of.path, name, depth + 1)
    if (of.k === 'external') return { k: 'external', from: of.from, name: of.name === '*' || of.name === 'default' ? name : `${of.name}.${name}` }
    if (of.k === 'class') {
      const m = of.class.members.find((x) => x.name === name)
      if (m?.fn !== undefined) return { k: 'fn', path: of.path, fn: m.fn }
      return m?.value ? this.meaning(of.path, of.scope, m.value, depth + 1) : undefined
    }
    if (of.k === 'expr') {
      if (of.expr.k === 'obj') {
        const p = of.expr.props.find((x) => x.key === name)
        return p ? this.meaning(of.path, of.scope, p.value, depth + 1) : undefined
      }
      if (of.expr.k === 'new') {
        const c = this.meaning(of.path, of.scope, of.expr.fn, depth + 1)
        return c?.k === 'class' ? this.member(c, name, depth + 1) : undefined
      }
      // `(await import('./x')).y`
      const imported = importedFrom(of.expr)
      if (imported !== undefined) {
        const target = this.modules.resolve(of.path, imported)
        return target ? this.exported(target, name, depth + 1) : { k: 'external', from: imported, name }
      }
      // require('./x').y
      if (isRequire(of.expr)) {
        const from = of.expr.k === 'call' && of.expr.args[0]?.k === 'lit' ? String(of.expr.args[0].v) : ''
        const target = this.modules.resolve(of.path, from)
        return target ? this.exported(target, name, depth + 1) : { k: 'external', from, name }
      }
    }
    return undefined
  }

  /** Whether an expression's callee comes from a package: its name and what is taken from it. */
  external(path: string, scope: FunctionId, expr: Expr): { readonly from: string; readonly name: string } | undefined {
    const m = this.meaning(path, scope, expr)
    return m?.k === 'external' ? { from: m.from, name: m.name } : undefined
  }
}

/** The code of a meaning, when it can be called. */
export function codeOf(m: Meaning | undefined): Code | undefined {
  if (!m) return undefined
  if (m.k === 'fn') return { k: 'fn', path: m.path, fn: m.fn }
  if (m.k === 'expr') return { k: 'expr', path: m.path, scope: m.scope, expr: m.expr }
  return undefined
}

/** The package of a specifier: `@scope/name` or `name`, for npm, `npm:`, `jsr:` and CDN specifiers; undefined for relative ones. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('/')) return undefined
  let s = specifier.replace(/^(npm|jsr|node):/, '')
  const cdn = /^https?:\/\/(?:esm\.sh|cdn\.skypack\.dev|cdn\.jsdelivr\.net\/npm|unpkg\.com|deno\.land\/x|deno\.land)\/(?:v\d+\/)?(?:\*)?(.+)$/.exec(s)
  if (cdn) s = cdn[1] as string
  else if (/^https?:/.test(s)) return s
  const m = /^(@[^/@]+\/[^/@?]+|[^/@?]+)/.exec(s)
  return m?.[1]
}

function importOf(js: JavaScriptFacts, local: string): { fact: ImportFact; imported: string } | undefined {
  for (const fact of js.imports) for (const b of fact.bindings) if (b.local === local) return { fact, imported: b.imported }
  return undefined
}

/** `import('./x')`, waited for or not: what is imported. */
function importedFrom(e: Expr): string | undefined {
  const of = e.k === 'await' ? e.of : e
  return of.k === 'import' && of.from.k === 'lit' && typeof of.from.v === 'string' ? of.from.v : undefined
}

function isRequire(e: Expr): boolean {
  if (e.k === 'mem') return isRequire(e.of)
  return e.k === 'call' && e.fn.k === 'id' && e.fn.name === 'require'
}

/**
 * Code that can be called: a function of a file, or an expression in the scope of a function (0 is the module body) whose
 * value is the function, such as `withAuth(handler)`. `bound` is the object that a method is called on.
 */
export type Code =
  | { readonly k: 'fn'; readonly path: string; readonly fn: FunctionId }
  | { readonly k: 'expr'; readonly path: string; readonly scope: FunctionId; readonly expr: Expr }
