import type { Fix } from '../checks/outcome.ts'
import { findSecrets } from '../facts/secrets/detect.ts'
import type { Finding } from './finding.ts'

/** A line longer than this is generated or minified: nobody reviews a suggestion for it. */
const MAX_LINE = 1000

/** Paths whose text is needed to state the fixes of these findings exactly. */
export function rewrittenPaths(findings: readonly Finding[]): string[] {
  return [...new Set(findings.flatMap((f) => f.fix.rewrite?.path ?? []))].sort()
}

/** Applies the rewrites of fixes to the text of their files: `code` becomes the new lines, `replaces` says which lines they take the place of. */
export function stateExactFixes(findings: readonly Finding[], textOf: ReadonlyMap<string, string>): Finding[] {
  return findings.map((f) => (f.fix.rewrite ? { ...f, fix: stated(f.fix, textOf.get(f.fix.rewrite.path)) } : f))
}

function stated({ rewrite, ...fix }: Fix, text: string | undefined): Fix {
  if (!rewrite || text === undefined) return fix
  const all = text.split('\n')
  const old = all.slice(rewrite.line - 1, rewrite.endLine ?? rewrite.line)
  // A suggestion writes line feeds: with other line ends, and past what a person reads, no exact change can be offered.
  if (!old.length || old.some((line) => line.length > MAX_LINE || line.includes('\r'))) return fix
  const next = rewrite.apply(old)
  if (!next || next.join('\n') === old.join('\n')) return fix
  let from = 0
  while (from < Math.min(old.length, next.length) && old[from] === next[from]) from++
  let kept = 0
  while (kept < Math.min(old.length, next.length) - from && old[old.length - 1 - kept] === next[next.length - 1 - kept]) kept++
  // A suggestion replaces lines by lines: what only adds or only takes away includes the line before.
  if ((from === old.length - kept || from === next.length - kept) && from > 0) from--
  const code = next.slice(from, next.length - kept).join('\n')
  if (from >= old.length - kept || findSecrets(code).length) return fix
  return { ...fix, code, replaces: { path: rewrite.path, line: rewrite.line + from, endLine: rewrite.line + old.length - kept - 1 } }
}
