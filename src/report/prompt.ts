import { plural } from '../lib/plural.ts'
import type { ReportFinding } from './report.ts'
import { safeCode, safeText, wholeSentences } from './whole-text.ts'
import { worstFirst } from './worst-first.ts'

const KEEP = 'Do not weaken other rules, do not add exceptions, and keep the application working for its own users.'
const MIGRATION = 'Put database changes into a new migration; do not edit one that has been applied.'

/** Characters of each text of a finding. */
const MAX_TEXT = 2000
/** Characters of code in a prompt for one finding, and in one for many. */
const MAX_CODE = 6000
const MAX_CODE_OF_MANY = 3000

/** An instruction that the AI builder which made the app can carry out: what, where, how to know that it is done. */
export function promptFor(finding: ReportFinding): string {
  return [
    'Fix this security problem and change nothing else.',
    `File: ${safeText(finding.path)}, line ${finding.line} (${safeText(finding.subject)}).`,
    `Problem: ${wholeSentences(finding.message, MAX_TEXT)}`,
    `Risk: ${wholeSentences(finding.attack, MAX_TEXT)}`,
    `Do this: ${wholeSentences(finding.fix.text, MAX_TEXT)}${inMigration(finding)}`,
    ...codeOf(finding, MAX_CODE),
    ...(finding.related.length
      ? [
          `Also look at: ${finding.related
            .slice(0, 5)
            .map((r) => `${safeText(r.path)}:${r.line}`)
            .join(', ')}.`,
        ]
      : []),
    KEEP,
  ].join('\n')
}

/** One instruction for several findings. */
export interface PromptForAll {
  readonly text: string
  /** Findings that the text speaks of, the worst first. */
  readonly included: number
  /** Findings for which there was no room; the text says so. */
  readonly left: number
}

/**
 * One instruction for several findings, the worst first, in at most `budget` characters. A finding that does not fit is left out whole, and
 * `seeMore` says where it is. Undefined when not one fits.
 */
export function promptForAll(findings: readonly ReportFinding[], options: { readonly budget: number; readonly seeMore: string }): PromptForAll | undefined {
  const frame = (items: readonly string[], left: number) =>
    [
      `Fix ${items.length === 1 ? 'this security problem' : `these ${items.length} security problems, one after the other`}, and change nothing else.`,
      ...items.map((item, i) => `${i + 1}. ${item}`),
      ...(left ? [`${plural(left, 'more problem')} did not fit and ${left === 1 ? 'is' : 'are'} left out here. ${options.seeMore}`] : []),
      [...(findings.some((f) => f.fix.language === 'sql') ? [MIGRATION] : []), KEEP].join(' '),
    ].join('\n\n')
  // What stands around the items is as long as with the longest numbers.
  let room = options.budget - frame([], findings.length).length
  const items: string[] = []
  for (const finding of worstFirst(findings)) {
    const item = itemOf(finding)
    const length = item.length + NUMBERING
    if (length > room) continue
    room -= length
    items.push(item)
  }
  const left = findings.length - items.length
  return items.length ? { text: frame(items, left), included: items.length, left } : undefined
}

/** Characters that a number and the space between two items take. */
const NUMBERING = '100. \n\n'.length

function itemOf(f: ReportFinding): string {
  return [
    `${safeText(f.path)}:${f.line} (${safeText(f.subject)})`,
    `   Problem: ${wholeSentences(f.message, MAX_TEXT)}`,
    `   Do this: ${wholeSentences(f.fix.text, MAX_TEXT)}`,
    ...codeOf(f, MAX_CODE_OF_MANY).map((text) => text.replace(/^/gm, '   ')),
  ].join('\n')
}

/** The code of a fix under its title; code that is too long is named and left out, never cut. */
function codeOf(finding: ReportFinding, max: number): string[] {
  if (!finding.fix.code) return []
  const code = safeCode(finding.fix.code)
  if (code.length > max) return [`The code of this fix is too long for a prompt (${plural(code.split('\n').length, 'line')}). Copy it from the finding.`]
  return [`${codeTitle(finding)}\n${code}`]
}

function inMigration(f: ReportFinding): string {
  return f.fix.language === 'sql' && !f.fix.replaces ? ' Put it into a new migration; do not edit one that has been applied.' : ''
}

function codeTitle({ fix, path }: ReportFinding): string {
  if (!fix.replaces) return 'Code for this place:'
  const { line, endLine } = fix.replaces
  const where = `${fix.replaces.path === path ? '' : `of ${safeText(fix.replaces.path)} `}`
  return line === endLine ? `Line ${line} ${where}becomes:` : `Lines ${line} to ${endLine} ${where}become:`
}
