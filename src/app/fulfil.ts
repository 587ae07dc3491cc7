import { codeSpan, prose } from '../lib/escape-markdown.ts'
import { forgetClones } from '../platform/github/bare-clone.ts'
import type { GitHubApi } from '../platform/github/client.ts'
import { addComment, mayMaintain } from '../platform/github/comments.ts'
import { isStatus } from '../platform/github/errors.ts'
import type { TokenScope } from '../platform/github/installation-client.ts'
import type { AuditTarget } from '../store/audit-target.ts'
import { forgetInstallation, forgetRepositories } from '../store/retention.ts'
import type { Store } from '../store/store.ts'
import { answerCommand } from './command.ts'
import { CommitVerdict } from './commit-verdict.ts'
import { branchTarget, pullTarget, repositoryOf, type Wish } from './events.ts'
import type { Runner } from './runner.ts'
import type { Log } from './runner-options.ts'

export interface FulfilOptions {
  readonly store: Store
  readonly runner: Pick<Runner, 'interrupt' | 'interruptRepositories'>
  /** A client whose token is good for one job. */
  readonly installation: (scope: TokenScope) => Promise<GitHubApi>
  readonly log: Log
}

/** Repositories of a new installation that are audited at once; the others are audited at their first event. */
const MAX_FIRST_AUDITS = 50

/** Carries out what a delivery asks for. When it returns, nothing that it asked for can be lost. */
export async function fulfil(wish: Wish, delivery: string, options: FulfilOptions): Promise<void> {
  const { store, runner } = options
  switch (wish.do) {
    case 'audit':
      return want(wish.target, delivery, options)
    case 'cancel': {
      if (await store.targets.cancel(wish.key)) runner.interrupt(wish.key, 'closed')
      return stopCounting(wish.key, options)
    }
    case 'again': {
      for (const [i, target] of (await findAgain(wish, options)).entries())
        await want(
          { ...target, again: true, ...(wish.explain ? { explain: true } : {}), reason: wish.explain ? 'explain' : 'rerequested' },
          i ? `${delivery}:${target.key}` : delivery,
          options,
        )
      return
    }
    case 'command':
      if (await store.targets.noteDelivery(delivery)) await command(wish, options)
      return
    case 'audit-default-branches':
      for (const repository of wish.repositories.slice(0, MAX_FIRST_AUDITS)) await firstAudit(wish.installation, repository, delivery, options)
      return
    case 'forget-installation':
      return forgetRunning(await forgetInstallation(store.sql, wish.installation, wish.repositories), options)
    case 'forget-repositories':
      await forgetRepositories(store.sql, wish.repositories)
      return forgetRunning(wish.repositories, options)
  }
}

/** Ends the audits of repositories that were forgotten and deletes their clones; an audit of another process ends when it finds its target gone. */
async function forgetRunning(repositories: readonly number[], { store, runner }: FulfilOptions): Promise<void> {
  runner.interruptRepositories(repositories)
  await forgetClones(store.cloneRoot, repositories)
}

/** Stores the wish, queues it, and stops an audit of an older commit. */
export async function want(target: AuditTarget, delivery: string, options: FulfilOptions): Promise<void> {
  const { store, runner } = options
  const outcome = await store.targets.want(target, delivery)
  // Sent even when known: a crash between the two statements must not leave a wish without its job. One waiting job per key is enough.
  const stored = await store.targets.get(target.key)
  if (stored && stored.done < stored.version && stored.state !== 'cancelled') await store.queue.send(target.key, target.installation)
  if (outcome === 'stored') runner.interrupt(target.key, 'newer')
  if (target.number === undefined) return
  await stopCounting(target.key, options, target.headSha)
  if (outcome === 'known' && opensAgain(target.reason) && (await store.verdicts.reopen(target.key, target.headSha)))
    await refreshCommit(target, target.headSha, options)
}

/** Whether a wish says that a pull request is open now. A late delivery of `opened` does not. */
function opensAgain(reason: string): boolean {
  return reason === 'pull_request.reopened' || reason === 'reconciled'
}

