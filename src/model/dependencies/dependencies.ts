import type { Place } from '../../lib/place.ts'
import type { Advisory, AdvisoryData } from './advisory.ts'

/** Locked packages and the advisories that affect them. */
export interface DependenciesModel {
  readonly advisories: AdvisoryData
  /** Lock files that were read, in order of their path. */
  readonly locks: readonly LockSummary[]
  /** Applications whose manifest asks for packages and that no lock file covers. */
  readonly unlocked: readonly UnlockedManifest[]
  /** Package versions with advisories, one entry each, in order of `name@version`. */
  readonly vulnerable: readonly VulnerablePackage[]
}

export interface LockSummary {
  readonly path: string
  readonly format: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'deno'
  readonly packages: number
  /** The lock file of the same folder that decides what is installed, when this one does not. */
  readonly supersededBy?: string
}

export interface UnlockedManifest {
  readonly path: string
  readonly workspace: string
  /** First dependency that it asks for. */
  readonly line: number
  readonly dependencies: number
  /** The .gitignore line that keeps the lock file out. */
  readonly ignoredAt?: Place & { readonly pattern: string }
  /** The lock file that is there and lists no package. */
  readonly empty?: string
}

export interface VulnerablePackage {
  readonly name: string
  readonly version: string
  readonly lock: string
  readonly format: LockSummary['format']
  /** Its line in the lock file. */
  readonly at: Place
  /** False when only development needs it. */
  readonly production: boolean
  /** Set when a manifest asks for it by itself. */
  readonly direct?: DirectDependency
  /** From the direct dependency (first) to the package itself (last), as `name@version`. */
  readonly chain: readonly string[]
  /** The direct dependency that pulls it in; absent when the lock file leads to none. */
  readonly through?: DirectDependency
  /** Worst first, then by id. */
  readonly advisories: readonly Advisory[]
  /** The lowest version that none of the advisories affects; absent when one of them has no fix. */
  readonly fixedIn?: string
  /** The same version in other lock files. */
  readonly also: readonly Place[]
}

/** An entry of a package.json. */
export interface DirectDependency extends Place {
  readonly name: string
  readonly range: string
}
