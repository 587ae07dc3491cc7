import { plain } from '../lib/escape-markdown.ts'
import type { ReportFinding } from './report.ts'

/** SQL fixes that were applied in the sandbox and closed their holes, as one file; `left` are those that would collide with an earlier one. */
export interface Migration {
  readonly sql: string
  readonly fixes: readonly ReportFinding[]
  readonly left: readonly ReportFinding[]
}

/** One migration with every proved SQL fix; undefined when there are none. */
export function migrationFor(findings: readonly ReportFinding[]): Migration | undefined {
  const proved = findings.filter((f) => f.fix.proved && f.fix.language === 'sql' && f.fix.code)
  const seen = new Set<string>()
  const made = new Set<string>()
  const parts: string[] = []
  const [fixes, left]: [ReportFinding[], ReportFinding[]] = [[], []]
  for (const f of proved) {
    const code = plain(f.fix.code ?? '', { lines: true, max: 8000 }).trim()
    if (seen.has(code)) {
      fixes.push(f)
      continue
    }
    const names = created(code)
    // Two fixes that make a policy of one name were each proved alone; together the second would fail.
    if (names.some((n) => made.has(n))) {
      left.push(f)
      continue
    }
    seen.add(code)
    for (const n of names) made.add(n)
    fixes.push(f)
    parts.push(`-- ${plain(f.title)}: ${plain(f.subject)}\n${code}`)
  }
  return fixes.length ? { sql: parts.join('\n\n'), fixes, left } : undefined
}

/** Policies that the SQL creates or drops, and functions that it replaces. */
function created(sql: string): string[] {
  const policies = [...sql.matchAll(/\b(?:create|drop|alter)\s+policy\s+(?:if\s+exists\s+)?("[^"]*"|\w+)\s+on\s+([\w."]+)/gi)].map((m) =>
    `policy ${m[1]} ${m[2]}`.toLowerCase(),
  )
  const functions = [...sql.matchAll(/\bcreate\s+or\s+replace\s+(?:function|view)\s+([\w."]+)/gi)].map((m) => `object ${m[1]}`.toLowerCase())
  return [...new Set([...policies, ...functions])]
}
