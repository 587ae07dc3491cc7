import type { LayersReport } from '../../database/isolation/report.ts'
import { JsonLines } from '../../lib/json-lines.ts'
import type { Isolated } from '../../platform/isolated/launch.ts'
import { SourceError } from '../../source/source.ts'
import type { AuditedForApp, AuditRequestOfApp } from '../audit-thread/protocol.ts'
import { Answers } from './answer-asks.ts'
import { readMessage, readResult, type Said, Violation } from './message-schema.ts'
import type { AuditPortsOfBroker } from './ports-of-broker.ts'
import { MAX_FROM_AUDITOR, type ToAuditor } from './protocol.ts'

/** The auditor ended while audits ran in it; none of them is known to be to blame. */
export class AuditorDied extends Error {
  override readonly name = 'AuditorDied'
}

export interface AuditorLimits {
  /** Resident bytes of the auditor; the sandboxes of databases count by themselves. */
  readonly memoryBytes: number
  /** Milliseconds without a sign of life after which it is given up. */
  readonly silenceMs: number
  /** Told which layers hold around the sandboxes that it starts. */
  readonly onLayers?: (report: LayersReport) => void
}

interface Running {
  readonly request: AuditRequestOfApp
  readonly answers: Answers
  readonly errors: Map<number, unknown>
  readonly finish: (settle: () => void) => void
  readonly resolve: (result: AuditedForApp) => void
  readonly reject: (error: unknown) => void
}

const WATCH_MS = 250

/** One auditor process, from the broker's side: it is told what to audit, asks for what it needs, and is believed nothing that does not fit. */
export class Auditor {
  readonly #process: Isolated
  readonly #limits: AuditorLimits
  readonly #lines: JsonLines
  readonly #running = new Map<number, Running>()
  readonly #ended: Promise<void>
  #because: string | undefined
  #last = 0
  #heard = 0
  #watch: NodeJS.Timeout | undefined

  constructor(process: Isolated, limits: AuditorLimits) {
    this.#process = process
    this.#limits = limits
    const { child, channel } = process
    this.#lines = new JsonLines(
      channel,
      { message: MAX_FROM_AUDITOR },
      { onMessage: (message) => this.#onMessage(message), onBreach: (because) => this.#end(because) },
    )
    this.#ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
    void this.#ended.then(() => this.#end(`it ended by itself${process.lastWords() ? `: ${process.lastWords().slice(-500)}` : ''}`))
    this.#idle(true)
  }

  /** Whether it can take an audit. */
  get alive(): boolean {
    return this.#because === undefined
  }

  /** The id of the process that was started. */
  get pid(): number | undefined {
    return this.#process.child.pid
  }

  /**
   * One audit. Rejects with the error of the port that ended it, with the signal's reason, with `AuditorDied`, or with a sentence for users.
   */
  run(request: AuditRequestOfApp, ports: AuditPortsOfBroker, signal: AbortSignal): Promise<AuditedForApp> {
    signal.throwIfAborted()
    if (this.#because !== undefined) return Promise.reject(new AuditorDied(this.#because))
    const audit = ++this.#last
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#say({ type: 'stop', audit })
        finish(() => reject(signal.reason))
      }
      const finish = (settle: () => void) => {
        signal.removeEventListener('abort', onAbort)
        this.#running.delete(audit)
        if (!this.#running.size) this.#idle(true)
        settle()
      }
      this.#running.set(audit, { request, answers: new Answers(request, ports), errors: new Map(), finish, resolve, reject })
      if (this.#running.size === 1) this.#idle(false)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#say({ type: 'audit', audit, request, hasAdvisories: ports.advisories !== undefined, hasHosted: ports.hosted !== undefined })
    })
  }

  async close(): Promise<void> {
    this.#end('it was closed')
    // Without work it kept nothing alive; its end is waited for.
    this.#process.child.ref()
    await this.#ended
  }

