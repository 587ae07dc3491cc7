import { endCheckRun } from '../platform/github/check-runs.ts'
import { isStatus } from '../platform/github/errors.ts'
import { sweepStore } from '../store/retention.ts'
import { CommitVerdict } from './commit-verdict.ts'
import { type FulfilOptions, refreshCommits } from './fulfil.ts'
import { reconcilePulls } from './reconcile.ts'
import { redeliverMissed } from './redeliver.ts'
import type { SweepOptions } from './sweep-options.ts'

/** Queues every wish that has no job: after a crash, or after GitHub was down for longer than the queue tries. */
export async function resumeUnfinished({ store }: Pick<FulfilOptions, 'store'>): Promise<void> {
  await store.queue.giveBackLost()
  const unfinished = await store.targets.unfinished()
  for (const key of await store.queue.withoutJob([...unfinished.keys()])) await store.queue.send(key, unfinished.get(key) as number)
}

/** Everything that webhooks can leave undone: lost deliveries, pull requests without a verdict, runs left in progress, old rows. */
export async function sweep(options: SweepOptions): Promise<void> {
  for (const [name, step] of Object.entries({ resumeUnfinished, redeliverMissed, closeOpenRuns, reconcilePulls, refreshCommits, cleanStore })) {
    try {
      await step(options)
    } catch (err) {
      options.log.warn({ err, step: name }, 'a step of the sweep failed; the next sweep repeats it')
    }
  }
}

/** Concludes runs whose audit has ended without saying so. */
async function closeOpenRuns({ store, installation, log }: SweepOptions): Promise<void> {
  for (const stored of await store.targets.withOpenRuns()) {
    const { target, checkRun } = stored
    if (!checkRun) continue
    try {
      const api = await installation({ installation: target.installation, repository: target.repository.id, job: 'conclude' })
      const conclusion = stored.state === 'cancelled' ? 'cancelled' : 'failure'
      await endCheckRun(
        api,
        target.repository,
        checkRun.id,
        conclusion,
        conclusion === 'cancelled' ? 'The audit was stopped' : 'The audit could not be completed',
        conclusion === 'cancelled' ? 'The pull request was closed.' : 'The audit ended without a result. Press *Re-run* to try again.',
      )
      if (conclusion === 'cancelled') await new CommitVerdict(store.verdicts, target.repository, checkRun.sha).abandon(api, target, checkRun.id)
    } catch (err) {
      if (!isStatus(err, 401, 403, 404, 410)) {
        log.warn({ err, target: target.key }, 'a run left in progress could not be concluded yet')
        continue
      }
    }
    await store.targets.setCheckRun(target.key, checkRun.id, checkRun.sha, false)
  }
}

async function cleanStore({ store }: SweepOptions): Promise<void> {
  await sweepStore(store.sql)
}
