import type { Location, Log, Result } from 'sarif'
import { linkPath, plain } from '../lib/escape-markdown.ts'
import { HELP_BASE } from '../report/build-report.ts'
import { type Item, reportItems } from '../report/items.ts'
import type { Report, ReportFinding } from '../report/report.ts'

const SARIF_LEVEL_BY_SEVERITY = { Critical: 'error', High: 'warning', Medium: 'note' } as const
/** What GitHub's code scanning sorts by. */
const SECURITY_SEVERITY = { Critical: '9.5', High: '7.5', Medium: '5.0' } as const

/** GitHub takes 25,000 results of a run at most. */
const MAX_RESULTS = 25_000

/** The findings as a SARIF 2.1.0 document, to be written as JSON: one rule per check, fingerprints that survive moved lines, suppressed findings marked as such. */
export function renderSarif(report: Report): Log {
  const rules = report.checks.map((check) => ({
    id: check.id,
    name: check.id.replaceAll('/', '-'),
    shortDescription: { text: check.rule },
    fullDescription: { text: check.rule },
    helpUri: `${HELP_BASE}${check.id}.md`,
    help: {
      text: `${check.rule}\n\nWhat it finds, why it matters and how to fix it: ${HELP_BASE}${check.id}.md`,
      markdown: `${check.rule}\n\n[What it finds, why it matters and how to fix it](${HELP_BASE}${check.id}.md)`,
    },
    defaultConfiguration: { level: 'warning' as const },
    properties: { tags: ['security', check.category], number: check.number, precision: 'high' },
  }))
  const indexOf = new Map(rules.map((r, i) => [r.id, i]))
  const findings = reportItems(report).flatMap(alerts).slice(0, MAX_RESULTS)
  const results = [
    ...findings.map((f) => result(f, indexOf, report)),
    ...report.suppressed.slice(0, MAX_RESULTS - findings.length).map((s) => ({
      ...result(s.finding, indexOf, report),
      suppressions: [{ kind: 'external' as const, status: 'accepted' as const, justification: plain(s.reason) }],
    })),
  ]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Prelaunch', semanticVersion: report.tool.version, informationUri: 'https://github.com/prelaunch/prelaunch', rules } },
        automationDetails: { id: 'prelaunch/' },
        ...(/^[0-9a-f]{40}$/.test(report.audit.commit) && report.audit.repository
          ? { versionControlProvenance: [{ repositoryUri: `https://github.com/${linkPath(report.audit.repository)}`, revisionId: report.audit.commit }] }
          : {}),
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: report.audit.complete }],
        results,
      },
    ],
  }
}

/** Code scanning follows each place by itself, so every one is an alert; what one cause breaks at one place is one. */
function alerts(item: Item): readonly ReportFinding[] {
  const elsewhere = item.members.filter((m) => m.path !== item.path || m.line !== item.line)
  return [item, ...[...new Map(elsewhere.map((m) => [`${m.path}:${m.line}`, m])).values()]]
}

function result(f: ReportFinding, indexOf: ReadonlyMap<string, number>, report: Report): Result {
  return {
    ruleId: f.check,
    ruleIndex: indexOf.get(f.check) ?? -1,
    level: SARIF_LEVEL_BY_SEVERITY[f.severity],
    message: {
      text: `${plain(f.title)}: ${plain(f.message, { lines: true })}\n\nWhat an attacker does: ${plain(f.attack)}\n\nFix: ${plain(f.fix.text)}${f.fix.code ? `\n\n${plain(f.fix.code, { lines: true, max: 8000 })}` : ''}`,
    },
    locations: [location(f.path, f.line, f.endLine, f.subject)],
    ...(f.related.length
      ? { relatedLocations: f.related.slice(0, 100).map((r, i) => ({ id: i + 1, ...location(r.path, r.line, r.line), message: { text: plain(r.what) } })) }
      : {}),
    partialFingerprints: { 'prelaunch/v1': f.fingerprint },
    ...fixes(f),
    ...(report.comparison && f.state !== undefined ? { baselineState: f.state === 'introduced' ? 'new' : 'unchanged' } : {}),
    properties: {
      'security-severity': SECURITY_SEVERITY[f.severity],
      severity: f.severity,
      subject: plain(f.subject),
      proof: f.proof,
      aliases: f.aliases,
      ...(f.cause ? { cause: f.cause } : {}),
    },
  }
}

/** The exact change of lines, for editors that apply it. */
function fixes({ fix }: ReportFinding): Pick<Result, 'fixes'> {
  if (!fix.replaces || fix.code === undefined) return {}
  const { path, line, endLine } = fix.replaces
  const deletedRegion = { startLine: line, startColumn: 1, endLine: endLine + 1, endColumn: 1 }
  return {
    fixes: [
      {
        description: { text: plain(fix.text) },
        artifactChanges: [
          {
            artifactLocation: { uri: linkPath(path), uriBaseId: '%SRCROOT%' },
            replacements: [{ deletedRegion, insertedContent: { text: `${plain(fix.code, { lines: true, max: 8000 })}\n` } }],
          },
        ],
      },
    ],
  }
}

function location(path: string, line: number, endLine: number, subject?: string): Location {
  const startLine = Math.max(1, line)
  return {
    physicalLocation: { artifactLocation: { uri: linkPath(path), uriBaseId: '%SRCROOT%' }, region: { startLine, endLine: Math.max(startLine, endLine) } },
    ...(subject ? { logicalLocations: [{ fullyQualifiedName: plain(subject) }] } : {}),
  }
}
