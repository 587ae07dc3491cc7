import type { Config, Suppression } from '../config/config.ts'
import { CONFIG_PATH } from '../config/config.ts'
import type { FactsIndex } from '../facts/facts.ts'
import type { Finding } from './finding.ts'

/** A comment of the form `prelaunch-ignore CHECK: reason`. */
export interface IgnoreComment {
  readonly path: string
  readonly line: number
  readonly check: string
  readonly reason: string
}

export interface SuppressedFinding {
  readonly finding: Finding
  readonly reason: string
  readonly where: string
  /** Of comparisons: the finding or the comment that suppresses it came with this very change. */
  readonly isNew?: boolean
}

/** Suppressions that did nothing or were refused, for the report: silence about them would hide mistakes. */
export interface SuppressionProblem {
  readonly path: string
  readonly line: number
  readonly message: string
}

const COMMENT = /prelaunch-ignore\s+([a-z]+\/[a-z-]+)\s*(?::\s*(\S.{0,300}))?/

/** Every ignore comment in code and SQL, in order of path and line. */
export function ignoreComments(facts: FactsIndex): IgnoreComment[] {
  const found: IgnoreComment[] = []
  const add = (path: string, line: number, text: string) => {
    const m = COMMENT.exec(text)
    if (m) found.push({ path, line, check: m[1] as string, reason: (m[2] ?? '').replace(/\*\/\s*(?:\}\s*)?$/, '').trim() })
  }
  for (const [path, js] of facts.of('javascript')) for (const c of js.comments) add(path, c.l, c.text)
  for (const [path, sql] of facts.of('sql')) {
    if (!sql.text.includes('prelaunch-ignore')) continue
    sql.text.split('\n').forEach((text, i) => {
      if (text.includes('--') || text.includes('/*')) add(path, i + 1, text)
    })
  }
  return found
}

/** Marks what a change suppresses by itself, given the ignore comments of its base and what it introduces. */
export function markNew(suppressed: readonly SuppressedFinding[], atBase: readonly IgnoreComment[], introduced: ReadonlySet<string>): SuppressedFinding[] {
  const known = new Set(atBase.map((c) => `${c.path}\0${c.check}\0${c.reason}`))
  return suppressed.map((s) => {
    const path = s.where.slice(0, s.where.lastIndexOf(':'))
    const comment = path !== CONFIG_PATH && !known.has(`${path}\0${s.finding.check}\0${s.reason}`)
    return { ...s, isNew: comment || introduced.has(s.finding.fingerprint) }
  })
}

/** A comment speaks of findings on its own line and on the three lines below it. */
const COMMENT_REACH = 3

/**
 * Takes suppressed findings out. `introducedCritical` tells whether a finding is a Critical that this very pull request
 * introduces: a comment of the same pull request cannot suppress that. `today` is an ISO date.
 */
export function suppress(
  findings: readonly Finding[],
  comments: readonly IgnoreComment[],
  config: Config,
  today: string,
  introducedCritical: (finding: Finding) => boolean,
): { kept: Finding[]; suppressed: SuppressedFinding[]; problems: SuppressionProblem[] } {
  const kept: Finding[] = []
  const suppressed: SuppressedFinding[] = []
  const problems: SuppressionProblem[] = []
  const used = new Set<IgnoreComment | Suppression>()
  for (const finding of findings) {
    const entry = config.suppress.find((s) => s.check === finding.check && s.subject === finding.subject)
    if (entry) {
      used.add(entry)
      if (entry.expires === undefined || entry.expires >= today) {
        suppressed.push({ finding, reason: entry.reason, where: `${CONFIG_PATH}:${entry.line}` })
        continue
      }
      problems.push({ path: CONFIG_PATH, line: entry.line, message: `this suppression expired on ${entry.expires}; the finding counts again` })
    }
    const comment = comments.find(
      (c) => c.check === finding.check && c.path === finding.at.path && finding.at.line >= c.line && finding.at.line - c.line <= COMMENT_REACH,
    )
    if (comment) {
      used.add(comment)
      if (!comment.reason)
        problems.push({ path: comment.path, line: comment.line, message: `a suppression needs a reason: prelaunch-ignore ${comment.check}: why` })
      else if (introducedCritical(finding))
        problems.push({
          path: comment.path,
          line: comment.line,
          message: 'a pull request cannot suppress a Critical finding that it introduces; put it into the configuration of the base branch',
        })
      else {
        suppressed.push({ finding, reason: comment.reason, where: `${comment.path}:${comment.line}` })
        continue
      }
    }
    kept.push(finding)
  }
  for (const c of comments) if (!used.has(c)) problems.push({ path: c.path, line: c.line, message: `this prelaunch-ignore matches no finding of ${c.check}` })
  for (const s of config.suppress)
    if (!used.has(s)) problems.push({ path: CONFIG_PATH, line: s.line, message: `this suppression matches no finding of ${s.check}: ${s.subject}` })
  return { kept, suppressed, problems }
}
