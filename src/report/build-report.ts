import type { CheckResult } from '../checks/run-checks.ts'
import type { Attestation, Config, ConfigProblem } from '../config/config.ts'
import type { Comparison } from '../findings/compare.ts'
import type { Finding } from '../findings/finding.ts'
import type { SuppressedFinding } from '../findings/suppress.ts'
import { comparePlaces } from '../lib/place.ts'
import type { AppModel } from '../model/app-model.ts'
import { reportItems } from './items.ts'
import type { Report, ReportCheck, ReportFinding } from './report.ts'
import { reportRoutes } from './report-routes.ts'
import { startItems, stepsByHand } from './start-with.ts'

export const TOOL_VERSION = '0.1.0'

/** Where the documentation of the checks lives. */
export const HELP_BASE = 'https://github.com/prelaunch/prelaunch/blob/main/src/checks/'

/** Everything that a report is made of. */
export interface ReportInput {
  readonly audit: Omit<Report['audit'], 'config'>
  readonly configCommit?: string
  readonly problems: readonly ConfigProblem[]
  readonly config: Config
  /** ISO date, for the expiry of attestations. */
  readonly today: string
  readonly results: readonly CheckResult[]
  readonly findings: readonly Finding[]
  readonly suppressed: readonly SuppressedFinding[]
  readonly comparison?: Comparison
  readonly model: AppModel
}

/** Puts the document together. Everything in it is sorted, so that the same repository gives the same bytes. */
export function buildReport(input: ReportInput): Report {
  const ruleOf = new Map(input.results.map((r) => [r.check.id, r.check.rule]))
  const introduced = new Set(input.comparison?.introduced.map((f) => f.fingerprint))
  const render = (f: Finding, state?: ReportFinding['state']): ReportFinding => reportFinding(f, ruleOf.get(f.check) ?? f.check, state)
  const stateOf = (f: Finding): ReportFinding['state'] => (input.comparison ? (introduced.has(f.fingerprint) ? 'introduced' : 'existing') : undefined)
  const checks = input.results.map((r) => reportCheck(r, input, (f) => render(f, stateOf(f))))
  const all = checks.flatMap((c) => c.findings)
  // what a role may do to a table of an application's own Postgres reaches nobody: browsers have no interface to it
  const withDataApi = input.model.schema.exposedToBrowsers
  const count = (status: ReportCheck['status']) => checks.filter((c) => c.status === status).length
  const level = (severity: ReportFinding['severity']) => all.filter((f) => f.severity === severity).length
  const report: Report = {
    version: 1,
    tool: { name: 'prelaunch', version: TOOL_VERSION },
    audit: { ...input.audit, config: { ...(input.configCommit ? { commit: input.configCommit } : {}), problems: [...input.problems].sort(comparePlaces) } },
    checks,
    routes: reportRoutes(input.model),
    access: withDataApi ? input.model.access.objects : [],
    summary: {
      critical: level('Critical'),
      high: level('High'),
      medium: level('Medium'),
      failed: count('failed'),
      passed: count('passed'),
      notApplicable: count('not-applicable'),
      unverified: count('unverified'),
    },
    ...(input.comparison
      ? {
          comparison: {
            introduced: input.comparison.introduced.map((f) => f.fingerprint),
            existing: input.comparison.existing.map((f) => f.fingerprint),
            fixed: input.comparison.fixed.map((f) => render(f)),
            unreadable: input.comparison.unreadable.map((f) => render(f, 'unreadable')),
            ...(input.comparison.lost ? { lost: input.comparison.lost } : {}),
            ...(withDataApi && input.comparison.touched?.length ? { touched: input.comparison.touched } : {}),
          },
        }
      : {}),
    suppressed: input.suppressed.map(({ isNew, ...s }) => ({
      ...s,
      finding: render(s.finding, isNew === undefined ? undefined : isNew ? 'introduced' : 'existing'),
    })),
    gaps: [...input.model.gaps].sort((a, b) => comparePlaces({ path: a.path, line: a.line ?? 0 }, { path: b.path, line: b.line ?? 0 })),
  }
  return { ...report, ...priorities(report) }
}

