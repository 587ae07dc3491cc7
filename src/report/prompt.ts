import { plain } from '../lib/escape-markdown.ts'
import type { ReportFinding } from './report.ts'

const KEEP = 'Do not weaken other rules, do not add exceptions, and keep the application working for its own users.'

/** An instruction that the AI builder which made the app can carry out: what, where, how to know that it is done. */
export function promptFor(finding: ReportFinding): string {
  return [
    'Fix this security problem and change nothing else.',
    `File: ${plain(finding.path)}, line ${finding.line} (${plain(finding.subject)}).`,
    `Problem: ${plain(finding.message)}`,
    `Risk: ${plain(finding.attack)}`,
    `Do this: ${plain(finding.fix.text)}${inMigration(finding)}`,
    ...(finding.fix.code ? [`${codeTitle(finding)}\n${plain(finding.fix.code, { lines: true, max: 6000 })}`] : []),
    ...(finding.related.length
      ? [
          `Also look at: ${finding.related
            .slice(0, 5)
            .map((r) => `${plain(r.path)}:${r.line}`)
            .join(', ')}.`,
        ]
      : []),
    KEEP,
  ].join('\n')
}

/** One instruction for several findings. */
export function promptForAll(findings: readonly ReportFinding[], max = 20): string {
  const numbered = findings
    .slice(0, max)
    .map(
      (f, i) =>
        `${i + 1}. ${plain(f.path)}:${f.line} (${plain(f.subject)})\n   Problem: ${plain(f.message)}\n   Do this: ${plain(f.fix.text)}${f.fix.code ? `\n${plain(f.fix.code, { lines: true, max: 3000 }).replace(/^/gm, '   ')}` : ''}`,
    )
  const sql = findings.some((f) => f.fix.language === 'sql') ? 'Database changes go into a new migration. ' : ''
  return [
    `Fix these ${Math.min(findings.length, max)} security problems, one after the other, and change nothing else.`,
    ...numbered,
    ...(findings.length > max ? [`${findings.length - max} more are in the full report; they come after these.`] : []),
    `${sql}${KEEP}`,
  ].join('\n\n')
}

function inMigration(f: ReportFinding): string {
  return f.fix.language === 'sql' && !f.fix.replaces ? ' Put it into a new migration; do not edit one that has been applied.' : ''
}

function codeTitle({ fix, path }: ReportFinding): string {
  if (!fix.replaces) return 'Code for this place:'
  const { line, endLine } = fix.replaces
  const where = `${fix.replaces.path === path ? '' : `of ${plain(fix.replaces.path)} `}`
  return line === endLine ? `Line ${line} ${where}becomes:` : `Lines ${line} to ${endLine} ${where}become:`
}
