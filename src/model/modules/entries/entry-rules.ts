import type { FactsIndex } from '../../../facts/facts.ts'
import type { FunctionId, JavaScriptFacts } from '../../../facts/javascript.ts'
import type { Workspace } from '../../workspaces/workspaces.ts'
import type { Resolve } from '../resolve.ts'

/** One workspace, as the rules of a framework see it. */
export interface Application {
  readonly workspace: Workspace
  readonly dir: string
  /** Code files of the workspace that are its own source, with the path seen from `dir`. */
  readonly files: readonly { readonly path: string; readonly rel: string; readonly js: JavaScriptFacts }[]
  readonly facts: FactsIndex
  readonly resolve: Resolve
  /** True when the workspace or the root names the package, or a file of the workspace imports it. */
  uses(packageName: string): boolean
  /** A file of the workspace by its path seen from `dir`. */
  has(rel: string): boolean
}

/** A file that a platform starts from. */
export interface EntryFile {
  readonly path: string
  readonly side: 'client' | 'server'
  readonly because: string
}

/** What the compiler of a framework takes out of a module before it goes to the browser. */
export interface Stripped {
  readonly exports?: ReadonlySet<string>
  readonly functions?: ReadonlySet<FunctionId>
}

/** What one framework or bundler says about where code runs. One file each. */
export interface EntryRules {
  readonly name: string
  applies(app: Application): boolean
  entries(app: Application): readonly EntryFile[]
  /** Modules that the framework's build refuses to send to the browser. */
  serverOnly?(rel: string, js: JavaScriptFacts): boolean
  strips?(rel: string, js: JavaScriptFacts): Stripped | undefined
}

/** Entries for the files whose path within the workspace matches. */
export function matching(app: Application, pattern: RegExp, side: EntryFile['side'], because: string, except?: RegExp): EntryFile[] {
  return app.files.filter((f) => pattern.test(f.rel) && !except?.test(f.rel)).map((f) => ({ path: f.path, side, because }))
}
