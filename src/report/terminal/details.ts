import type { AccessObject } from '../../database/database.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import { allowedVerbs, callableFunctions, callWords, rowObjects, trialOf, VIEWERS, type Viewer } from '../access-words.ts'
import { coverageLine } from '../coverage-line.ts'
import { type Item, reportItems } from '../items.ts'
import { plural } from '../plural.ts'
import type { Report, ReportCheck, ReportFinding } from '../report.ts'
import { SEE_MORE } from '../see-more.ts'
import { certaintyOf } from '../stakes.ts'
import { STATUS_WORDS } from '../status-words.ts'
import { type Paint, SEVERITY_TINT, wrap } from './words.ts'

const MARK = { failed: '✗', passed: '✓', 'not-applicable': '–', unverified: '?' } as const
const TINT = { failed: 'red', passed: 'green', 'not-applicable': 'gray', unverified: 'yellow' } as const

/** Everything of a report as lines: each problem with its fix, the 25 checks, what strangers reach, what was not understood. */
export function detailLines(report: Report, paint: Paint, width: number): string[] {
  const out: string[] = []
  for (const item of reportItems(report)) out.push(...renderItem(report, item, paint, width), '')
  out.push(paint('bold', 'The 25 checks'))
  let category = ''
  for (const c of report.checks) {
    if (c.category !== category) out.push(paint('dim', c.category))
    category = c.category
    out.push(
      `  ${paint(TINT[c.status], MARK[c.status])} ${String(c.number).padStart(2)} ${c.id.padEnd(30)} ${paint(TINT[c.status], STATUS_WORDS[c.status])}${note(c)}`,
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
  return out
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
    paint('bold', 'What strangers can reach (tried)'),
    paint('dim', `  ${'object'.padEnd(44)} ${stranger.title.padEnd(28)} ${other.title}`),
    ...lines,
    ...(rows.length > MAX_OBJECTS ? [`  … and ${rows.length - MAX_OBJECTS} more (${SEE_MORE.commandLine})`] : []),
  ]
}

function renderItem({ checks }: Report, f: Item, paint: Paint, width: number): string[] {
  const failed = checks.filter((c) => f.members.some((m) => m.check === c.id)).map((c) => `${c.number} ${c.id}`)
  const state = f.state === 'introduced' ? ' (introduced)' : ''
  return [
    `${paint([SEVERITY_TINT[f.severity], 'bold'], f.severity)}${state} ${paint('bold', cleanLine(f.title, 300))} ${paint('dim', `check ${failed.join(', ')}, ${certaintyOf(f)}`)}`,
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