  #onMessage(message: unknown): void {
    let said: Said
    try {
      said = readMessage(message)
    } catch (violation) {
      this.#end((violation as Error).message)
      return
    }
    this.#heard = performance.now()
    if (said.type === 'pong') return
    if (said.type === 'layers') {
      this.#limits.onLayers?.(said.report)
      return
    }
    const running = this.#running.get(said.audit)
    if (!running) {
      // What was under way when the audit was stopped still arrives; of one that never was, nothing can.
      if (said.audit > this.#last) this.#end('it speaks of an audit that nobody asked for')
      return
    }
    try {
      if (said.type === 'ask') this.#answer(said, running)
      else if (said.type === 'done') this.#done(said.result, running)
      else running.finish(() => running.reject(errorOf(said, running)))
    } catch (error) {
      this.#violated(running, error)
    }
  }

  #answer({ audit, id, port, argument }: Extract<Said, { type: 'ask' }>, running: Running): void {
    const say = (message: ToAuditor) => this.#running.get(audit) === running && this.#say(message)
    running.answers.ask(port, argument).then(
      ({ parts = [], value }) => {
        for (const entries of parts) say({ type: 'part', audit, id, entries })
        say({ type: 'answer', audit, id, value })
      },
      (error: unknown) => {
        running.errors.set(id, error)
        say({ type: 'failed', audit, id, message: error instanceof Error ? error.message : String(error) })
      },
    )
  }

  #done(said: unknown, running: Running): void {
    const result = readResult(said)
    const { commit, repository, pullRequest } = result.report.audit
    if (commit !== running.request.commit || repository !== running.request.repository || pullRequest !== running.request.pullRequest)
      throw new Violation('the result is of something else')
    running.finish(() => running.resolve(result as AuditedForApp))
  }

  /** Whoever says what no auditor says is not one any more. The audit it said it for is not tried again; the others are not to blame. */
  #violated(running: Running, error: unknown): void {
    const because = error instanceof Violation ? error.message : 'a message could not be worked with'
    running.finish(() =>
      running.reject(
        new SourceError(`The process that reads the repository did not keep to its rules (${because}), so it was ended and its answer is not used.`, {
          cause: error,
        }),
      ),
    )
    this.#end(because)
  }

  #end(because: string): void {
    if (this.#because !== undefined) return
    this.#because = because
    clearInterval(this.#watch)
    this.#process.end()
    for (const running of [...this.#running.values()]) running.finish(() => running.reject(new AuditorDied(because)))
  }

  #say(message: ToAuditor): void {
    if (this.#because === undefined) this.#lines.send(message)
  }

  /** An auditor without work keeps nothing alive and is not watched. */
  #idle(idle: boolean): void {
    const { child, channel } = this.#process
    clearInterval(this.#watch)
    for (const handle of [child, channel, child.stderr] as { ref?(): void; unref?(): void }[]) idle ? handle.unref?.() : handle.ref?.()
    if (idle || this.#because !== undefined) return
    this.#heard = performance.now()
    let looks = 0
    this.#watch = setInterval(() => {
      if ((this.#process.residentBytes() ?? 0) > this.#limits.memoryBytes) this.#end('it took more memory than allowed')
      else if (performance.now() - this.#heard > this.#limits.silenceMs) this.#end('it did not answer any more')
      else if (++looks % Math.max(1, Math.floor(this.#limits.silenceMs / WATCH_MS / 12)) === 0) this.#say({ type: 'ping' })
    }, WATCH_MS)
  }
}

function errorOf({ asked, forUsers, message, stack }: Extract<Said, { type: 'failed' }>, { errors }: Running): unknown {
  if (asked !== undefined && errors.has(asked)) return errors.get(asked)
  if (forUsers) return new SourceError(message.slice(0, 500))
  const error = new Error(message.slice(0, 500))
  if (stack) error.stack = stack
  return error
}
