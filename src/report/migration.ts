import { plural } from '../lib/plural.ts'
import type { ReportFinding } from './report.ts'
import { safeCode, safeText } from './whole-text.ts'
import { worstFirst } from './worst-first.ts'

/** SQL fixes that were applied in the sandbox and closed their holes, as one file, the worst first. */
export interface Migration {
  readonly sql: string
  readonly fixes: readonly ReportFinding[]
  /** Fixes that would collide with an earlier one. */
  readonly left: readonly ReportFinding[]
  /** Fixes that did not fit into the file. */
  readonly tooLong: readonly ReportFinding[]
}

/** Fixes with the same SQL, and the names that it creates. */
interface Part {
  readonly code: string
  readonly fixes: ReportFinding[]
}

/** One migration with every proved SQL fix that fits into `budget` characters, each whole; undefined when there are none. */
export function migrationFor(findings: readonly ReportFinding[], budget = 20_000): Migration | undefined {
  const { parts, left } = collect(worstFirst(findings).filter((f) => f.fix.proved && f.fix.language === 'sql' && f.fix.code))
  const tooLong: ReportFinding[] = []
  const kept: Part[] = []
  const texts: string[] = []
  let room = budget - notes(findings.length, findings.length).length
  for (const part of parts) {
    const text = textOf(part)
    if (text.length + 2 > room) {
      tooLong.push(...part.fixes)
      continue
    }
    room -= text.length + 2
    kept.push(part)
    texts.push(text)
  }
  if (!kept.length) return undefined
  const note = notes(tooLong.length, left.length)
  return { sql: [...texts, ...(note ? [note] : [])].join('\n\n'), fixes: kept.flatMap((p) => p.fixes), left, tooLong }
}

function collect(proved: readonly ReportFinding[]): { parts: Part[]; left: ReportFinding[] } {
  const parts = new Map<string, Part>()
  const made = new Set<string>()
  const left: ReportFinding[] = []
  for (const f of proved) {
    const code = ended(safeCode(f.fix.code ?? '').trim())
    const same = parts.get(code)
    if (same) {
      same.fixes.push(f)
      continue
    }
    const names = created(code)
    // Two fixes that make a policy of one name were each proved alone; together the second would fail.
    if (names.some((n) => made.has(n))) {
      left.push(f)
      continue
    }
    for (const n of names) made.add(n)
    parts.set(code, { code, fixes: [f] })
  }
  return { parts: [...parts.values()], left }
}

/** What the SQL is for and what to know before it is run, as comments, then the SQL. */
function textOf({ code, fixes }: Part): string {
  const headlines = fixes.map((f) => `${safeText(f.title)}: ${safeText(f.subject)}`)
  const caveats = fixes.flatMap((f) => [safeText(f.fix.text), ...(f.assumes ? [`Assumes: ${safeText(f.assumes)}`] : [])])
  return [...[...new Set([...headlines, ...caveats])].flatMap(comment), code].join('\n')
}

/** A text as comment lines; each begins with two dashes, whatever the text holds. */
function comment(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < MAX_LINE) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`-- ${word}`)
  }
  return lines
}

const MAX_LINE = 110

function notes(tooLong: number, collisions: number): string {
  return [
    ...(tooLong ? comment(`Left out: ${plural(tooLong, 'fix', 'fixes')} for which there was no room. Each is shown at its finding.`) : []),
    ...(collisions
      ? comment(
          `Left out: ${plural(collisions, 'fix', 'fixes')} that would collide with one of these. Audit again after applying them, or see ${collisions === 1 ? 'its finding' : 'the findings'}.`,
        )
      : []),
  ].join('\n')
}

/** A part that follows must not become part of this one's last statement. */
function ended(sql: string): string {
  const last = sql.split('\n').findLast((line) => line.trim() !== '' && !line.trimStart().startsWith('--'))
  return last?.split('--')[0]?.trimEnd().endsWith(';') ? sql : `${sql}\n;`
}

/** Policies that the SQL creates or drops, and functions that it replaces. */
function created(sql: string): string[] {
  const policies = [...sql.matchAll(/\b(?:create|drop|alter)\s+policy\s+(?:if\s+exists\s+)?("[^"]*"|\w+)\s+on\s+([\w."]+)/gi)].map((m) =>
    `policy ${m[1]} ${m[2]}`.toLowerCase(),
  )
  const functions = [...sql.matchAll(/\bcreate\s+or\s+replace\s+(?:function|view)\s+([\w."]+)/gi)].map((m) => `object ${m[1]}`.toLowerCase())
  return [...new Set([...policies, ...functions])]
}
