import * as v from 'valibot'
import { SEVERITIES } from '../checks/outcome.ts'
import type { Report, ReportFinding } from './report.ts'

/** Findings that a project had when it began to use Prelaunch. They are shown and do not block. */
export interface Baseline {
  readonly version: 1
  /** In the order of the fingerprints. `check` and `subject` are for people who read the file. */
  readonly findings: readonly Pick<ReportFinding, 'fingerprint' | 'severity' | 'check' | 'subject'>[]
}

const schema = v.object({
  version: v.literal(1),
  findings: v.array(
    v.object({ fingerprint: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)), severity: v.picklist(SEVERITIES), check: v.string(), subject: v.string() }),
  ),
})

/** Characters of a baseline file; about 30,000 findings. */
export const MAX_BASELINE = 4 << 20

/** The text of a baseline file for the findings of a report. The same findings give the same bytes. */
export function writeBaseline(report: Pick<Report, 'checks'>): string {
  const findings = report.checks
    .flatMap((c) => c.findings)
    .map(({ fingerprint, severity, check, subject }) => ({ fingerprint, severity, check, subject }))
    .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
  return `${JSON.stringify({ version: 1, findings } satisfies Baseline, null, 2)}\n`
}

/** Reads the text of a baseline file; undefined when it is none. */
export function parseBaseline(text: string): Baseline | undefined {
  if (text.length > MAX_BASELINE) return undefined
  try {
    const parsed = v.safeParse(schema, JSON.parse(text), { abortEarly: true })
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/**
 * The report as a comparison with a baseline: what the baseline holds is existing, unless it is more severe now. `gone` counts entries of the baseline
 * that the report has no more.
 */
export function withBaseline(report: Report, baseline: Baseline): { readonly report: Report; readonly gone: number } {
  const known = new Map(baseline.findings.map((f) => [f.fingerprint, SEVERITIES.indexOf(f.severity)]))
  const introducedByChange = report.comparison && new Set(report.comparison.introduced)
  const all = report.checks.flatMap((c) => c.findings)
  const isAccepted = (f: ReportFinding) => SEVERITIES.indexOf(f.severity) >= (known.get(f.fingerprint) ?? Number.POSITIVE_INFINITY)
  const introduced = new Set(all.filter((f) => (introducedByChange?.has(f.fingerprint) ?? true) && !isAccepted(f)).map((f) => f.fingerprint))
  const prints = [...new Set(all.map((f) => f.fingerprint))]
  const present = new Set([...prints, ...report.suppressed.map((s) => s.finding.fingerprint)])
  const stateOf = (f: ReportFinding): ReportFinding => ({ ...f, state: introduced.has(f.fingerprint) ? 'introduced' : 'existing' })
  return {
    report: {
      ...report,
      checks: report.checks.map((c) => ({ ...c, findings: c.findings.map(stateOf) })),
      comparison: {
        fixed: [],
        unreadable: [],
        ...report.comparison,
        introduced: prints.filter((p) => introduced.has(p)),
        existing: prints.filter((p) => !introduced.has(p)),
      },
    },
    gone: [...known.keys()].filter((p) => !present.has(p)).length,
  }
}
