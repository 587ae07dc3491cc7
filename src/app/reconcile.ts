import type { GitHubApi } from '../platform/github/client.ts'
import { isStatus } from '../platform/github/errors.ts'
import type { AuditTarget, StoredTarget } from '../store/audit-target.ts'
import { pullTarget, repositoryOf } from './events.ts'
import { stopCounting, want } from './fulfil.ts'
import type { ReconcileLimits, SweepOptions } from './sweep-options.ts'

export const DEFAULT_RECONCILE_LIMITS: ReconcileLimits = { perInstallation: 1000, perSweep: 10_000 }
const PAGE = 100

/** Counts requests; says when there are none left. */
interface Budget {
  left: number
}

/** Queues audits of open pull requests whose head has no verdict, in the installations that the App knows: webhooks that GitHub never sent. */
export async function reconcilePulls(options: SweepOptions): Promise<void> {
  const { store, installation, log, reconcileLimits = DEFAULT_RECONCILE_LIMITS } = options
  let left = reconcileLimits.perSweep
  for (const { installation: id, position } of await store.targets.installationsByTurn()) {
    if (left <= 0) return
    const budget = { left: Math.min(left, reconcileLimits.perInstallation) }
    const before = budget.left
    try {
      await store.targets.endTurn(id, await reconcileInstallation(id, position, await installation({ installation: id, job: 'list' }), budget, options))
    } catch (err) {
      // Suspended or uninstalled meanwhile: nothing to look at. What is merely out of order must not keep the others waiting.
      await store.targets.endTurn(id, position)
      if (!isStatus(err, 401, 403, 404)) log.warn({ err, installation: id }, 'the open pull requests of an installation could not be listed')
    }
    left -= before - budget.left
  }
}

/** Goes through the repositories from a position on; gives the position to go on from, 0 when all were looked at. */
async function reconcileInstallation(id: number, from: number, api: GitHubApi, budget: Budget, options: SweepOptions): Promise<number> {
  for (let position = from; ; ) {
    if (budget.left-- <= 0) return position
    const { data } = await api.request('GET /installation/repositories', { per_page: PAGE, page: Math.floor(position / PAGE) + 1 })
    for (const node of data.repositories.slice(position % PAGE)) {
      if (budget.left <= 0) return position
      const repository = repositoryOf(node)
      if (repository && !node.archived) await reconcileRepository(id, repository, api, budget, options)
      position++
    }
    if (data.repositories.length < PAGE) return 0
  }
}

async function reconcileRepository(id: number, repository: AuditTarget['repository'], api: GitHubApi, budget: Budget, options: SweepOptions): Promise<void> {
  const begin = Date.now()
  const open = new Set<string>()
  for (let page = 1; ; page++) {
    budget.left--
    const { data: pulls } = await api.request('GET /repos/{owner}/{repo}/pulls', {
      owner: repository.owner,
      repo: repository.name,
      state: 'open',
      per_page: PAGE,
      page,
    })
    for (const pull of pulls) {
      const key = `${repository.id}/pull/${pull.number}`
      open.add(key)
      const stored = await options.store.targets.get(key)
      if (stored && isKnown(stored, pull) && !(await options.store.verdicts.isClosed(key, pull.head.sha))) continue
      await want(pullTarget(repository, id, pull, 'reconciled'), `reconciled:${repository.id}/${pull.number}:${pull.head.sha}`, options)
    }
    if (pulls.length < PAGE) break
  }
  // Closed, and no webhook said so: what it would have decided is decided by the others.
  for (const key of await options.store.verdicts.openPulls(repository.id, begin)) if (!open.has(key)) await stopCounting(key, options)
}

/** Whether a pull request has its verdict, for this head and this base branch. */
function isKnown(stored: StoredTarget, pull: { head: { sha: string }; base: { ref: string } }): boolean {
  return stored.target.headSha === pull.head.sha && (stored.target.baseRef ?? pull.base.ref) === pull.base.ref && !isWithoutVerdict(stored)
}

/** Stopped when the pull request was closed, or failed before there was a run to say so: the installation was suspended, GitHub was away. */
function isWithoutVerdict({ state, checkRun, target }: StoredTarget): boolean {
  return state === 'cancelled' || (state === 'error' && checkRun?.sha !== target.headSha)
}
