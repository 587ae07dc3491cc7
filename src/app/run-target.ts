import { renderCheckRun } from '../annotations/check-run.ts'
import { COMMENT_MARKER, renderComment } from '../annotations/comment.ts'
import { type Audience, shown } from '../annotations/visible-findings.ts'
import type { AuditResult } from '../audit.ts'
import { CONFIG_PATH } from '../config/config.ts'
import { prose } from '../lib/escape-markdown.ts'
import { annotationCount, concludeCheckRun, endCheckRun, findOpenRun, openCheckRun } from '../platform/github/check-runs.ts'
import { type GitHubApi, withPatience } from '../platform/github/client.ts'
import { upsertComment } from '../platform/github/comments.ts'
import { type Context, readContext } from '../platform/github/context.ts'
import { isStatus, readableReason } from '../platform/github/errors.ts'
import { GitHubSource } from '../platform/github/github-source.ts'
import type { RepositoryRef } from '../platform/github/repository-ref.ts'
import { isCheckRequired } from '../platform/github/required-check.ts'
import { membersOf } from '../report/items.ts'
import { SourceError } from '../source/source.ts'
import { advisoryCache } from '../store/advisory-store.ts'
import type { AuditTarget, StoredTarget } from '../store/audit-target.ts'
import { packedFacts, snapshotCache } from '../store/facts-store.ts'
import { isStoreProblem } from '../store/store-problem.ts'
import { CommitVerdict } from './commit-verdict.ts'
import { type RunnerOptions, Superseded } from './runner-options.ts'
import { postSuggestions } from './suggestions.ts'

/** Starts after which an audit during which the process dies is given up: it would take the process down for ever. */
const MAX_STARTS = 8

/** One audit of a target, from the opened Check Run to its conclusion. */
export class TargetRun {
  readonly #options: RunnerOptions
  readonly #stored: StoredTarget
  readonly #target: AuditTarget
  readonly #starts: number
  readonly #signal: AbortSignal
  readonly #ref: RepositoryRef
  readonly #fields: Record<string, unknown>
  #checkRun: number | undefined
  #ownComment: number | undefined
  /** What GitHub shows, where it was asked before the run was opened. */
  #contextBefore: Context | undefined
  /** The verdict stands on GitHub. */
  #published = false
  #requests = 0
  #phases: Readonly<Record<string, number>> = {}