/** The verdicts of a pull request count no more, but for the one on its head: the runs that they decided are concluded anew. */
export async function stopCounting(key: string, options: FulfilOptions, headSha?: string): Promise<void> {
  const commits = await options.store.verdicts.close(key, headSha)
  const target = commits.length ? (await options.store.targets.get(key))?.target : undefined
  if (target) for (const sha of commits) await refreshCommit(target, sha, options)
}

/** Has the run on a commit show what counts. What GitHub does not take now, the next minute repeats: it is stored. */
async function refreshCommit(target: AuditTarget, sha: string, { store, installation, log }: FulfilOptions): Promise<void> {
  try {
    const api = await installation({ installation: target.installation, repository: target.repository.id, job: 'conclude' })
    await new CommitVerdict(store.verdicts, target.repository, sha).refresh(api)
  } catch (err) {
    log.warn({ err, target: target.key, commit: sha }, 'the run on a commit could not be brought up to date yet')
  }
}

/** Brings runs up to date that do not show what counts: GitHub was away, or the process ended in between. */
export async function refreshCommits(options: FulfilOptions): Promise<void> {
  for (const { target, sha } of await options.store.verdicts.unshown()) await refreshCommit(target, sha, options)
}

/** What a commit belongs to, everything that is open there: by memory, by the payload, by the open pull requests (forks), or as the tip of the default branch. */
async function findAgain(wish: Extract<Wish, { do: 'again' }>, options: FulfilOptions): Promise<AuditTarget[]> {
  const open = await options.store.targets.openOn(wish.repository.id, wish.headSha)
  if (open.length) return open
  const known = await options.store.targets.findByHead(wish.repository.id, wish.headSha)
  if (known) return [{ ...known.target, headSha: wish.headSha }]
  const api = await options.installation({ installation: wish.installation, repository: wish.repository.id, job: 'lookUp' })
  const { owner, name } = wish.repository
  const number = wish.pulls[0]
  if (number !== undefined) {
    const { data } = await api.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { owner, repo: name, pull_number: number })
    return [pullTarget(wish.repository, wish.installation, data, 'rerequested')]
  }
  const { data } = await api.request('GET /repos/{owner}/{repo}/pulls', { owner, repo: name, state: 'open', per_page: 100 })
  const pull = data.find((p) => p.head.sha === wish.headSha)
  if (pull) return [pullTarget(wish.repository, wish.installation, pull, 'rerequested')]
  return wish.branch === undefined || wish.branch === wish.defaultBranch
    ? [branchTarget(wish.repository, wish.installation, wish.defaultBranch, wish.headSha, undefined, 'rerequested')]
    : []
}

async function firstAudit(installation: number, repository: { id: number; fullName: string }, delivery: string, options: FulfilOptions): Promise<void> {
  const [owner = '', name = ''] = repository.fullName.split('/')
  try {
    const api = await options.installation({ installation, repository: repository.id, job: 'lookUp' })
    const { data } = await api.request('GET /repos/{owner}/{repo}', { owner, repo: name })
    const { data: branch } = await api.request('GET /repos/{owner}/{repo}/branches/{branch}', { owner, repo: name, branch: data.default_branch })
    const node = repositoryOf(data)
    if (node)
      await want(branchTarget(node, installation, data.default_branch, branch.commit.sha, undefined, 'installation'), `${delivery}:${repository.id}`, options)
  } catch (err) {
    // An empty or vanished repository has nothing to audit; its first push brings it.
    if (!isStatus(err, 403, 404, 409)) options.log.warn({ err, repository: repository.fullName }, 'the first audit could not be queued')
  }
}

async function command(wish: Extract<Wish, { do: 'command' }>, options: FulfilOptions): Promise<void> {
  const api = await options.installation({ installation: wish.installation, repository: wish.repository.id, job: 'answer' })
  const ref = wish.repository
  const body = (await mayMaintain(api, ref, wish.login))
    ? await answerCommand(wish.text, { api, ref, number: wish.number, login: wish.login, store: options.store })
    : `${codeSpan(`@${wish.login}`)} may not accept findings: that takes write access to the repository. ${prose('Nothing was changed.')}`
  await addComment(api, ref, wish.number, body)
}
