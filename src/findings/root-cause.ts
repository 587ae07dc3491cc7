import { createHash } from 'node:crypto'
import type { Fix, Issue } from '../checks/outcome.ts'
import type { Finding } from './finding.ts'
import { compareFindings } from './order.ts'

/**
 * The id of what one change repairs: 16 hexadecimal digits, equal for findings of any check that the same change repairs. A finding whose check names
 * no cause is one by itself.
 */
export function causeId(checkId: string, issue: Pick<Issue, 'subject' | 'discriminator' | 'workspace'> & { readonly cause?: string | undefined }): string {
  const own = [checkId, issue.subject, issue.discriminator ?? '']
  return createHash('sha256')
    .update(JSON.stringify([...(issue.cause === undefined ? own : [issue.cause]), issue.workspace ?? '']))
    .digest('hex')
    .slice(0, 16)
}

/**
 * Findings of one cause carry one fix, so that none contradicts another: that of the finding that is shown for them. What code at other places needs
 * is the same change for its own lines, and stays.
 */
export function withOneFix(findings: readonly Finding[]): Finding[] {
  const fixes = new Map<Finding, Fix>()
  for (const cause of Map.groupBy(findings, (f) => f.cause).values()) {
    const [first] = cause
    const alike = first?.fix.code !== undefined && first.fix.language === 'sql' && cause.every((f) => f.fix.code === first.fix.code)
    for (const group of alike ? [cause] : Map.groupBy(cause, (f) => `${f.at.path}:${f.at.line}`).values()) {
      if (group.length < 2) continue
      const fix = fixOfAll(group.toSorted(compareFindings))
      for (const finding of group) fixes.set(finding, fix)
    }
  }
  return findings.map((f) => {
    const { from: _, stops: __, ...own } = fixes.get(f) ?? f.fix
    return { ...f, fix: own }
  })
}

/** `sorted` has the finding that speaks first; words are those of the finding whose code it is, or of all whose code was put together. */
function fixOfAll(sorted: readonly Finding[]): Fix {
  const first = sorted.find((f) => f.fix.from === undefined && f.fix.code !== undefined) ?? (sorted[0] as Finding)
  const several = sorted.some((f) => f.fix.from === 'several')
  const said = (several ? sorted : [first]).map(({ fix }) => (fix.stops && fix.text.endsWith(fix.stops) ? fix.text.slice(0, -fix.stops.length) : fix.text))
  const stops = sorted.flatMap(({ fix }) => fix.stops ?? [])
  const byHand = first.fix.byHand ?? sorted.find((f) => f.fix.byHand)?.fix.byHand
  return { ...first.fix, ...(byHand ? { byHand } : {}), text: `${[...new Set(said)].join(' ')}${[...new Set(stops)].join('')}` }
}
