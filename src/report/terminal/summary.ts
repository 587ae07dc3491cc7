import { cleanLine } from '../../lib/clean-text.ts'
import { answerOf } from '../answer.ts'
import { firstSentence } from '../first-sentence.ts'
import { changesOf, countBySeverity, type Item, reportItems } from '../items.ts'
import { plural } from '../plural.ts'
import type { CheckStatus, Report } from '../report.ts'
import { stakesSentence } from '../stakes.ts'
import { startItems, startTitle, stepsByHand } from '../start-with.ts'
import { STATUS_WORDS } from '../status-words.ts'
import { type Paint, SEVERITY_TINT, wrap } from './words.ts'

const ANSWER_TINT = { bad: 'red', warn: 'yellow', ok: 'green' } as const

/** Steps by hand that the summary names; the others are counted. */
const MAX_STEPS = 2

/** The report on one screen: verdict, what to begin with, counts, what to do next. */
export function summaryLines(report: Report, paint: Paint, width: number, details: boolean): string[] {
  const { kind, headline, sentence } = answerOf(report)
  const items = reportItems(report)
  return [
    paint([ANSWER_TINT[kind], 'bold'], headline),
    ...wrap(sentence, width, ''),
    ...startLines(report, startItems(items), paint, width),
    ...byHandLines(items, paint, width),
    '',
    ...countLines(report, items, paint),
    ...nextLines(report, items, paint, details),
  ]
}

function startLines(report: Report, start: readonly Item[], paint: Paint, width: number): string[] {
  if (!start.length) return []
  return ['', paint('bold', startTitle(start.length)), ...start.flatMap((item, i) => itemLines(report, item, i + 1, paint, width))]
}

function itemLines(report: Report, item: Item, n: number, paint: Paint, width: number): string[] {
  return [
    `${n}. ${paint([SEVERITY_TINT[item.severity], 'bold'], item.severity)} ${paint('bold', firstSentence(item.title, width - 14))}`,
    placeLine(item, paint, width),
    ...wrap(stakesSentence(report, item), width, '   '),
    ...wrap(`Fix: ${firstSentence(item.fix.text, 2 * width - 10)}`, width, '   '),
  ]
}

/** The place on one line; the subject gives way where there is no room for both. */
function placeLine({ path, line, subject }: Item, paint: Paint, width: number): string {
  const place = `${cleanLine(path, width - 14)}:${line}`
  const room = width - place.length - 4
  const said = cleanLine(subject, 400)
  return `   ${paint('underline', place)}${said.length <= room ? ` ${said}` : ''}`
}

function byHandLines(items: readonly Item[], paint: Paint, width: number): string[] {
  const steps = stepsByHand(items)
  if (!steps.length) return []
  const rest = steps.length - MAX_STEPS
  return [
    '',
    paint('bold', 'Do this yourself'),
    ...steps.slice(0, MAX_STEPS).flatMap((s) => wrap(`- ${cleanLine(s.what, 160)}: ${cleanLine(s.where, 160)}`, width, '  ')),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ]
}

function countLines(report: Report, items: readonly Item[], paint: Paint): string[] {
  const { Critical, High, Medium } = countBySeverity(items)
  const count = (label: string, text: string) => `${label.padEnd(10)}${text}`
  const { comparison } = report
  const c = comparison && changesOf(report)
  return [
    count('Problems', `${paint(Critical ? 'red' : 'green', `${Critical} Critical`)}, ${High} High, ${Medium} Medium`),
    ...(c
      ? [
          count(
            'Change',
            `${c.introduced.length} introduced, ${c.existing.length} there before, ${c.fixed.length} fixed${c.unreadable.length ? `, ${c.unreadable.length} could not be read again` : ''}`,
          ),
        ]
      : []),
    ...(Object.keys(STATUS_WORDS) as CheckStatus[]).flatMap((status, i) => checkLine(report, status, i === 0 ? 'Checks' : '')),
  ]
}

/** How many checks gave an answer, and which; the passed ones are only counted. */
function checkLine({ checks }: Report, status: CheckStatus, label: string): string[] {
  const of = checks.filter((c) => c.status === status)
  if (!of.length && label === '') return []
  const which = of.length && status !== 'passed' && status !== 'not-applicable' ? ` (${of.map((c) => c.number).join(', ')})` : ''
  const words = status === 'unverified' ? `to ${STATUS_WORDS[status]}` : status === 'not-applicable' && of.length !== 1 ? 'do not apply' : STATUS_WORDS[status]
  return [`${label.padEnd(10)}${of.length} ${words}${which}`]
}

function nextLines({ checks, gaps }: Report, items: readonly Item[], paint: Paint, details: boolean): string[] {
  const line = (command: string, what: string) => `  ${command.padEnd(40)} ${what}`
  const explained = items[0] ? checks.find((c) => c.id === items[0]?.check)?.number : checks.find((c) => c.status === 'unverified')?.number
  const notUnderstood = gaps.length ? `, ${plural(gaps.length, 'place')} not understood` : ''
  return [
    '',
    paint('bold', 'Next'),
    ...(details ? [] : [line('prelaunch audit --details', `${items.length ? 'every problem with its fix' : 'every check with its evidence'}${notUnderstood}`)]),
    ...(explained ? [line(`prelaunch explain ${explained}`, `what check ${explained} finds and how to fix it`)] : []),
    line('prelaunch audit --format html -o FILE', 'a page to read and share'),
  ]
}
