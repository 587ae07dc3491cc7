import type { Place } from '../../lib/place.ts'
import type { ReplayInput, SqlFile } from '../database.ts'
import { type StatementText, splitAtMissingSemicolons, splitStatements } from '../sandbox/statements/split-statements.ts'
import { type Read, readStatement } from './read-statement.ts'
import { WordGroups } from './word-groups.ts'

/** One statement that was sent, as the parent reads it by itself. */
export interface Sent<R extends Read = Read> {
  readonly file: SqlFile
  /** Position of the file in the input, and of the statement in the file. */
  readonly position: number
  readonly index: number
  /** Lines as `Place` counts them. */
  readonly line: number
  readonly endLine: number
  /** Line of the text that was sent. */
  readonly startsAt: number
  readonly text: string
  readonly read: R
}

/** A statement that does one thing. */
export type Doing<D extends Read['does']> = Sent<Extract<Read, { does: D }>>

/** Everything that was sent, sorted by what it does. */
export class SentSql {
  readonly input: ReplayInput
  readonly statements: readonly Sent[]
  /** What a statement would be cut into where semicolons are missing: read beside it, for which of both holds the sandbox alone knows. */
  readonly parts: readonly Sent[]
  readonly byFile: ReadonlyMap<number, readonly Sent[]>
  /** What was sent and is not read: blocks, bodies of functions, queries, rows. */
  readonly opaque: WordGroups
  private readonly others = new Map<string, readonly string[]>()
  private readonly created = new Map<string, Sent[]>()

  constructor(input: ReplayInput) {
    this.input = input
    this.byFile = new Map(input.files.map((file, position) => [position, statementsOf(file, position)]))
    this.statements = [...this.byFile.values()].flat()
    this.parts = this.statements.flatMap(partsOf)
    this.opaque = new WordGroups(
      [...this.statements, ...this.parts].flatMap(({ read, text }) =>
        read.does === 'anything' ? [text] : read.does === 'create function' ? [read.body ?? text] : [],
      ),
    )
    this.joinRenamed()
    for (const s of [...this.statements, ...this.parts]) {
      const name = s.read.does === 'create relation' ? s.read.name.name : s.read.does === 'create' ? s.read.name?.name : undefined
      if (name !== undefined) this.created.set(name, [...(this.created.get(name) ?? []), s])
    }
  }

  doing<D extends Read['does']>(does: D): readonly Doing<D>[] {
    return this.statements.filter((s): s is Doing<D> => s.read.does === does)
  }

  /** The same, and what may be such a statement. */
  possiblyDoing<D extends Read['does']>(does: D): readonly Doing<D>[] {
    return [...this.doing(does), ...this.parts.filter((s): s is Doing<D> => s.read.does === does)]
  }

  /** A name and all that its object was called before and after. */
  aliases(name: string): readonly string[] {
    return this.others.get(name) ?? [name]
  }

  /** Statements that create a relation, a type or an index of a name. */
  creating(name: string): readonly Sent[] {
    return this.created.get(name) ?? []
  }

  private joinRenamed(): void {
    for (const { read } of this.possiblyDoing('rename')) {
      const all = [...new Set([...this.aliases(read.from), ...this.aliases(read.to)])]
      if (all.length > MAX_ALIASES) continue
      for (const name of all) this.others.set(name, all)
    }
  }
}

/** Joined names beyond this many are no renames but an attack on the time of those who follow them. */
const MAX_ALIASES = 50

function statementsOf(file: SqlFile, position: number): Sent[] {
  return splitStatements(file.text).statements.map((s, index) => sentOf(file, position, index, s))
}

function sentOf(file: SqlFile, position: number, index: number, { text, line, endLine }: StatementText): Sent {
  const ends = [line, endLine].map((n) => file.lines?.[n - 1] ?? n)
  return { file, position, index, line: Math.min(...ends), endLine: Math.max(...ends), startsAt: line, text, read: readStatement(text) }
}

function partsOf(s: Sent): readonly Sent[] {
  if (!s.text.includes('\n') || s.read.does === 'nothing') return []
  const parts = splitAtMissingSemicolons({ text: s.text, line: s.startsAt, endLine: s.startsAt })
  return parts.length < 2 ? [] : parts.map((part) => sentOf(s.file, s.position, s.index, part))
}

/** Whether a place begins within a statement. */
export function isOf(at: Place, s: Sent): boolean {
  return at.path === s.file.path && at.line >= s.line && at.line <= s.endLine
}
