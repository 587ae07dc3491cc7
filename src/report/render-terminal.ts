import { styleText } from 'node:util'
import type { AccessObject } from '../database/database.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { allowedVerbs, callableFunctions, callWords, rowObjects, trialOf, VIEWERS, type Viewer } from './access-words.ts'
import { answerOf } from './answer.ts'
import { coverageLine } from './coverage-line.ts'
import { changesOf, countBySeverity, type Item, reportItems } from './items.ts'
import { plural } from './plural.ts'
import type { Report, ReportCheck, ReportFinding } from './report.ts'
import { SEE_MORE } from './see-more.ts'

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

const TERMINAL_MARK_BY_OUTCOME = { failed: '✗', passed: '✓', 'not-applicable': '–', unverified: '?' } as const
const TINT = { failed: 'red', passed: 'green', 'not-applicable': 'gray', unverified: 'yellow' } as const
const SEVERITY_TINT = { Critical: 'red', High: 'yellow', Medium: 'cyan' } as const

const ANSWER_TINT = { bad: 'red', warn: 'yellow', ok: 'green' } as const

/** The report for a terminal; `color` false for pipes. Text of the repository is stripped of control characters. */
export function renderTerminal(report: Report, options: { readonly color: boolean; readonly width?: number }): string {
  const paint: Paint = (style, text) => (options.color ? styleText(style, text, { validateStream: false }) : text)
  const width = Math.max(60, Math.min(options.width ?? 100, 140))
  const out: string[] = [paint('bold', 'Prelaunch audit'), headline(report), '']
  const items = reportItems(report)
  for (const item of items) out.push(...renderItem(report, item, paint, width), '')
  out.push(paint('bold', 'The 25 checks'))
  let category = ''
  for (const c of report.checks) {
    if (c.category !== category) out.push(paint('dim', c.category))
    category = c.category
    out.push(
      `  ${paint(TINT[c.status], TERMINAL_MARK_BY_OUTCOME[c.status])} ${String(c.number).padStart(2)} ${c.id.padEnd(30)} ${paint(TINT[c.status], c.status)}${note(c)}`,
    )
  }
  const coverage = coverageLine(report)
  if (coverage) out.push('', ...wrap(cleanLine(coverage, 600), width, ''))
  out.push(...renderAccess(report, paint))
  if (report.gaps.length) {
    out.push('', paint('bold', `Not understood (${report.gaps.length})`))
    for (const g of report.gaps.slice(0, 15)) out.push(`  ${cleanLine(g.path)}${g.line ? `:${g.line}` : ''} ${cleanLine(g.because)}`)
    if (report.gaps.length > 15) out.push(`  … and ${report.gaps.length - 15} more (${SEE_MORE.commandLine})`)
  }
  for (const p of report.audit.config.problems) out.push('', `${paint('yellow', 'Configuration')} ${cleanLine(p.path)}:${p.line} ${cleanLine(p.message)}`)
  if (report.comparison) {
    const { lost } = report.comparison
    const { introduced, existing, fixed, unreadable } = changesOf(report)
    if (lost) out.push('', paint('red', `The SQL can no longer be replayed, although the base could be: ${cleanLine(lost, 200)}`))
    out.push(
      '',
      `Compared with the base: ${introduced.length} introduced, ${existing.length} existing, ${fixed.length} fixed${unreadable.length ? `, ${unreadable.length} could not be read again` : ''}.`,
    )
  }
  const { Critical: critical, High: high, Medium: medium } = countBySeverity(items)
  const { kind, headline: answer, sentence } = answerOf(report)
  out.push(
    '',
    paint([ANSWER_TINT[kind], 'bold'], answer),
    ...wrap(sentence, width, ''),
    '',
    `${paint(critical ? 'red' : 'green', `${critical} Critical`)}, ${high} High, ${medium} Medium. ${plural(report.summary.passed, 'check')} passed, ${report.summary.failed} failed, ${report.summary.unverified} unverified, ${report.summary.notApplicable} not applicable.`,
  )
  return `${out.join('\n')}\n`
}

