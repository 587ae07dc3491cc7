import type { Place } from '../../lib/place.ts'
import type { ServiceRoleUse } from './service-role.ts'

export type { ServiceRoleUse }

/** Where a module runs, established by the import graph. */
export type Side = 'client' | 'server' | 'both' | 'unreached'

/** Why a module reaches the browser: the chain of imports from a browser entry, entry first. */
export type ClientChain = readonly string[]

export interface ClientEntry {
  readonly path: string
  readonly because: string
}

export interface ModulesModel {
  /** The file that a specifier means, seen from `fromPath`; undefined for packages and unknown files. */
  resolve(fromPath: string, specifier: string): string | undefined
  /** The file and name that finally define `name` exported by `path` (through barrels and re-exports). */
  definition(path: string, name: string): { readonly path: string; readonly local: string; readonly line: number } | undefined
  /** The file and export that a framework puts into scope for an undeclared name (Nuxt, Nitro); undefined when there is none. */
  autoImport(path: string, name: string): { readonly path: string; readonly imported: string } | undefined
  /** The files behind the `export * from` of a file that export a name themselves, in order. */
  throughStars(path: string, name: string): readonly string[]
  side(path: string): Side
  /** The shortest chain of imports that brings the module into the browser; undefined when none does. */
  clientChain(path: string): ClientChain | undefined
  /** The import statements along `clientChain`, one for each step from a file to the next. */
  clientImports(path: string): readonly Place[]
  /**
   * Whether code at a line of the file is sent to the browser. False for modules that no browser entry reaches and for the parts that
   * the framework strips: `getServerSideProps`, `loader`, bodies of server functions, the frontmatter of Astro.
   */
  inBrowser(path: string, line: number): boolean
  /** Browser entries and why each is one. */
  readonly clientEntries: readonly ClientEntry[]
  /** Files that import the path (value imports only). */
  importers(path: string): readonly Place[]
  readonly files: readonly string[]
  /** Every place that holds or reads Supabase's service-role key. */
  readonly serviceRole: readonly ServiceRoleUse[]
  /** The application uses Supabase: a client library, its folder, or its keys. */
  readonly usesSupabase: boolean
}
