import { SEVERITIES, type Severity } from '../checks/outcome.ts'
import type { Config } from '../config/config.ts'
import { type Item, itemsOf } from '../report/items.ts'
import type { Report } from '../report/report.ts'

/** What is known about the place where a report is shown. */
export interface Audience {
  /** Findings of a private repository may be shown in full. */
  readonly private: boolean
  readonly config: Pick<Config, 'failOn' | 'comment' | 'publish'>
  /** `https://github.com/owner/name`. */
  readonly repositoryUrl: string
  /** Whether the branch demands this check; undefined when nobody could tell. */
  readonly required?: boolean
  /** The base branch, for sentences. */
  readonly baseBranch?: string
  /** Paths that differ between merge base and head. */
  readonly changedPaths?: ReadonlySet<string>
  /** Web page of the check run, for the comment. */
  readonly checkRunUrl?: string
  /** The event is a pull request or merge group; otherwise a push to the default branch. */
  readonly kind: 'pull_request' | 'merge_group' | 'push'
}

/** The findings of a report as an audience may see them, each cause once. */
export interface Shown {
  readonly introduced: readonly Item[]
  readonly existing: readonly Item[]
  /** False when existing findings are shown as counts only. */
  readonly existingInFull: boolean
  readonly fixed: readonly Item[]
  readonly unreadable: readonly Item[]
  /** Introduced items at or above the configured level. */
  readonly blocking: readonly Item[]
}

/** Sorts findings into introduced, existing and fixed, and applies what may be public. Without a comparison everything counts as existing. */
export function shown(report: Report, audience: Pick<Audience, 'private' | 'config'>): Shown {
  const all = report.checks.flatMap((c) => c.findings)
  const introducedPrints = new Set(report.comparison?.introduced)
  const introduced = itemsOf(all.filter((f) => introducedPrints.has(f.fingerprint)))
  const existing = itemsOf(all.filter((f) => !introducedPrints.has(f.fingerprint)))
  const publish = audience.config.publish ?? (audience.private ? 'all' : 'introduced')
  return {
    introduced,
    existing,
    existingInFull: publish === 'all',
    fixed: itemsOf(report.comparison?.fixed ?? []),
    unreadable: itemsOf(report.comparison?.unreadable ?? []),
    blocking: introduced.filter((f) => isAtLeast(f.severity, audience.config.failOn)),
  }
}

/** Whether a severity reaches the configured level. */
export function isAtLeast(severity: Severity, level: Config['failOn']): boolean {
  if (level === 'never') return false
  return SEVERITIES.indexOf(severity) <= SEVERITIES.findIndex((s) => s.toLowerCase() === level)
}
