import { MAX_OUTPUT_BYTES } from '../annotations/check-run.ts'
import { fitInto } from '../annotations/sections.ts'
import { codeSpan, plain, prose } from '../lib/escape-markdown.ts'
import { rewriteCheckRun } from '../platform/github/check-runs.ts'
import type { GitHubApi } from '../platform/github/client.ts'
import { SEE_MORE } from '../report/see-more.ts'
import type { AuditTarget } from '../store/audit-target.ts'
import { type RunText, type StoredVerdict, type VerdictStore, verdictsInShort } from '../store/verdict-store.ts'

/** What the run on a commit says. */
export interface CommitResult extends RunText {
  readonly conclusion: 'success' | 'failure'
}

/** Writes of one run until it shows what counts; more only while others write as well, and the last of them ends it. */
const MAX_WRITES = 5
/** Pull requests and pushes that the run names. */
const MAX_NAMED = 20

/**
 * The run on one commit. Branch rules read the newest run of a name, whoever it was made for. So it concludes with the worst verdict of
 * everything open on the commit: a pull request into a harmless branch cannot turn a red commit green for another.
 */
export class CommitVerdict {
  readonly #verdicts: VerdictStore
  readonly #repository: AuditTarget['repository']
  readonly #sha: string

  constructor(verdicts: VerdictStore, repository: AuditTarget['repository'], sha: string) {
    this.#verdicts = verdicts
    this.#repository = repository
    this.#sha = sha
  }

  /** Stores the verdict of an audit, has its run written with what counts now, and brings the newest run up to date if that is another. */
  async publish(
    api: GitHubApi,
    target: AuditTarget,
    own: { readonly conclusion: 'success' | 'failure'; readonly text: RunText; readonly checkRun: number },
    write: (result: CommitResult) => Promise<void>,
  ): Promise<void> {
    const alone: CommitResult = { ...own.text, conclusion: own.conclusion }
    // A merge group has a commit of its own, which no pull request and no push shares.
    if (target.kind === 'merge_group') return write(alone)
    await this.#verdicts.put(target, this.#sha, own)
    await this.#write(own.checkRun, target.key, alone, write)
    await this.refresh(api)
  }

  /** The run of a stopped audit says nothing of the commit; where something else is open there, the run takes its verdict. */
  async abandon(api: GitHubApi, target: AuditTarget, checkRun: number): Promise<void> {
    if (target.kind === 'merge_group') return
    await this.#verdicts.put(target, this.#sha, { conclusion: 'cancelled', text: { title: 'The audit was stopped', summary: '' }, checkRun })
    await this.refresh(api)
  }

  /** Has the newest run show what counts. Asks GitHub for nothing where it does already, or where nothing is open on the commit. */
  async refresh(api: GitHubApi): Promise<void> {
    for (let writes = 0; writes < MAX_WRITES; writes++) {
      const all = await this.#verdicts.ofCommit(this.#repository.id, this.#sha)
      const newest = all.reduce<StoredVerdict | undefined>((most, v) => (most && most.checkRun > v.checkRun ? most : v), undefined)
      const open = all.filter((v) => v.open)
      if (!newest || !open.length || newest.shown === verdictsInShort(open)) return
      await this.#write(newest.checkRun, newest.key, undefined, (result) => rewriteCheckRun(api, this.#repository, newest.checkRun, result))
    }
  }

  async #write(checkRun: number, own: string, alone: CommitResult | undefined, write: (result: CommitResult) => Promise<void>): Promise<void> {
    const turn = await this.#verdicts.beginWrite(this.#repository.id, this.#sha, checkRun)
    const open = (await this.#verdicts.ofCommit(this.#repository.id, this.#sha)).filter((v) => v.open)
    // Closed while it was audited: the run that nobody waits for says what was found.
    const result = open.length ? worstVerdict(open, own) : alone
    if (result) await write(result)
    await this.#verdicts.endWrite(this.#repository.id, this.#sha, checkRun, turn, verdictsInShort(open))
  }
}

/** The worst of several verdicts, in the words of the one that is worst, with the list of all. `own` is preferred among equals. */
export function worstVerdict(open: readonly StoredVerdict[], own: string): CommitResult {
  const rank = (v: StoredVerdict) => (v.conclusion === 'failure' ? 0 : 2) + (v.key === own ? 0 : 1)
  const ordered = [...open].sort((a, b) => rank(a) - rank(b))
  const worst = ordered[0] as StoredVerdict
  const conclusion = worst.conclusion === 'failure' ? 'failure' : 'success'
  if (ordered.length === 1) return { ...worst.text, conclusion }
  const lines = ordered.slice(0, MAX_NAMED).map((v) => `- ${v.conclusion === 'failure' ? '❌' : '✅'} ${place(v, codeSpan)}: ${prose(v.text.title, 200)}`)
  if (ordered.length > MAX_NAMED) lines.push(`- and ${ordered.length - MAX_NAMED} more`)
  const list = [
    `**${ordered.length} results count on this commit**, and this run concludes with the worst of them:`,
    lines.join('\n'),
    `What follows is about ${place(worst, codeSpan, true)}.`,
  ].join('\n\n')
  const details = worst.text.summary
  return {
    conclusion,
    title: `${plain(place(worst, plain))}: ${worst.text.title}`.slice(0, 200),
    summary: fitInto(
      [
        { name: 'results', expendable: 0, text: list },
        { name: 'details', expendable: 1, text: details, short: `${details.slice(0, 12_000)}\n\n…` },
      ],
      MAX_OUTPUT_BYTES,
      SEE_MORE.checkRun,
    ),
    ...(worst.text.text ? { text: worst.text.text } : {}),
  }
}

function place({ number, baseRef }: StoredVerdict, name: (text: string) => string, inSentence = false): string {
  const base = baseRef === undefined ? '' : name(baseRef)
  const [what, to] = number === undefined ? ['Push', 'to'] : [`Pull request #${number}`, 'into']
  return `${inSentence ? `the ${what.charAt(0).toLowerCase()}${what.slice(1)}` : what}${base ? ` ${to} ${base}` : ''}`
}