/** At most so many lines of the access matrix; the JSON has all. */
const MAX_OBJECTS = 40

/** What strangers and other users can reach; objects that are closed to both take no line. */
function renderAccess({ access }: Report, paint: Paint): string[] {
  const [stranger, other] = VIEWERS
  const said = (o: AccessObject, v: Viewer) => (o.kind === 'function' ? callWords(trialOf(o, v, 'execute')) : allowedVerbs(o, v)).replace(/^refused$/, '')
  const rows = [...rowObjects(access), ...callableFunctions(access).filter((o) => o.definer)]
    .map((o) => ({ o, anon: said(o, stranger), others: said(o, other) }))
    .filter((r) => r.anon || r.others)
  if (!rows.length) return []
  const lines = rows
    .slice(0, MAX_OBJECTS)
    .map(
      ({ o, anon, others }) =>
        `  ${cleanLine(o.object).padEnd(44)} ${(anon || '–').padEnd(28)} ${others || '–'}${o.rls === false ? paint('red', ' (RLS off)') : ''}`,
    )
  return [
    '',
    paint('bold', 'Open to people who own none of it (tried)'),
    paint('dim', `  ${'object'.padEnd(44)} ${stranger.title.padEnd(28)} ${other.title}`),
    ...lines,
    ...(rows.length > MAX_OBJECTS ? [`  … and ${rows.length - MAX_OBJECTS} more (${SEE_MORE.commandLine})`] : []),
  ]
}

function headline(report: Report): string {
  const { audit } = report
  return `${cleanLine(audit.repository ?? '')}${audit.repository ? ' ' : ''}${audit.commit.slice(0, 12)}, ${plural(audit.files, 'file')}, ${plural(audit.history.commits, 'commit')}${audit.complete ? '' : ' (the file list is not complete)'}`
}

function renderItem({ checks }: Report, f: Item, paint: Paint, width: number): string[] {
  const failed = checks.filter((c) => f.members.some((m) => m.check === c.id)).map((c) => `${c.number} ${c.id}`)
  const state = f.state === 'introduced' ? ' (introduced)' : ''
  return [
    `${paint([SEVERITY_TINT[f.severity], 'bold'], f.severity)}${state} ${paint('bold', cleanLine(f.title, 300))} ${paint('dim', `check ${failed.join(', ')}${f.proof === 'executed' ? ', tried: the attack works' : ''}`)}`,
    `  ${paint('underline', `${cleanLine(f.path)}:${f.line}`)} ${cleanLine(f.subject)}`,
    ...wrap(`${cleanLine(f.message)}`, width, '  '),
    ...wrap(`Attack: ${cleanLine(f.attack)}`, width, '  '),
    ...wrap(`Fix: ${cleanLine(f.fix.text)}${f.fix.proved ? ' (tried: it closes the hole)' : ''}`, width, '  '),
    ...(f.fix.replaces && f.fix.code ? [`  ${replaced(f.fix.replaces)}`] : []),
    ...(f.fix.code ? f.fix.code.split('\n').map((l) => `    ${paint('green', cleanLine(l, 400))}`) : []),
    ...f.related.slice(0, 5).map((r) => `  ${paint('dim', `also ${cleanLine(r.path)}:${r.line} ${cleanLine(r.what)}`)}`),
    ...(f.assumes ? wrap(`Assumes: ${cleanLine(f.assumes)}`, width, '  ') : []),
  ]
}

function replaced({ path, line, endLine }: NonNullable<ReportFinding['fix']['replaces']>): string {
  return `${cleanLine(path)}, line${endLine > line ? `s ${line} to ${endLine} become` : ` ${line} becomes`}:`
}

function note(c: ReportCheck): string {
  if (c.status === 'failed') return ` ${c.findings.length ? plural(c.findings.length, 'finding') : 'reported under another check'}`
  const text = c.because ?? c.evidence[0]
  return text ? `: ${cleanLine(text, 160)}` : ''
}

function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  if (line) lines.push(indent + line)
  return lines
}
