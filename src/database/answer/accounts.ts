import type { StatementOutcome, ToldResult } from './outcome.ts'
import type { Sent, SentSql } from './sent.ts'

/** The outcomes of one file, found by line. */
class FileOutcomes {
  private readonly sorted: readonly StatementOutcome[]
  private readonly reach: readonly number[]
  private readonly each: readonly StatementOutcome[]

  constructor(outcomes: readonly StatementOutcome[]) {
    this.each = outcomes
    this.sorted = [...outcomes].sort((a, b) => a.line - b.line)
    let end = 0
    this.reach = this.sorted.map((o) => {
      end = Math.max(end, o.endLine)
      return end
    })
  }

  get count(): number {
    return this.each.length
  }

  /** The outcome of a statement: the one at its position, else one that begins within its lines, else one that reaches over its beginning. */
  of(s: Sent, statements: number): StatementOutcome | undefined {
    const same = statements === this.each.length ? this.each[s.index] : undefined
    if (same && same.line >= s.line && same.line <= s.endLine) return same
    let low = 0
    for (let high = this.sorted.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((this.sorted[middle] as StatementOutcome).line < s.line) low = middle + 1
      else high = middle
    }
    const within = this.sorted[low]
    if (within && within.line <= s.endLine) return within
    const before = this.sorted[low - 1]
    return before && (this.reach[low - 1] as number) >= s.line ? before : undefined
  }
}

/** What became of every statement that was sent, as the answer tells it. */
export class Accounts {
  private readonly sent: SentSql
  private readonly files: ReadonlyMap<number, FileOutcomes>
  private readonly outcomes: readonly StatementOutcome[]

  constructor(sent: SentSql, outcomes: readonly StatementOutcome[]) {
    this.sent = sent
    this.outcomes = outcomes
    const byFile = Map.groupBy(outcomes, (o) => o.file)
    this.files = new Map(sent.input.files.map((_, i) => [i, new FileOutcomes(byFile.get(i) ?? [])]))
  }

  of(s: Sent): StatementOutcome['outcome'] | undefined {
    return this.files.get(s.position)?.of(s, this.sent.byFile.get(s.position)?.length ?? 0)?.outcome
  }

  /** Whether a statement was left out for a reason that the files show: others make the same, or it would take that down. */
  isLeftOut(s: Sent): boolean {
    return this.of(s) === 'skipped' && this.mayLeaveOut(s)
  }

  /** Why the accounts do not add up, or undefined. */
  mistake({ statements, gaps, order }: Pick<ToldResult, 'statements' | 'gaps' | 'order'>): string | undefined {
    const count = (...which: readonly StatementOutcome['outcome'][]) => this.outcomes.filter((o) => which.includes(o.outcome)).length
    if (this.outcomes.some((o) => o.file >= this.sent.input.files.length)) return 'it tells of a file that was not sent'
    if (statements.total !== this.outcomes.length - count('skipped'))
      return `it counts ${statements.total} statements and tells of ${this.outcomes.length - count('skipped')}`
    if (statements.applied !== count('applied')) return `it counts ${statements.applied} applied statements and tells of ${count('applied')}`
    if (statements.explained !== count('explained')) return `it counts ${statements.explained} explained statements and tells of ${count('explained')}`
    const ordered = new Set(order)
    for (const o of this.outcomes) {
      const file = this.sent.input.files[o.file]
      if (!file || o.outcome === 'skipped' || ordered.has(file.path)) continue
      return `${file.path} is not in its order of the files`
    }
    const doubts = new Set(gaps.flatMap((g) => (g.touches.some((t) => t.topic === 'anything') ? [`${g.path}\0${g.line}`] : [])))
    for (const o of this.outcomes) {
      const file = this.sent.input.files[o.file]
      if (o.outcome !== 'doubtful' || !file || file.role === 'outline' || doubts.has(`${file.path}\0${o.line}`)) continue
      return `no gap tells of the statement at ${file.path}:${o.line}, which was not applied`
    }
    return this.missing()
  }

  private missing(): string | undefined {
    for (const s of this.sent.statements) {
      if (!isAccountable(s)) continue
      const outcome = this.of(s)
      if (outcome === undefined) return `it says nothing of ${called(s)}`
      if (outcome === 'skipped' && !this.mayLeaveOut(s)) return `${called(s)} was left out although nothing else makes the same`
    }
    return undefined
  }

  /** Loose files lose what migrations make too; exports for reading, which say nothing of who may do what, anything. */
  private mayLeaveOut(s: Sent): boolean {
    const { role } = s.file
    if (role === 'outline') return true
    if (role !== 'loose') return false
    if (s.read.does === 'drop' || s.read.does === 'create function') return true
    const own = this.sent.byFile.get(s.position) ?? []
    return own.some(({ read }) => read.does === 'create relation' && this.sent.creating(read.name.name).some((o) => o.file.role !== 'loose'))
  }
}

const ACCOUNTABLE: ReadonlySet<string> = new Set([
  'create relation',
  'create function',
  'create policy',
  'create',
  'alter table',
  'rename',
  'alter',
  'drop',
  'grant',
  'revoke',
])

/** Whether a statement changes the schema or who may do what, by its head. */
const isAccountable = (s: Sent): boolean => ACCOUNTABLE.has(s.read.does)

/** A statement in a sentence: its beginning and its place. */
export function called(s: Sent): string {
  const words = s.text.slice(0, 300).replace(/\s+/g, ' ').slice(0, 60)
  return `\`${words.replaceAll('`', "'")}\` (${s.file.path}:${s.line})`
}
