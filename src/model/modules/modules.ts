import type { Place } from '../../lib/place.ts'

/** Where a module runs, established by the import graph. */
export type Side = 'client' | 'server' | 'both' | 'unreached'

/** Why a module reaches the browser: the chain of imports from a browser entry, entry first. */
export type ClientChain = readonly string[]

export interface ModulesModel {
  /** The file that a specifier means, seen from `fromPath`; undefined for packages and unknown files. */
  resolve(fromPath: string, specifier: string): string | undefined
  /** The file and name that finally define `name` exported by `path` (through barrels and re-exports). */
  definition(path: string, name: string): { readonly path: string; readonly local: string; readonly line: number } | undefined
  side(path: string): Side
  /** The shortest chain of imports that brings the module into the browser; undefined when none does. */
  clientChain(path: string): ClientChain | undefined
  /** Browser entries and why each is one. */
  readonly clientEntries: readonly { readonly path: string; readonly because: string }[]
  /** Files that import the path (value imports only). */
  importers(path: string): readonly Place[]
  readonly files: readonly string[]
}
