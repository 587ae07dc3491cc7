import { PgBoss } from 'pg-boss'
import { numberRounds, priorityOfNext } from './fair-order.ts'
import { SCHEMA } from './migrations.ts'
import type { Sql } from './sql.ts'

const QUEUE = 'audit'

export interface QueueOptions {
  /** Audits at once in this process. */
  readonly concurrency: number
  /** Seconds after which an idle worker looks for jobs that nothing announced; half a second when absent. */
  readonly pollSeconds?: number
  readonly onError: (error: Error) => void
}

/** Seconds that a job may take from the database to a worker, and its end back. */
const TAKING_SECONDS = 10

const AUDIT_QUEUE_SETTINGS = {
  notify: true,
  retryLimit: 5,
  retryDelay: 5,
  retryBackoff: true,
  // What failed because the store or GitHub was away is found again within a minute after they are back.
  retryDelayMax: 20,
  expireInSeconds: 1800,
  heartbeatSeconds: 30,
  deleteAfterSeconds: 86_400,
}

interface AuditJob {
  readonly key: string
}

/**
 * The queue of audits. A job carries a key only, the newest wish stands in the target's row: of each key one job may wait and one may run,
 * so a newer commit never queues behind an older one and two processes never audit one pull request at the same time. Installations take turns
 * (`fair-order.ts`), whatever one of them has waiting.
 */
export class AuditQueue {
  readonly #boss: PgBoss
  readonly #sql: Sql
  readonly #options: QueueOptions
  readonly #running = new Set<Promise<void>>()
  readonly #keys = new Set<string>()
  #sending: Promise<void> = Promise.resolve()
  /** Whether jobs can be on their way from the database to a worker. */
  #taken = false

  constructor(sql: Sql, options: QueueOptions) {
    this.#sql = sql
    this.#options = options
    this.#boss = new PgBoss({
      db: sql.db,
      backend: sql.kind === 'embedded' ? 'pglite' : 'postgres',
      schema: SCHEMA,
      schedule: false,
      useListenNotify: sql.kind === 'embedded',
      superviseIntervalSeconds: 10,
      maintenanceIntervalSeconds: 300,
      monitorIntervalSeconds: 10,
      persistWarnings: false,
    })
    this.#boss.on('error', options.onError)
  }

  /** Prepares the tables; nothing runs before `work`. */
  async start(): Promise<void> {
    await this.#boss.start()
    if (await this.#boss.getQueue(QUEUE)) await this.#boss.updateQueue(QUEUE, AUDIT_QUEUE_SETTINGS)
    else await this.#boss.createQueue(QUEUE, { ...AUDIT_QUEUE_SETTINGS, policy: 'stately' })
  }

  /** Puts a key into the queue at its installation's next turn; one that already waits there is enough. */
  send(key: string, installation: number): Promise<void> {
    // One after the other: two at once would take the same turn.
    const sent = this.#sending.then(() => this.#enqueue(key, installation))
    this.#sending = sent.catch(() => {})
    return sent
  }

  async #enqueue(key: string, installation: number): Promise<void> {
    const group = { id: String(installation) }
    const priority = await priorityOfNext(this.#sql, QUEUE, group.id)
    const id = await this.#boss.send(QUEUE, { key } satisfies AuditJob, { singletonKey: key, priority, group })
    // The job is stored; where the turns cannot be numbered now, the next one numbers them.
    if (id) await numberRounds(this.#sql, QUEUE, installation).catch(this.#options.onError)
  }

  /** Those of the keys that neither wait nor run. */
  async withoutJob(keys: readonly string[]): Promise<string[]> {
    const rows = await this.#sql.query<{ key: string }>(
      `select k as key from unnest($2::text[]) with ordinality as u(k, n) where not exists (
         select 1 from ${SCHEMA}.job where name = $1 and singleton_key = k and state in ('created', 'retry', 'active')) order by n`,
      [QUEUE, [...keys]],
    )
    return rows.map((r) => r.key)
  }

  /** Begins to run audits. On the embedded database no other process exists, so jobs left active by a crash are given back first. */
  async work(handler: (key: string) => Promise<void>): Promise<void> {
    await this.giveBackLost()
    for (let i = 0; i < this.#options.concurrency; i++) await this.#drain(handler)
  }

  /** One worker, which takes the next job as soon as it is done with one and rests when there is none. */
  async #drain(handler: (key: string) => Promise<void>): Promise<void> {
    const poll = this.#options.pollSeconds ?? 0.5
    const worker: Promise<string> = this.#boss.work<AuditJob>(
      QUEUE,
      { batchSize: 1, pollingIntervalSeconds: poll, notifyPollingIntervalSeconds: Math.max(5, poll) },
      async (jobs) => {
        // Otherwise pg-boss waits a whole interval after each job, whatever still waits in the queue.
        this.#boss.notifyWorker(await worker)
        for (const job of jobs) {
          this.#keys.add(job.data.key)
          const run = handler(job.data.key).finally(() => this.#keys.delete(job.data.key))
          const tracked = run.catch(() => {}).finally(() => this.#running.delete(tracked))
          this.#running.add(tracked)
          await run
        }
      },
    )
    await worker
  }

  /**
   * Gives back jobs that count as running and that nobody runs: the process ended, or the store did not take how they ended because its disk
   * was full. Only for the embedded database, where this process is the only one; on a server the heartbeat of the jobs tells.
   */
  async giveBackLost(): Promise<void> {
    if (this.#sql.kind !== 'embedded') return
    const active = await this.#sql.query<{ id: string }>(
      `select id from ${SCHEMA}.job where name = $1 and state = 'active' and not singleton_key = any($2::text[]) and started_on < now() - make_interval(secs => $3)`,
      [QUEUE, [...this.#keys], this.#taken ? TAKING_SECONDS : 0],
    )
    this.#taken = true
    if (active.length)
      await this.#boss.fail(
        QUEUE,
        active.map((j) => j.id),
        { reason: 'nobody runs the audit any more' },
      )
  }

  /** Waiting and running audits, for metrics. */
  async depth(): Promise<{ waiting: number; active: number }> {
    const rows = await this.#sql.query<{ state: string; n: string }>(
      `select state::text as state, count(*) as n from ${SCHEMA}.job where name = $1 and state in ('created', 'retry', 'active') group by 1`,
      [QUEUE],
    )
    const of = (state: string) => Number(rows.find((r) => r.state === state)?.n ?? 0)
    return { waiting: of('created') + of('retry'), active: of('active') }
  }

  /** Takes no more jobs and waits for the running ones; after `graceMs` they stay to be resumed by the next process. */
  async stop(graceMs: number): Promise<void> {
    await this.#boss.stop({ graceful: true, close: false, timeout: Math.max(1000, graceMs) })
    await Promise.race([Promise.all(this.#running), new Promise((resolve) => setTimeout(resolve, graceMs).unref())])
  }
}
