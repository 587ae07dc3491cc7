import type { StatementOutcome } from '../answer/outcome.ts'
import type { ParsedFile, Statement } from './statements/statement.ts'

/** Keeps what became of each statement of the files as they were sent. */
export class Outcomes {
  private readonly files: readonly ParsedFile[]
  private readonly of = new Map<string, StatementOutcome['outcome']>()

  constructor(files: readonly ParsedFile[]) {
    this.files = files
  }

  /** Told when a statement's turn comes. */
  reached(s: Statement): void {
    this.of.set(s.label, 'waiting')
  }

  /** Told what became of it. */
  become(s: Statement, outcome: StatementOutcome['outcome']): void {
    this.of.set(s.label, outcome)
  }

  /** One for each statement; whose turn never came was left out. */
  told(): StatementOutcome[] {
    return this.files.flatMap(({ statements }, file) =>
      statements.map(({ label, at }) => ({ file, line: at.line, endLine: at.endLine ?? at.line, outcome: this.of.get(label) ?? 'skipped' })),
    )
  }
}
