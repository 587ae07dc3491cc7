import type { ExportFact, Expr, FunctionId, FunctionIR, JavaScriptFacts, Pattern, Stmt } from '../../../facts/javascript.ts'
import { boundNames } from '../../frameworks/walk.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { UNKNOWN, type Val } from '../domain/abstract-value.ts'
import {
  classOwning,
  declarationPart,
  existencePart,
  exportOf,
  exportPart,
  exportsNames,
  functionPart,
  innerPart,
  namesPart,
  ownerPart,
  starsOf,
  starsPart,
} from '../incremental/file-parts.ts'
import { Reads } from '../incremental/read-tracking.ts'
import type { Given } from '../types.ts'

/** Everything that following calls needs: the files, what specifiers mean, and the module scopes evaluated so far. */
export interface Program {
  facts(path: string): JavaScriptFacts | undefined
  /** The same for those who look at parts of it, and note each. */
  partly(path: string): JavaScriptFacts | undefined
  /** Whether there is such a file. */
  exists(path: string): boolean
  function(path: string, id: FunctionId): FunctionIR | undefined
  /** The name of the class of a file that a function is a method of. */
  classOwning(path: string, id: FunctionId): string | undefined
  /** What a file exports under a name. */
  exportOf(path: string, name: string): ExportFact | undefined
  /** From where a file exports everything. */
  starsOf(path: string): readonly ExportFact[]
  /** Whether a file exports anything by name. */
  exportsNames(path: string): boolean
  /** The file that a specifier means, seen from a file; undefined for packages. */
  resolve(from: string, specifier: string): string | undefined
  /** The file and export that a framework puts into scope for an undeclared name. */
  autoImport(path: string, name: string): { readonly path: string; readonly imported: string } | undefined
  /** Module scopes, made when first needed and shared by all entries. */
  readonly scopes: Map<string, Scope>
  /** Values of exports, by `path name`. */
  readonly exports: Map<string, Val | null>
  /** Scopes of functions in which an entry is written (`register(app)`), by `path id`. */
  readonly functionScopes: Map<string, Scope>
  /** What those functions are called with, by `path id`. */
  readonly given: Map<string, Given>
  /** Nodes of code that all entries together may still take. */
  readonly budget: { left: number }
  /** What all this was read from. */
  readonly reads: Reads
}

/** Bounds the time of a whole application. One with 949 routes, whose middleware runs again for each, was measured to take 4.7 million. */
const BUDGET = 4_000_000

/** The program over a repository's JavaScript facts. `resolve` and `autoImport` are the module graph's. */
export function createProgram(
  files: ReadonlyMap<string, JavaScriptFacts>,
  resolve: (from: string, specifier: string) => string | undefined,
  autoImport: Program['autoImport'] = () => undefined,
  reads = new Reads(),
): Program {
  return {
    facts: (path) => {
      reads.file(path)
      return files.get(path)
    },
    partly: (path) => {
      reads.part(existencePart(path))
      return files.get(path)
    },
    exists: (path) => {
      reads.part(existencePart(path))
      return files.has(path)
    },
    function: (path, id) => {
      reads.part(functionPart(path, id))
      return files.get(path)?.functions[id]
    },
    classOwning: (path, id) => {
      reads.part(ownerPart(path, id))
      const facts = files.get(path)
      return facts && classOwning(facts, id)
    },
    exportOf: (path, name) => {
      reads.part(exportPart(path, name))
      return exportOf(files.get(path), name)
    },
    starsOf: (path) => {
      reads.part(starsPart(path))
      return starsOf(files.get(path))
    },
    exportsNames: (path) => {
      reads.part(namesPart(path))
      return exportsNames(files.get(path))
    },
    resolve: (from, specifier) => reads.specifier(from, specifier, resolve(from, specifier)),
    autoImport: (path, name) => reads.autoImport(path, name, autoImport(path, name)),
    scopes: new Map(),
    exports: new Map(),
    functionScopes: new Map(),
    given: new Map(),
    budget: { left: BUDGET },
    reads,
  }
}

const SUFFIXES = [
  '',
  '.ts',
  '.tsx',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.mts',
  '.cts',
  '.svelte',
  '.vue',
  '.astro',
  '/index.ts',
  '/index.tsx',
  '/index.js',
  '/index.jsx',
  '/index.mjs',
]
const JS_SUFFIX = /\.[cm]?jsx?$/

