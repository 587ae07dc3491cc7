import type { FactsByKind } from './kinds.ts'

/** The kinds of facts, one extractor each. */
export type FactKind = keyof FactsByKind

/** Something in a file that could not be read, in words fit for the report. */
export interface Problem {
  readonly line?: number
  readonly message: string
}

/** What an extractor says of one file. */
export interface Extraction<K extends FactKind = FactKind> {
  readonly kind: K
  readonly facts: FactsByKind[K]
  readonly problems: readonly Problem[]
}

/**
 * Turns the text of one file into facts. Pure and total: the same text gives the same facts, and bad input gives problems,
 * never an exception. `version` is part of the cache key: raise it whenever the output can change.
 */
export interface Extractor<K extends FactKind = FactKind> {
  readonly kind: K
  readonly version: string
  /** Which paths it reads (minimatch patterns, case-insensitive, dot files included). */
  readonly paths: readonly string[]
  /** Bytes above which a file is declared a gap instead of being read; 1 MiB when absent. */
  readonly maxBytes?: number
  /** The whole file name tells the format, not its extensions alone: `yarn.lock` and `deno.lock` of one content have different facts. */
  readonly formatByName?: true
  extract(text: string, path: string): { facts: FactsByKind[K]; problems: readonly Problem[] }
}

/** All facts of one snapshot. */
export interface FactsIndex {
  /** Paths with facts of that kind, in code-unit order of the path. */
  of<K extends FactKind>(kind: K): ReadonlyMap<string, FactsByKind[K]>
}
