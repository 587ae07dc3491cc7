import type { Report, ReportFinding } from './report.ts'

/**
 * Why a finding that a later report no longer has may still be there; undefined when it is fixed. Gone counts as fixed only where everything that could
 * show it was read: breaking a file must not look like a repair.
 */
export function whyNotFixed({ path, check }: Pick<ReportFinding, 'path' | 'check'>, before: Report, after: Report): string | undefined {
  if (!after.audit.complete) return 'Not every file could be listed.'
  const known = new Set(before.gaps.map((g) => `${g.path} ${g.because}`))
  const gaps = after.gaps.filter((g) => g.touches.length && !known.has(`${g.path} ${g.because}`))
  if (gaps.some((g) => g.lost || !g.path)) return 'The SQL can no longer be replayed, so nothing is known of the database.'
  if (gaps.some((g) => g.path === path)) return 'The file can no longer be read: correct its syntax first.'
  if (after.checks.find((c) => c.id === check)?.status === 'unverified') return 'The check cannot be answered any more.'
  return undefined
}
