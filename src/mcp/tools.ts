import { readFileSync } from 'node:fs'
import { CHECKS } from '../checks/index.ts'
import type { AuditSession } from '../cli/audit-session.ts'
import { UsageError } from '../cli/usage-error.ts'
import { whyNotFixed } from '../report/gone.ts'
import { reportItems } from '../report/items.ts'
import type { Report } from '../report/report.ts'
import { auditAnswer, cut, itemAnswer, itemWithId, lineOf, MAX_ANSWER_BYTES } from './answers.ts'

/** Items that `recheck` names as new. */
const MAX_NEW = 10

/** What the tools do, for one folder. They remember the last report, so that an id of one answer means the same in the next. */
export class Tools {
  readonly #session: AuditSession
  #last: Report | undefined
  #base: string | undefined

  constructor(session: AuditSession) {
    this.#session = session
  }

  /** Audits the working tree. */
  async audit(base: string | undefined) {
    return auditAnswer(await this.#audit(base))
  }

  /** A finding in full, or the documentation of a check. */
  async explain(id: string) {
    const check = CHECKS.find((c) => c.id === id || String(c.number) === id)
    if (check) {
      const page = readFileSync(new URL(`../checks/${check.id}.md`, import.meta.url), 'utf8')
      return { check: check.id, rule: check.rule, page: cut(page, MAX_ANSWER_BYTES / 2) }
    }
    const item = itemWithId(reportItems(await this.#known()), id)
    if (!item) throw new UsageError('There is no finding with this id. It may be fixed; call audit for the ids of today.')
    return itemAnswer(item)
  }

  /** The item to repair first. */
  async nextFix() {
    const items = reportItems(await this.#known())
    const [first] = items
    return first ? { remaining: items.length, item: itemAnswer(first) } : { remaining: 0, done: 'Nothing is left to fix.' }
  }

  /** Audits again and says what became of a finding. */
  async recheck(id: string) {
    const before = await this.#known()
    if (!before.checks.some((c) => c.findings.some((f) => f.fingerprint === id)))
      throw new UsageError('There is no finding with this id in the last audit. Call audit first.')
    const after = await this.#audit(this.#base)
    const known = new Set(before.checks.flatMap((c) => c.findings.map((f) => f.fingerprint)))
    const added = reportItems(after).filter((i) => i.members.every((m) => !known.has(m.fingerprint)))
    return {
      ...whatBecameOf(id, before, after),
      new: added.slice(0, MAX_NEW).map(lineOf),
      newItems: added.length,
      remaining: reportItems(after).length,
    }
  }

  async #known(): Promise<Report> {
    return this.#last ?? this.#audit(undefined)
  }

  async #audit(base: string | undefined): Promise<Report> {
    const { report } = await this.#session.audit(base)
    this.#base = base
    this.#last = report
    return report
  }
}

function whatBecameOf(id: string, before: Report, after: Report): { readonly status: 'open' | 'fixed' | 'suppressed' | 'unclear'; readonly because: string } {
  if (after.checks.some((c) => c.findings.some((f) => f.fingerprint === id))) return { status: 'open', because: 'The problem is still there.' }
  if (after.suppressed.some((s) => s.finding.fingerprint === id))
    return { status: 'suppressed', because: 'The problem is still there, and a comment or the configuration hides it.' }
  const finding = before.checks.flatMap((c) => c.findings).find((f) => f.fingerprint === id)
  const doubt = finding && whyNotFixed(finding, before, after)
  return doubt ? { status: 'unclear', because: doubt } : { status: 'fixed', because: 'The problem is gone.' }
}