/** What the report says first, decided once so that a reader of the JSON and a reader of a page begin with the same. */
function priorities(report: Report): Pick<Report, 'startWith' | 'doYourself'> {
  const items = reportItems(report)
  return { startWith: startItems(items).map((i) => i.fingerprint), doYourself: stepsByHand(items) }
}

function reportCheck(result: CheckResult, input: ReportInput, render: (f: Finding) => ReportFinding): ReportCheck {
  const { check, outcome } = result
  const findings = input.findings.filter((f) => f.check === check.id).map(render)
  const head = { number: check.number, id: check.id, category: check.category, rule: check.rule, ...(result.coverage ? { coverage: result.coverage } : {}) }
  if (outcome.status === 'failed') {
    const reportedUnder = (outcome.reportedBy ?? []).flatMap(([number, subject]) =>
      input.findings.filter((f) => f.checkNumber === number && f.subject === subject).map((f) => f.fingerprint),
    )
    if (!findings.length && !reportedUnder.length) {
      const elsewhere = new Set((outcome.reportedBy ?? []).map(([number, subject]) => `${number} ${subject}`))
      const suppressed = input.suppressed.some(({ finding: f }) => f.check === check.id || elsewhere.has(`${f.checkNumber} ${f.subject}`))
      const because = suppressed ? ['every finding is suppressed with a reason (listed below)'] : []
      return { ...head, status: 'passed', evidence: [...outcome.evidence, ...because], findings }
    }
    return { ...head, status: 'failed', evidence: outcome.evidence, findings, ...(reportedUnder.length ? { reportedUnder: [...new Set(reportedUnder)] } : {}) }
  }
  if (outcome.status === 'passed') return { ...head, status: 'passed', evidence: outcome.evidence, findings }
  if (outcome.status === 'not-applicable') return { ...head, status: 'not-applicable', because: outcome.because, evidence: outcome.evidence ?? [], findings }
  const attested = attestationFor(check.id, input.config.attest, input.today)
  if (attested) {
    return {
      ...head,
      status: 'passed',
      evidence: [...(outcome.evidence ?? []), `attested by ${attested.by} on ${attested.date}: ${attested.statement}`],
      attested: { by: attested.by, date: attested.date, ...(attested.expires ? { expires: attested.expires } : {}) },
      findings,
    }
  }
  return { ...head, status: 'unverified', because: outcome.because, howToVerify: outcome.howToVerify, evidence: outcome.evidence ?? [], findings }
}

function attestationFor(check: string, attestations: readonly Attestation[], today: string): Attestation | undefined {
  return attestations.find((a) => a.check === check && (a.expires === undefined || a.expires >= today))
}

function reportFinding(f: Finding, rule: string, state: ReportFinding['state']): ReportFinding {
  const { rewrite: _, from: _from, stops: _stops, ...fix } = f.fix
  return {
    fingerprint: f.fingerprint,
    check: f.check,
    severity: f.severity,
    subject: f.subject,
    title: f.title ?? rule,
    message: f.message,
    attack: f.attack,
    fix,
    path: f.at.path,
    line: f.at.line,
    endLine: f.at.endLine ?? f.at.line,
    related: (f.related ?? []).map((r) => ({ path: r.path, line: r.line, ...(r.subject ? { subject: r.subject } : {}), what: r.what })),
    alsoFails: f.alsoFails ?? [],
    cause: f.cause,
    aliases: f.aliases ?? [],
    help: `${HELP_BASE}${f.check}.md`,
    proof: f.proof,
    ...(f.assumes ? { assumes: f.assumes } : {}),
    ...(f.workspace ? { workspace: f.workspace } : {}),
    ...(state ? { state } : {}),
  }
}