/** Resolves relative specifiers, and the customary `@/` and `~/` of generated applications; for programs without a module graph. */
export function relativeResolver(files: { has(path: string): boolean }): (from: string, specifier: string) => string | undefined {
  const find = (base: string): string | undefined => {
    for (const s of SUFFIXES) if (files.has(base + s)) return base + s
    const bare = base.replace(JS_SUFFIX, '')
    if (bare !== base) for (const s of SUFFIXES) if (files.has(bare + s)) return bare + s
    return undefined
  }
  return (from, specifier) => {
    if (specifier.startsWith('.')) return find(normalise(`${from.slice(0, from.lastIndexOf('/') + 1)}${specifier}`))
    const alias = /^(?:@|~|\$lib|#)\/(.*)$/.exec(specifier)
    if (!alias) return undefined
    for (const root of ['src/', '', 'app/', 'src/lib/', 'lib/']) {
      const hit = find(root + (alias[1] as string))
      if (hit) return hit
    }
    return undefined
  }
}

function normalise(path: string): string {
  const out: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') out.pop()
    else if (part !== '.' && part !== '') out.push(part)
  }
  return out.join('/')
}

/** Stands for a name that is being evaluated. Reads as unknown. */
export const UNFINISHED: Val = { v: 'unknown' }

/** Evaluates a name when it is first read; the value stays. */
export function evaluateOnce(program: Program, scope: Scope, name: string, lazy: () => Val): Val {
  scope.vars.set(name, UNFINISHED)
  const reader = scope.parent ? innerPart(scope.path, name) : declarationPart(scope.path, name)
  const value = program.reads.evaluating({ owner: scope, name, reader }, lazy)
  scope.vars.set(name, value)
  return value
}

/** The scope that defines a name, as seen from another. That a module declares a name, or does not, is noted. */
export function holderOf(program: Program, name: string, from: Scope): Scope | undefined {
  const holder = from.holder(name)
  if (!holder?.parent) program.reads.part(declarationPart(from.path, name))
  else if (holder.lazy) program.reads.part(innerPart(holder.path, name))
  return holder
}

/** How names of a body that is not executed from top to bottom get their values: on first use. */
export interface LazyEvaluation {
  pattern(to: Pattern, init: Stmt & { k: 'let' }, scope: Scope): void
  /** What statements of the body give to a name that begins as nothing. */
  assigned(name: string, statements: readonly Stmt[], scope: Scope, begins: Expr | undefined): Val
  func(path: string, id: number, scope: Scope): Val
  cls(stmt: Stmt & { k: 'class' }, scope: Scope): Val
  /** Puts `name.member = value` statements of the body on what `name` holds by now. */
  members(name: string, statements: readonly Stmt[], scope: Scope): void
}

/** `let client = null` says as little as `let client`: what it is, a statement below says (`try { client = new OpenAI() } catch {}`). */
const isNothing = (init: Expr): boolean => init.k === 'lit' && (init.v === null || init.v === undefined) && init.secret === undefined

/** Declares the names of `fn`'s body in `scope`, evaluated when first read. */
export function declareLazily(fn: FunctionIR, scope: Scope, how: LazyEvaluation): void {
  scope.lazy ??= new Map()
  const lazy = scope.lazy
  const completed = (name: string, value: Val): Val => {
    scope.vars.set(name, value)
    how.members(name, fn.body, scope)
    return scope.vars.get(name) ?? value
  }
  const declare = (body: readonly Stmt[], depth: number): void => {
    for (const s of body) {
      if (s.k === 'function') lazy.set(s.name, () => completed(s.name, how.func(scope.path, s.fn, scope)))
      else if (s.k === 'class' && s.name) {
        const { name } = s
        lazy.set(name, () => completed(name, how.cls(s, scope)))
      } else if (s.k === 'let') {
        for (const name of boundNames(s.to)) {
          if (s.how !== 'const' && (s.init === undefined || isNothing(s.init))) lazy.set(name, () => how.assigned(name, fn.body, scope, s.init))
          else
            lazy.set(name, () => {
              how.pattern(s.to, s, scope)
              return completed(name, scope.vars.get(name) ?? UNKNOWN)
            })
        }
      } else if (depth < 4) {
        if (s.k === 'if') {
          declare(s.then, depth + 1)
          if (s.else) declare(s.else, depth + 1)
        } else if (s.k === 'try') declare(s.body, depth + 1)
        else if (s.k === 'block') declare(s.body, depth + 1)
      }
    }
  }
  declare(fn.body, 0)
}
