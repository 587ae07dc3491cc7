import { endCheckRun } from '../platform/github/check-runs.ts'
import type { GitHubApi } from '../platform/github/client.ts'
import { isStatus } from '../platform/github/errors.ts'
import { sweepStore } from '../store/retention.ts'
import { pullTarget, repositoryOf } from './events.ts'
import { type FulfilOptions, want } from './fulfil.ts'

export interface SweepOptions extends FulfilOptions {
  /** Authenticated as the App itself. */
  readonly app: () => Promise<GitHubApi>
}

/** Deliveries looked at in one sweep. */
const MAX_DELIVERIES = 1000
/** Redeliveries asked for in one sweep; the rest waits for the next. */
const MAX_REDELIVERIES = 100
const MAX_REPOSITORIES = 200

/** Queues every wish that has no job: after a crash, or after GitHub was down for longer than the queue tries. */
export async function resumeUnfinished({ store }: Pick<FulfilOptions, 'store'>): Promise<number> {
  const keys = await store.targets.unfinished()
  for (const key of keys) await store.queue.send(key)
  return keys.length
}

/** Everything that webhooks can leave undone: lost deliveries, pull requests without a verdict, runs left in progress, old rows. */
export async function sweep(options: SweepOptions): Promise<void> {
  for (const [name, step] of Object.entries({ resumeUnfinished, redeliverMissed, closeOpenRuns, reconcilePulls, cleanStore })) {
    try {
      await step(options)
    } catch (err) {
      options.log.warn({ err, step: name }, 'a step of the sweep failed; the next sweep repeats it')
    }
  }
}

/** Asks GitHub to deliver again what did not arrive, back to where the last sweep ended (GitHub keeps deliveries for three days). */
async function redeliverMissed({ app, store, log }: SweepOptions): Promise<void> {
  const api = await app()
  const since = (await store.targets.mark('deliveries')) ?? new Date(Date.now() - 3 * 86_400_000).toISOString()
  const failed = new Map<string, number>()
  const arrived = new Set<string>()
  let newest = since
  let cursor: string | undefined
  for (let looked = 0; looked < MAX_DELIVERIES; ) {
    const { data, headers } = await api.request('GET /app/hook/deliveries', { per_page: 100, ...(cursor ? { cursor } : {}) })
    looked += data.length
    for (const d of data) {
      if (d.delivered_at > newest) newest = d.delivered_at
      if (d.status_code >= 200 && d.status_code < 300) arrived.add(d.guid)
      else if (!failed.has(d.guid)) failed.set(d.guid, Number(d.id))
    }
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.link ?? '')?.[1]
    if (!cursor || data.length === 0 || (data.at(-1)?.delivered_at ?? '') <= since) break
  }
  const known = await store.targets.knownDeliveries([...failed.keys()])
  const missed = [...failed].filter(([guid]) => !arrived.has(guid) && !known.has(guid)).slice(0, MAX_REDELIVERIES)
  for (const [, id] of missed) await api.request('POST /app/hook/deliveries/{delivery_id}/attempts', { delivery_id: id })
  if (missed.length) log.info({ deliveries: missed.length }, 'asked for missed deliveries again')
  await store.targets.setMark('deliveries', newest)
}

/** Concludes runs whose audit has ended without saying so. */
async function closeOpenRuns({ store, installation, log }: SweepOptions): Promise<void> {
  for (const stored of await store.targets.withOpenRuns()) {
    const { target, checkRun } = stored
    if (!checkRun) continue
    try {
      const api = await installation(target.installation)
      const conclusion = stored.state === 'cancelled' ? 'cancelled' : 'failure'
      await endCheckRun(
        api,
        target.repository,
        checkRun.id,
        conclusion,
        conclusion === 'cancelled' ? 'The audit was stopped' : 'The audit could not be completed',
        conclusion === 'cancelled' ? 'The pull request was closed.' : 'The audit ended without a result. Press *Re-run* to try again.',
      )
    } catch (err) {
      if (!isStatus(err, 401, 403, 404, 410)) {
        log.warn({ err, target: target.key }, 'a run left in progress could not be concluded yet')
        continue
      }
    }
    await store.targets.setCheckRun(target.key, checkRun.id, checkRun.sha, false)
  }
}

/** Open pull requests whose head has no verdict, in the installations that the App knows. */
async function reconcilePulls(options: SweepOptions): Promise<void> {
  const { store, installation, log } = options
  let looked = 0
  for (const { installation: id } of await store.targets.installations()) {
    let api: GitHubApi
    try {
      api = await installation(id)
      const { data } = await api.request('GET /installation/repositories', { per_page: 100 })
      for (const node of data.repositories) {
        const repository = repositoryOf(node)
        if (!repository || ++looked > MAX_REPOSITORIES) continue
        const { data: pulls } = await api.request('GET /repos/{owner}/{repo}/pulls', {
          owner: repository.owner,
          repo: repository.name,
          state: 'open',
          per_page: 100,
        })
        for (const pull of pulls) {
          const stored = await store.targets.get(`${repository.id}/pull/${pull.number}`)
          if (stored?.target.headSha === pull.head.sha && stored.state !== 'cancelled') continue
          await want(pullTarget(repository, id, pull, 'reconciled'), `reconciled:${repository.id}/${pull.number}:${pull.head.sha}`, options)
        }
      }
    } catch (err) {
      if (!isStatus(err, 401, 403, 404)) log.warn({ err, installation: id }, 'the open pull requests of an installation could not be listed')
    }
  }
}

async function cleanStore({ store }: SweepOptions): Promise<void> {
  await sweepStore(store.sql)
}
