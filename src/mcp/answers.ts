import { plain } from '../lib/escape-markdown.ts'
import { plural } from '../lib/plural.ts'
import { answerOf, hasNothingToAudit, NOTHING_TO_AUDIT } from '../report/answer.ts'
import { type Item, reportItems } from '../report/items.ts'
import { promptFor } from '../report/prompt.ts'
import type { Report, ReportFinding } from '../report/report.ts'

/** Bytes of one answer, as text and as structured content each. More would take the room that the builder needs for the code. */
export const MAX_ANSWER_BYTES = 20_000
/** Characters of one text of a finding. */
const MAX_TEXT = 1500
/** Characters of the code of a fix; a longer one is left out whole, because half of a fix repairs nothing. */
const MAX_FIX = 8000

/** A root cause in short. `id` is what the other tools take. */
export const lineOf = (item: ReportFinding) => ({
  id: item.fingerprint,
  severity: item.severity,
  title: plain(item.title, { max: 200 }),
  where: plain(`${item.path}:${item.line}`, { max: 200 }),
  check: item.check,
  ...(item.state === 'introduced' ? { introduced: true } : {}),
})

/** The answer of an audit: the verdict, and as many items as there is room for, the worst first. */
export function auditAnswer(report: Report) {
  const { headline, sentence } = answerOf(report)
  const items = reportItems(report)
  const head = {
    answer: plain(`${headline}. ${sentence}`, { max: MAX_TEXT }),
    complete: report.audit.complete,
    items: items.length,
    introduced: items.filter((i) => i.state === 'introduced').length,
    fixed: report.comparison?.fixed.length ?? 0,
    unverified: report.summary.unverified,
    ...(hasNothingToAudit(report) ? { nothing: `${NOTHING_TO_AUDIT}.` } : {}),
  }
  const listed = fitting(items.map(lineOf), MAX_ANSWER_BYTES - Buffer.byteLength(JSON.stringify(head)) - 200)
  const left = items.length - listed.length
  return { ...head, list: listed, ...(left ? { left: `${plural(left, 'more item')} did not fit. Fix what is listed, then ask again.` } : {}) }
}

/** One root cause with everything that is needed to repair it. */
export function itemAnswer(item: ReportFinding) {
  const code = item.fix.code
  return {
    ...lineOf(item),
    problem: plain(item.message, { max: MAX_TEXT }),
    attack: plain(item.attack, { max: MAX_TEXT }),
    proof: item.proof === 'executed' ? 'tried in a sandbox' : 'read from the code',
    fix: plain(item.fix.text, { max: MAX_TEXT }),
    fixTried: item.fix.proved === true,
    ...(code === undefined
      ? {}
      : code.length > MAX_FIX
        ? { codeLeftOut: `the code of this fix has ${code.length} characters` }
        : { code: plain(code, { max: MAX_FIX, lines: true }) }),
    ...(item.fix.language ? { language: item.fix.language } : {}),
    ...(item.fix.replaces ? { replaces: { ...item.fix.replaces, path: plain(item.fix.replaces.path, { max: 300 }) } } : {}),
    ...(item.assumes ? { assumes: plain(item.assumes, { max: 500 }) } : {}),
    also: item.related.slice(0, 5).map((r) => plain(`${r.path}:${r.line} ${r.what}`, { max: 300 })),
    ...(code !== undefined && code.length <= MAX_FIX / 2 ? { prompt: cut(promptFor(item), MAX_FIX) } : {}),
  }
}

/** Finds an item by the id of any of its findings. */
export const itemWithId = (items: readonly Item[], id: string): Item | undefined => items.find((i) => i.members.some((m) => m.fingerprint === id))

/** Text in at most `max` characters. */
export const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text)

function fitting<T>(all: readonly T[], room: number): T[] {
  const kept: T[] = []
  let left = room
  for (const one of all) {
    left -= Buffer.byteLength(JSON.stringify(one)) + 1
    if (left < 0) break
    kept.push(one)
  }
  return kept
}
