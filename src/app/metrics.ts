import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Store } from '../store/store.ts'
import type { RunnerOptions } from './runner-options.ts'

/** What operators watch. Labels are few and fixed: never a repository's name. */
export class Metrics {
  readonly registry = new Registry()
  readonly #webhooks = new Counter({
    name: 'prelaunch_webhooks_total',
    help: 'Webhooks by event and outcome',
    labelNames: ['event', 'outcome'],
    registers: [this.registry],
  })
  readonly #audits = new Counter({
    name: 'prelaunch_audits_total',
    help: 'Audits by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [this.registry],
  })
  readonly #seconds = new Histogram({
    name: 'prelaunch_audit_seconds',
    help: 'Seconds of one audit',
    labelNames: ['kind'],
    buckets: [0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640],
    registers: [this.registry],
  })
  readonly #requests = new Histogram({
    name: 'prelaunch_audit_api_requests',
    help: 'GitHub API requests of one audit',
    buckets: [4, 6, 8, 10, 12, 16, 20, 30, 50, 100],
    registers: [this.registry],
  })

  constructor(store: Store) {
    collectDefaultMetrics({ register: this.registry })
    new Gauge({
      name: 'prelaunch_queue_jobs',
      help: 'Audits that wait and that run',
      labelNames: ['state'],
      registers: [this.registry],
      async collect() {
        const { waiting, active } = await store.queue.depth()
        this.set({ state: 'waiting' }, waiting)
        this.set({ state: 'active' }, active)
      },
    })
  }

  webhook(event: string, outcome: 'stored' | 'ignored' | 'error'): void {
    this.#webhooks.inc({ event, outcome })
  }

  audit: NonNullable<RunnerOptions['onAudit']> = ({ kind, outcome, seconds, apiRequests }) => {
    this.#audits.inc({ kind, outcome })
    this.#seconds.observe({ kind }, seconds)
    this.#requests.observe(apiRequests)
  }
}