  constructor(options: RunnerOptions, stored: StoredTarget, starts: number, signal: AbortSignal) {
    this.#options = options
    this.#stored = stored
    this.#target = stored.target
    this.#starts = starts
    this.#signal = signal
    this.#ref = { ...stored.target.repository }
    this.#ownComment = stored.commentId
    this.#fields = {
      repository: `${this.#ref.owner}/${this.#ref.name}`,
      pull: stored.target.number,
      commit: stored.target.headSha,
      reason: stored.target.reason,
      target: stored.target.key,
    }
  }

  async run(): Promise<void> {
    const from = performance.now()
    const { targets } = this.#options.store
    const { key } = this.#target
    const ended = (outcome: 'success' | 'failure' | 'superseded' | 'error') =>
      this.#options.onAudit?.({ kind: this.#target.kind, outcome, seconds: (performance.now() - from) / 1000, apiRequests: this.#requests })
    try {
      const api = await this.#api(this.#signal)
      this.#signal.throwIfAborted()
      if (await this.#isOld(api)) {
        const { sha } = this.#stored.checkRun as { sha: string }
        await targets.keepVerdict(key, this.#stored.version, sha)
        if (await this.#options.store.verdicts.reopen(key, sha)) await this.#commit(sha).refresh(api)
        this.#options.log.info(this.#fields, 'an old delivery: the newest commit has its verdict')
        ended('superseded')
        return
      }
      // Not interruptible: a run whose creation was cut off would stay in progress with nobody knowing its id.
      await this.#open(await this.#api())
      this.#signal.throwIfAborted()
      if (this.#starts > MAX_STARTS)
        throw new SourceError(
          `The audit was started ${MAX_STARTS} times, and each time the App’s process ended before it did. Its operator finds the reason in the log.`,
        )
      const conclusion = await this.#audit(api)
      await targets.markDone(key, this.#stored.version, 'concluded', 'run ended')
      this.#options.log.info(
        { ...this.#fields, conclusion, seconds: Math.round(performance.now() - from) / 1000, apiRequests: this.#requests, phases: this.#phases },
        'audited',
      )
      ended(conclusion)
    } catch (thrown) {
      const error = this.#signal.aborted ? this.#signal.reason : thrown
      if (error instanceof Superseded) {
        ended('superseded')
        await this.#superseded(error)
        return
      }
      this.#options.log.error({ ...this.#fields, err: thrown }, 'the audit failed')
      ended('error')
      await this.#failed(error)
    }
  }

  /** The run on a commit, which this target may share with others. */
  #commit(sha = this.#target.headSha): CommitVerdict {
    return new CommitVerdict(this.#options.store.verdicts, this.#target.repository, sha)
  }

  async #api(signal?: AbortSignal): Promise<GitHubApi> {
    return withPatience(await this.#options.installation({ installation: this.#target.installation, repository: this.#ref.id, job: 'audit' }), {
      ...(signal ? { signal } : {}),
      ...(this.#options.patience === undefined ? {} : { patience: this.#options.patience }),
      ...(this.#options.backoffMs === undefined ? {} : { backoffMs: this.#options.backoffMs }),
      ...(this.#options.timeoutMs === undefined ? {} : { timeoutMs: this.#options.timeoutMs }),
      onRequest: () => {
        this.#requests++
      },
    })
  }

  /** Whether the wish is for a commit that GitHub does not show any more, of a pull request whose newest one has its verdict: delivered late, or replayed. */
  async #isOld(api: GitHubApi): Promise<boolean> {
    const { checkRun } = this.#stored
    if (this.#target.number === undefined || !checkRun || checkRun.open || checkRun.sha === this.#target.headSha) return false
    // What goes wrong here goes wrong again when there is a run to say so.
    this.#contextBefore = await this.#context(api).catch(() => undefined)
    return this.#contextBefore?.headSha === checkRun.sha
  }

  async #open(api: GitHubApi): Promise<void> {
    const { targets } = this.#options.store
    const previous = this.#stored.checkRun
    let same = previous?.open && previous.sha === this.#target.headSha ? previous.id : undefined
    // A process that died between creating the run and noting its id left it open: look before creating another.
    if (same === undefined && this.#stored.state === 'running') same = await findOpenRun(api, this.#ref, this.#target.headSha, `${this.#target.key}@`)
    this.#checkRun = await openCheckRun(api, this.#ref, this.#target.headSha, {
      externalId: `${this.#target.key}@${this.#stored.version}`,
      ...(same === undefined ? {} : { existing: same }),
    })
    await targets.setCheckRun(this.#target.key, this.#checkRun, this.#target.headSha, true)
    // A crash between the webhook and here can leave the run of an older commit open.
    if (previous?.open && previous.sha !== this.#target.headSha) {
      await endCheckRun(api, this.#ref, previous.id, 'cancelled', 'Replaced by a newer commit', 'A newer commit of this pull request is audited instead.')
      await this.#commit(previous.sha).abandon(api, this.#target, previous.id)
    }
  }

  async #audit(api: GitHubApi): Promise<'success' | 'failure'> {
    const target = this.#target
    const context = this.#contextBefore ?? (await this.#context(api))
    this.#ownComment = context.ownComments[0] ?? this.#ownComment
    await this.#stopWhenHeadMoved(context)
    const source = new GitHubSource(api, this.#ref, {
      snapshots: snapshotCache(this.#options.store.sql, this.#ref.id),
      cloneRoot: this.#options.store.cloneRoot,
      signal: this.#signal,
      log: (message, err) => this.#options.log.warn({ ...this.#fields, err }, message),
    })
    try {
      const mergeBase = await this.#mergeBase(source, context)
      const advisories = this.#options.ports.advisories?.(
        api,
        () => {
          this.#requests++
        },
        advisoryCache(this.#options.store.sql),
      )
      const result = await this.#options.ports.audit(
        {
          repository: `${this.#ref.owner}/${this.#ref.name}`,
          commit: target.headSha,
          ...(target.baseRef && target.kind !== 'push' ? { base: target.baseRef } : {}),
          ...(mergeBase ? { mergeBase } : {}),
          ...(target.number === undefined ? {} : { pullRequest: target.number }),
          ...(context.configText === undefined ? {} : { configText: context.configText }),
          ...(context.configText !== undefined && context.configCommit ? { configCommit: context.configCommit } : {}),
          today: this.#options.today?.() ?? new Date().toISOString().slice(0, 10),
        },
        {
          source,
          facts: packedFacts(this.#options.store.sql, this.#ref.id),
          ...(advisories ? { advisories } : {}),
          ...(this.#options.ports.hosted ? { hosted: this.#options.ports.hosted() } : {}),
        },
        this.#signal,
      )
      this.#signal.throwIfAborted()
      this.#phases = Object.fromEntries(Object.entries(result.run.phases).map(([phase, ms]) => [phase, Math.round(ms)]))
      for (const crash of result.crashes) this.#options.log.error({ ...this.#fields, check: crash.check, stack: crash.error }, 'a check crashed')
      return await this.#publish(api, result, {
        private: context.private,
        config: result.config,
        repositoryUrl: this.#ref.url,
        kind: target.kind,
        ...(target.baseRef ? { baseBranch: target.baseRef } : {}),
        ...(mergeBase ? { changedPaths: await changedPaths(source, mergeBase, target.headSha) } : {}),
        checkRunUrl: `${this.#ref.url}/runs/${this.#checkRun}`,
      })
    } finally {
      await source.close()
    }
  }

  #context(api: GitHubApi): Promise<Context> {
    const { configRef, number } = this.#target
    return readContext(api, this.#ref, { configRef, configPath: CONFIG_PATH, marker: COMMENT_MARKER, ...(number === undefined ? {} : { number }) })
  }

  /** Webhooks can come late or out of order; what GitHub shows now is what counts. */
  async #stopWhenHeadMoved(context: Context): Promise<void> {
    if (context.headSha === undefined || context.headSha === this.#target.headSha) return
    const { targets, queue } = this.#options.store
    const moved: AuditTarget = { ...this.#target, headSha: context.headSha, reason: 'head moved' }
    await targets.want(moved, `head:${this.#target.key}:${context.headSha}`)
    await queue.send(this.#target.key, this.#target.installation)
    throw new Superseded('newer')
  }

  async #mergeBase(source: GitHubSource, context: Context): Promise<string | undefined> {
    const target = this.#target
    if (target.kind === 'push' || target.kind === 'merge_group') {
      await source.withCommits([target.headSha])
      if (!target.baseSha) return undefined
      // The commit before a force push may be gone; then there is nothing to compare with.
      return source.snapshot(target.baseSha).then(
        () => target.baseSha,
        (error) => {
          if (target.kind === 'push' && error instanceof SourceError) return undefined
          throw error
        },
      )
    }
    const base = context.configCommit ?? context.baseSha ?? target.baseSha
    if (!base) throw new SourceError('The base branch of the pull request does not exist any more.')
    // Unrelated histories have no merge base; comparing with nothing would let everything through.
    return (await source.mergeBase(base, target.headSha)) ?? base
  }

  async #publish(api: GitHubApi, { report }: AuditResult, base: Audience): Promise<'success' | 'failure'> {
    const { targets } = this.#options.store
    const target = this.#target
    const blocks = renderCheckRun(report, base).conclusion === 'failure'
    const required = blocks && target.kind === 'pull_request' && target.baseRef ? await isCheckRequired(api, this.#ref, target.baseRef) : undefined
    const audience: Audience = required === undefined ? base : { ...base, required }
    const output = renderCheckRun(report, audience)
    const resumed = this.#stored.checkRun?.open && this.#stored.checkRun.sha === target.headSha
    const checkRun = this.#checkRun as number
    await this.#commit().publish(api, target, { conclusion: output.conclusion, text: output, checkRun }, async (result) => {
      await concludeCheckRun(
        api,
        this.#ref,
        checkRun,
        { ...output, ...result },
        {
          sent: resumed ? await annotationCount(api, this.#ref, checkRun) : 0,
          ...detailsUrl(target, this.#ref, this.#ownComment),
        },
      )
      this.#published = true
    })
    await targets.setFindings(
      target.key,
      membersOf(shown(report, audience).introduced).map(({ fingerprint, check, subject, severity, cause }) => ({
        fingerprint,
        check,
        subject,
        severity,
        ...(cause ? { cause } : {}),
      })),
    )
    if (target.kind === 'pull_request' && target.number !== undefined) {
      const wanted = target.explain ? { ...audience, config: { ...audience.config, comment: 'always' as const } } : audience
      // An older comment must not keep saying what is no longer so.
      const body = renderComment(
        report,
        this.#ownComment !== undefined && wanted.config.comment === 'findings' ? { ...wanted, config: { ...wanted.config, comment: 'always' } } : wanted,
      )
      if (body) await this.#comment(api, target.number, body)
      await postSuggestions(api, this.#ref, target.number, target.headSha, membersOf(shown(report, audience).introduced), targets).catch((err) =>
        this.#options.log.warn({ ...this.#fields, err }, 'suggestions could not be posted'),
      )
    }
    return output.conclusion
  }

  /** The verdict stands in the run; a conversation that is locked for the App does not change it. */
  async #comment(api: GitHubApi, pull: number, body: string): Promise<void> {
    try {
      const find = async () => (await this.#context(api)).ownComments[0]
      await this.#options.store.targets.setComment(this.#target.key, await upsertComment(api, this.#ref, pull, body, this.#ownComment, find))
    } catch (err) {
      if (!isStatus(err, 403, 404, 410, 422)) throw err
      this.#options.log.warn({ ...this.#fields, err }, 'the summary comment could not be written')
    }
  }

  async #superseded(reason: Superseded): Promise<void> {
    this.#options.log.info({ ...this.#fields, by: reason.by }, 'audit stopped')
    // At shutdown the run stays open: the next process continues it.
    if (reason.by === 'shutdown' || this.#checkRun === undefined) return
    const { targets } = this.#options.store
    const newest = await targets.get(this.#target.key)
    // The App was uninstalled: nothing is left to say, and nobody to say it to.
    if (!newest) return
    if (reason.by === 'newer' && newest.target.headSha === this.#target.headSha) return
    const api = await this.#api()
    await endCheckRun(
      api,
      this.#ref,
      this.#checkRun,
      'cancelled',
      reason.by === 'closed' ? 'The pull request was closed' : 'Replaced by a newer commit',
      reason.by === 'closed' ? 'The audit was stopped because the pull request was closed.' : 'A newer commit of this pull request is audited instead.',
    )
    await targets.setCheckRun(this.#target.key, this.#checkRun, this.#target.headSha, false)
    await this.#commit().abandon(api, this.#target, this.#checkRun)
  }

  /** Never left in progress, never neutral: GitHub would let neutral through. */
  async #failed(error: unknown): Promise<void> {
    // What is left to do is done by repeating the audit; a verdict is not taken back for it.
    if (this.#published || isStoreProblem(error)) throw error
    const { targets } = this.#options.store
    const reason = error instanceof SourceError ? error.message : readableReason(error)
    const reference = `${this.#target.key}@${this.#stored.version}`
    if (this.#checkRun !== undefined) {
      try {
        const api = await this.#api()
        const text = {
          title: 'The audit could not be completed',
          summary: `❌ **The audit could not be completed**, so nobody knows yet whether this is safe.\n\n${prose(reason)}\n\nPress *Re-run* to try again. Reference: \`${reference}\``,
        }
        const checkRun = this.#checkRun
        // Nobody knows what this commit does to the base branch: that counts as the worst.
        await this.#commit().publish(api, this.#target, { conclusion: 'failure', text, checkRun }, ({ title, summary }) =>
          endCheckRun(api, this.#ref, checkRun, 'failure', title, summary),
        )
      } catch (concluding) {
        // Where the App may not conclude it, nobody waits for it any more; anything else has the queue try the whole job again.
        if (!isStatus(concluding, 401, 403, 404, 410)) throw concluding
      }
    } else if (!(error instanceof SourceError) && !isStatus(error, 401, 403, 404, 410, 422)) {
      throw error // Nothing is shown yet: the queue tries again.
    }
    await targets.markDone(this.#target.key, this.#stored.version, 'error', this.#checkRun === undefined ? 'no run' : 'run ended', reason)
  }
}

/** Where "details" leads: to our comment when there is one, to the pull request, or to the commit. There is no report page of our own. */
function detailsUrl(target: AuditTarget, { url }: RepositoryRef, comment: number | undefined): { detailsUrl?: string } {
  if (!url) return {}
  if (target.number === undefined) return { detailsUrl: `${url}/commit/${target.headSha}` }
  return { detailsUrl: `${url}/pull/${target.number}${comment === undefined ? '' : `#issuecomment-${comment}`}` }
}

async function changedPaths(source: GitHubSource, base: string, head: string): Promise<Set<string>> {
  const before = new Map((await source.snapshot(base)).blobs.map((b) => [b.path, b.sha]))
  const after = new Map((await source.snapshot(head)).blobs.map((b) => [b.path, b.sha]))
  const changed = new Set<string>()
  for (const [path, sha] of after) if (before.get(path) !== sha) changed.add(path)
  for (const path of before.keys()) if (!after.has(path)) changed.add(path)
  return changed
}
