import { Socket } from 'node:net'
import { basename, extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { JsonLines } from '../../lib/json-lines.ts'
import type { DatabaseGap, DatabaseResult, TableHint } from '../database.ts'
import { CHANNEL, type ProcessSettings } from '../isolation/process-settings.ts'
import type { Answer, HintsFollow, Request, Template } from './protocol.ts'
import { elapsedMs, type Moment, now, RESERVED_MS, withoutSince } from './stopwatch.ts'
import type { WorkerJob, WorkerTask } from './worker.ts'

/**
 * The sandbox's process. Its main thread never touches SQL: it watches the thread that does, ends it when it takes too long or
 * too much memory, and starts it again without the step that was to blame.
 */
class Supervisor {
  private template: string | Uint8Array = ''
  /** Whether another replay may follow. */
  private again = false
  private watching: NodeJS.Timeout | undefined
  private worker: Worker | undefined
  private job: Extract<Request, { type: 'replay' }> | undefined
  private started: Moment = now()
  private readonly skip = new Set<string>()
  private label = ''
  private since: Moment = now()
  private partial: DatabaseResult | undefined
  /** What a replay that began without hints was told later. */
  private hints: readonly TableHint[] | undefined
  /** Since when the step under way waits for them. */
  private waiting: Moment | undefined
  private restarts = 0
  private building = false

  onRequest(request: Request): void {
    if (request.type === 'build') {
      this.building = true
      this.spawn({ build: true })
    } else if (request.type === 'start') {
      const template = templateOf(request.template)
      if (template === undefined) {
        send({ type: 'died', because: 'the sandbox has a template of another version' })
        return
      }
      this.template = template
      this.again = request.again ?? false
      this.spawn(this.task())
    } else if (request.type === 'hints') this.onHints(request.hints)
    else {
      this.job = request
      this.started = now()
      for (const label of request.skip) this.skip.add(label)
      if (!this.worker) this.spawn(this.task())
      this.give()
      this.watching = setInterval(() => this.watch(), 50)
    }
  }

  private task(): WorkerTask {
    return { template: this.template, again: this.again }
  }

  private onHints(hints: readonly TableHint[]): void {
    this.hints = hints
    if (this.waiting) {
      this.started = withoutSince(this.started, this.waiting)
      this.since = withoutSince(this.since, this.waiting)
      this.waiting = undefined
    }
    this.worker?.postMessage({ type: 'hints', hints } satisfies HintsFollow)
  }

  private spawn(task: WorkerTask): void {
    // V8's stack must hold what PostgreSQL's recursion limit allows, or the engine dies silently.
    const worker = new Worker(new URL(`../isolation/guarded-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { ...task, layers: settings.layers },
      env: {},
      resourceLimits: { stackSizeMb: 64, maxOldGenerationSizeMb: 1024 },
    })
    this.worker = worker
    worker.on('message', (answer: Answer) => this.worker === worker && this.onAnswer(answer))
    worker.on('error', (error) => this.worker === worker && this.blame(`the database engine stopped (${error.message.slice(0, 100)})`))
    worker.on('exit', () => this.worker === worker && this.job && this.blame('the database engine ended by itself'))
  }

  private give(): void {
    if (!this.job) return
    this.label = 'start'
    this.since = now()
    this.waiting = undefined
    const { input, budgetMs, hintsFollow = false } = this.job
    const job: WorkerJob = { input, budgetMs, started: this.started, skip: [...this.skip], hintsFollow }
    this.worker?.postMessage(job)
    if (this.hints) this.onHints(this.hints)
  }

  private onAnswer(answer: Answer): void {
    if (answer.type === 'at') {
      this.label = answer.label
      this.since = now()
    } else if (answer.type === 'waiting') this.waiting = this.hints ? undefined : now()
    else if (answer.type === 'replayed') this.partial = answer.result
    else if (answer.type === 'died') this.blame(answer.because)
    // what an earlier run found out counts more than half a schema
    else if (answer.type === 'result' && answer.halfApplied && this.partial) this.giveUp('the time budget ended')
    else this.finish(answer)
  }

  /** Answers, and forgets the replay: with `again` another one may come. */
  private finish(answer: Answer): void {
    clearInterval(this.watching)
    this.job = undefined
    this.hints = undefined
    this.waiting = undefined
    this.partial = undefined
    this.skip.clear()
    this.restarts = 0
    send(answer)
  }

  private lastSent = ''

  private watch(): void {
    const job = this.job
    if (!job || this.waiting) return
    if (this.label !== this.lastSent) {
      this.lastSent = this.label
      send({ type: 'at', label: this.label })
    }
    const left = this.leftMs(job.budgetMs)
    if (process.memoryUsage.rss() > job.memoryBytes) this.blame('it took more memory than allowed')
    else if (left < 0) this.giveUp('the time budget ended')
    else if (this.label !== 'start' && elapsedMs(this.since) > Math.min(job.stepMs, Math.max(500, left / 2))) this.blame('it did not end in time')
  }

  private leftMs(budgetMs: number): number {
    return budgetMs - elapsedMs(this.started)
  }

  /** Ends the thread; goes on without the step under way when there is time to. */
  private blame(because: string): void {
    const worker = this.worker
    this.worker = undefined
    void worker?.terminate()
    if (this.building) send({ type: 'died', because })
    // It died before there was anything to do: the job will start another.
    if (!this.job) return
    this.skip.add(this.label)
    this.restarts++
    const left = this.leftMs(this.job?.budgetMs ?? 0)
    if (this.label === 'catalog' || this.label === 'start' || this.restarts > 20 || left < MIN_RESTART_MS) {
      this.giveUp(because)
      return
    }
    this.spawn(this.task())
    this.give()
  }

  /** What is known so far, or that nothing is. */
  private giveUp(because: string): void {
    const { worker, job, partial } = this
    this.worker = undefined
    void worker?.terminate()
    if (partial) {
      // what was read of policies and functions judges them; nobody judged them before
      const wasRead = partial.access.holes !== undefined
      const gap: DatabaseGap = {
        path: job?.input.files[0]?.path ?? '',
        because: wasRead ? `who can do what was not tried to the end: ${because}` : `policies and functions were not read to the end: ${because}`,
        touches: wasRead ? [] : [{ topic: 'anything' }],
      }
      this.finish({ type: 'result', result: { ...partial, gaps: [...partial.gaps, gap] } })
    } else this.finish({ type: 'died', because: `${because} (at ${this.label})` })
  }
}

/** A restart loads the template and replays from the beginning, of which some is kept for what comes after the SQL. */
const MIN_RESTART_MS = RESERVED_MS + 1500

const settings = JSON.parse(process.argv[2] ?? '') as ProcessSettings

/** The file, whose name tells its version, or the bytes; undefined when this process was started with another one. */
function templateOf(asked: Template): string | Uint8Array | undefined {
  if ('base64' in asked) return Buffer.from(asked.base64, 'base64')
  return settings.template && basename(settings.template) === asked.name ? settings.template : undefined
}

/** Requests come from our own program, which bounds what it reads of a repository. */
const REQUEST_LIMITS = { message: 2 ** 29, total: Number.POSITIVE_INFINITY, count: Number.POSITIVE_INFINITY }

const supervisor = new Supervisor()
const channel = new Socket({ fd: CHANNEL })
const lines = new JsonLines(channel, REQUEST_LIMITS, {
  onMessage: (request) => supervisor.onRequest(request as Request),
  onBreach: () => process.exit(1),
})
channel.on('close', () => process.exit(0))

function send(answer: Answer): void {
  lines.send(answer)
}
