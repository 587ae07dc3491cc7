import type { Audience } from '../../src/annotations/visible-findings.ts'
import { CHECKS } from '../../src/checks/index.ts'
import type { Report, ReportFinding } from '../../src/report/report.ts'

/** A finding with sensible values. */
export function finding(changes: Partial<ReportFinding> = {}): ReportFinding {
  return {
    fingerprint: '0123456789abcdef',
    check: 'rls/enabled',
    severity: 'Critical',
    subject: 'table public.messages',
    title: 'Row level security is off',
    message: 'The table `public.messages` has no row level security.',
    attack: 'Anybody reads every message with the public key.',
    fix: { text: 'Enable it and add policies.', language: 'sql', code: 'alter table public.messages enable row level security;' },
    path: 'supabase/migrations/001.sql',
    line: 3,
    endLine: 3,
    related: [],
    alsoFails: [],
    aliases: ['splinter:0013'],
    help: 'https://example.com/rls/enabled.md',
    proof: 'executed',
    ...changes,
  }
}

/** A report in which the given findings exist, `introduced` of them (all by default) new. */
export function report(findings: readonly ReportFinding[], changes: Partial<Report> & { introduced?: readonly string[] } = {}): Report {
  const { introduced, ...rest } = changes
  const of = (severity: string) => findings.filter((f) => f.severity === severity).length
  return {
    version: 1,
    tool: { name: 'prelaunch', version: '0.1.0' },
    audit: {
      repository: 'octo/shop',
      commit: 'a'.repeat(40),
      base: 'main',
      mergeBase: 'b'.repeat(40),
      pullRequest: 7,
      complete: true,
      files: 3,
      history: { commits: 2, complete: true },
      advisories: { source: 'github' },
      config: { problems: [] },
    },
    checks: CHECKS.map((c) => {
      const own = findings.filter((f) => f.check === c.id)
      return own.length
        ? { number: c.number, id: c.id, category: c.category, rule: c.rule, status: 'failed', evidence: [], findings: own }
        : { number: c.number, id: c.id, category: c.category, rule: c.rule, status: 'passed', evidence: ['3 things looked at'], findings: [] }
    }),
    routes: [],
    access: [],
    summary: { critical: of('Critical'), high: of('High'), medium: of('Medium'), failed: 1, passed: 24, notApplicable: 0, unverified: 0 },
    comparison: { introduced: introduced ?? findings.map((f) => f.fingerprint), existing: [], fixed: [], unreadable: [] },
    suppressed: [],
    gaps: [],
    ...rest,
  }
}

export function audience(changes: Partial<Audience> = {}): Audience {
  return {
    private: true,
    config: { failOn: 'critical', comment: 'always' },
    repositoryUrl: 'https://github.com/octo/shop',
    kind: 'pull_request',
    baseBranch: 'main',
    ...changes,
  }
}
