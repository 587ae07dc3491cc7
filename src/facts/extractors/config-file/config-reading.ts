import type { Problem } from '../../facts.ts'

/** What a reader of one format gives: plain data, the line of each dotted path, and what could not be read. */
export interface ConfigReading {
  readonly data: unknown
  readonly lines: Readonly<Record<string, number>>
  readonly problems: readonly Problem[]
}
