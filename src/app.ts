import type { Probot } from 'probot'
import { GITHUB_EVENTS, wishOf } from './app/events.ts'
import { type FulfilOptions, fulfil } from './app/fulfil.ts'
import type { Metrics } from './app/metrics.ts'
import { CHECK_NAME } from './platform/github/check-runs.ts'

/** Probot's entry: which event leads to which wish. A delivery is answered when its wish is stored; an error answers 500, and GitHub keeps it for redelivery. */
export function app(options: FulfilOptions & { readonly metrics: Metrics }): (probot: Probot) => void {
  return (probot) => {
    probot.on([...GITHUB_EVENTS], async ({ id, name, payload }) => {
      const wish = wishOf(name, payload, CHECK_NAME)
      const target = wish?.do === 'audit' ? wish.target : undefined
      const log = {
        delivery: id,
        event: name,
        action: 'action' in payload ? payload.action : undefined,
        repository: 'repository' in payload ? payload.repository?.full_name : undefined,
        pull: target?.number,
        commit: target?.headSha,
      }
      if (!wish) {
        options.metrics.webhook(name, 'ignored')
        return
      }
      try {
        await fulfil(wish, id, options)
        options.metrics.webhook(name, 'stored')
        options.log.info({ ...log, wish: wish.do }, 'webhook taken')
      } catch (err) {
        options.metrics.webhook(name, 'error')
        options.log.error({ ...log, err }, 'the webhook could not be stored')
        throw new Error('the webhook could not be stored')
      }
    })
  }
}
