/**
 * What the names in a file stand for: variables by what they are set to, functions, imports. Read from the facts alone, so that whoever asks for the value
 * of a link follows names in one way.
 */
import type { Expr, FunctionId, FunctionIR, JavaScriptFacts, Pattern } from '../../facts/javascript.ts'
import { statements } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'

/** The scope in which an expression stands. */
export interface Site {
  readonly path: string
  readonly fn: FunctionId
}

/** Finds what the names around a site stand for. */
export class Declarations {
  private readonly files: ReadonlyMap<string, JavaScriptFacts>
  private readonly modules: ModulesModel

  constructor(files: ReadonlyMap<string, JavaScriptFacts>, modules: ModulesModel) {
    this.files = files
    this.modules = modules
  }

  /** What a variable around the site is taken from, and the keys on the way: `const { public: config } = useRuntimeConfig()`. */
  takenFrom(name: string, site: Site): { readonly from: Expr; readonly keys: readonly string[] } | undefined {
    const js = this.files.get(site.path)
    for (let id: FunctionId | undefined = site.fn; js && id !== undefined; id = js.functions[id]?.parent)
      for (const s of statements((js.functions[id] as FunctionIR).body)) {
        if (s.k !== 'let' || !s.init) continue
        const keys = keysTo(s.to, name)
        if (keys) return { from: s.init.k === 'await' ? s.init.of : s.init, keys }
      }
    return undefined
  }

  /** The function at the site; an empty one when the file is not known. */
  functionAt(site: Site): FunctionIR {
    return this.files.get(site.path)?.functions[site.fn] ?? { id: site.fn, params: [], body: [], l: 1, e: 1 }
  }

  /** Everything that a variable around the site is set to: its initialiser and what is assigned later. */
  valuesSet(name: string, site: Site): readonly Expr[] {
    const js = this.files.get(site.path)
    const values: Expr[] = []
    for (let id: FunctionId | undefined = site.fn; js && id !== undefined; id = js.functions[id]?.parent) {
      for (const s of statements((js.functions[id] as FunctionIR).body)) {
        if (s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init) values.push(s.init)
        if (s.k === 'expr' && s.expr.k === 'assign' && s.expr.to.k === 'name' && s.expr.to.name === name) values.push(s.expr.value)
      }
    }
    return values
  }

  /** The initialiser of a variable around the site. */
  initOf(name: string, site: Site): Expr | undefined {
    const js = this.files.get(site.path)
    for (let id: FunctionId | undefined = site.fn; js && id !== undefined; id = js.functions[id]?.parent) {
      for (const s of statements((js.functions[id] as FunctionIR).body)) if (s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init) return s.init
    }
    return undefined
  }

  /** The function that a name stands for in a file: one of its own, or an imported one. */
  functionNamed(name: string, site: Site): { path: string; fn: FunctionIR } | undefined {
    const js = this.files.get(site.path)
    if (!js) return undefined
    const local = localFunction(js, name)
    if (local) return { path: site.path, fn: local }
    const imported = importOf(js, name)
    return imported && this.functionFrom(imported.from, imported.imported, site)
  }

  /** `urls.getURL` of `import * as urls from './urls'`. */
  functionOfModule({ of, name }: Extract<Expr, { k: 'mem' }>, site: Site): { path: string; fn: FunctionIR } | undefined {
    const js = this.files.get(site.path)
    const imported = js && of.k === 'id' ? importOf(js, of.name) : undefined
    return imported?.imported === '*' ? this.functionFrom(imported.from, name, site) : undefined
  }

  /** A function that another module exports under a name. */
  private functionFrom(from: string, name: string, site: Site): { path: string; fn: FunctionIR } | undefined {
    const file = this.modules.resolve(site.path, from)
    const definition = file ? this.modules.definition(file, name) : undefined
    const target = definition && this.files.get(definition.path)
    const fn = target && definition ? localFunction(target, definition.local) : undefined
    return fn && definition ? { path: definition.path, fn } : undefined
  }
}

/** The keys that lead to a name in a pattern; empty for the name itself. */
function keysTo(p: Pattern, name: string): readonly string[] | undefined {
  if (p.k === 'name') return p.name === name ? [] : undefined
  if (p.k !== 'object') return undefined
  for (const { key, to } of p.props) {
    const rest = keysTo(to, name)
    if (rest) return [key, ...rest]
  }
  return undefined
}

/** A function of a module by the name it is declared with or assigned to. */
function localFunction(js: JavaScriptFacts, name: string): FunctionIR | undefined {
  for (const f of js.functions) {
    for (const s of f.body) {
      if (s.k === 'function' && s.name === name) return js.functions[s.fn]
      if (s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init?.k === 'fn') return js.functions[s.init.fn]
    }
  }
  return undefined
}

/** What a local name was imported as. */
export function importOf(js: JavaScriptFacts, name: string): { readonly from: string; readonly imported: string } | undefined {
  for (const i of js.imports) for (const b of i.bindings) if (b.local === name) return { from: i.from, imported: b.imported }
  return undefined
}
