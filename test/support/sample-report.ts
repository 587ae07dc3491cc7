import { CHECKS } from '../../src/checks/index.ts'
import type { Report, ReportCheck, ReportFinding } from '../../src/report/report.ts'

/** Text that tries to leave its place in every rendering: HTML, Markdown, terminals, mentions, directions. */
export const HOSTILE = `<script>alert(1)</script> ![x](http://evil.test/p.png) @everyone | a | \u001b[31mred\u001b[0m \u202Egnp.exe \`\`\` <!-- --> [y](javascript:alert(1)) & "q" 'q' #1 owner/repo#2`

/** A finding of a report; `subject` decides its fingerprint in the sample. */
export function reportFinding(fields: Partial<ReportFinding> & { subject: string }): ReportFinding {
  return {
    fingerprint: Buffer.from(fields.subject).toString('hex').padEnd(16, '0').slice(0, 16),
    check: 'rls/enabled',
    severity: 'Critical',
    title: 'RLS is off',
    message: `${fields.subject} has no row-level security.`,
    attack: 'Anyone with the anon key, which is in your web page, reads every row.',
    fix: { text: 'Enable it and let owners see their rows.', language: 'sql', code: 'alter table public.todos enable row level security;', proved: true },
    path: 'supabase/migrations/20260101_init.sql',
    line: 3,
    endLine: 6,
    related: [],
    alsoFails: [],
    aliases: ['splinter:0013'],
    help: 'https://github.com/prelaunch/prelaunch/blob/main/src/checks/rls/enabled.md',
    proof: 'executed',
    ...fields,
  }
}

/** A whole report: the given findings under their checks, everything else passed, one check unverified. */
export function sampleReport(findings: readonly ReportFinding[] = [reportFinding({ subject: 'table public.todos' })], fields: Partial<Report> = {}): Report {
  const checks = CHECKS.map((c): ReportCheck => {
    const own = findings.filter((f) => f.check === c.id)
    const head = { number: c.number, id: c.id, category: c.category, rule: c.rule }
    if (own.length) return { ...head, status: 'failed', evidence: [], findings: own }
    if (c.number === 11)
      return {
        ...head,
        status: 'unverified',
        because: 'the hosted setting is not in the repository',
        howToVerify: { where: 'Authentication → Providers → Email', attest: 'the expiry in seconds' },
        evidence: [],
        findings: [],
      }
    return { ...head, status: 'passed', evidence: ['looked at 3 tables'], findings: [] }
  })
  const level = (s: ReportFinding['severity']) => findings.filter((f) => f.severity === s).length
  return {
    version: 1,
    tool: { name: 'prelaunch', version: '0.1.0' },
    audit: {
      repository: 'ann/shop',
      commit: 'a'.repeat(40),
      complete: true,
      files: 12,
      history: { commits: 3, complete: true },
      advisories: { source: 'none' },
      config: { problems: [] },
    },
    checks,
    routes: [
      {
        method: 'GET',
        route: '/api/orders',
        subject: 'route GET /api/orders',
        kind: 'api',
        framework: 'next-app',
        guard: null,
        client: 'service',
        tables: ['orders'],
        path: 'app/api/orders/route.ts',
        line: 4,
      },
    ],
    access: [
      {
        kind: 'table',
        object: 'public.todos',
        rls: false,
        cells: [
          { role: 'anon', command: 'select', row: 'other', result: 'allowed' },
          { role: 'anon', command: 'insert', row: 'forged', result: 'refused' },
          { role: 'A', command: 'select', row: 'own', result: 'allowed' },
          { role: 'A', command: 'select', row: 'other', result: 'refused' },
          { role: 'A', command: 'update', row: 'other', result: 'error', because: 'infinite recursion' },
        ],
      },
    ],
    summary: {
      critical: level('Critical'),
      high: level('High'),
      medium: level('Medium'),
      failed: checks.filter((c) => c.status === 'failed').length,
      passed: checks.filter((c) => c.status === 'passed').length,
      notApplicable: 0,
      unverified: 1,
    },
    suppressed: [],
    gaps: [],
    ...fields,
  }
}
