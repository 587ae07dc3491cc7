import type { DatabaseResult } from '../database.ts'

/** What became of one statement that the sandbox was sent. */
export interface StatementOutcome {
  /** Position of its file in `ReplayInput.files`. */
  readonly file: number
  /** Lines of the file, as `Place` counts them. */
  readonly line: number
  readonly endLine: number
  /**
   * `explained`: not applied as it is written, and what it could have changed is told by a gap, or is nothing; `doubtful`: not applied, and it could have
   * changed anything; `skipped`: left out, because other files say the same; `waiting`: what it needs never came.
   */
  readonly outcome: 'applied' | 'explained' | 'doubtful' | 'skipped' | 'waiting'
}

/** A result as the sandbox's process tells it. The outcomes are for checking it and go no further. */
export interface ToldResult extends DatabaseResult {
  /** Absent where nothing was replayed to the end. */
  readonly outcomes?: readonly StatementOutcome[]
}
