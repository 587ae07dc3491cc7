import { createHash } from 'node:crypto'
import { isDatabaseResult } from './answer/believed.ts'
import { hear } from './answer/hear.ts'
import type { Database, DatabaseGap, DatabaseResult, ReplayCache, ReplayInput, TableHint } from './database.ts'
import { ALL_LAYERS, type Layers } from './isolation/layers.ts'
import type { SandboxProcess } from './isolation/sandbox-process.ts'
import { SandboxSource } from './isolation/sandbox-source.ts'
import { templateDigest } from './isolation/template-file.ts'
import { longestMs } from './sandbox/stopwatch.ts'
import { mergeResults, separateDatabases } from './separate-databases.ts'

export interface SandboxOptions {
  /** Computing time for one replay and its trials together; 40 s when absent. On a busy machine it may take up to four times as long. */
  readonly budgetMs?: number
  /** The same for one statement or trial; 4 s when absent. */
  readonly stepMs?: number
  /** Resident memory of the sandbox's process; 2 GiB when absent (starting alone takes more than one). */
  readonly memoryBytes?: number
  /** Where the prepared template is kept between runs; the user's cache folder when absent. */
  readonly cacheDir?: string
  /** Keeps one prepared sandbox in reserve: for servers. */
  readonly keepWarm?: boolean
  /**
   * How many replays share a process, each in an engine of its own; 1 when absent. More is for tests, whose SQL is known: starting a
   * process and compiling the engine takes longer than most of their replays.
   */
  readonly replaysPerProcess?: number
  /** Unix socket of the service that runs the sandboxes; a process of this machine when absent. */
  readonly socket?: string
  /** What is put around a sandbox of this machine: everything when absent. Less is for tests of the rest. */
  readonly layers?: Layers
}

/** Raised whenever the same input can give another result. */
const REPLAY_VERSION = '152'

/** Computing time of one replay: three times what the largest schema that was measured takes (350 migrations, 170 tables: 10 s). */
const DEFAULT_BUDGET_MS = 40_000

/** The database in a sandbox: a process of its own behind the layers of `isolation`, watched and ended from outside. */
export class SandboxDatabase implements Database {
  private readonly options: SandboxOptions
  private readonly source: SandboxSource
  private spare: Promise<SandboxProcess> | undefined
  /** The process of `spare` once it runs. */
  private idle: SandboxProcess | undefined
  private readonly recent = new Map<string, Promise<DatabaseResult>>()
  private begun: Begun | undefined
  private readonly begunBefore = new Set<string>()
  /** How often this was closed: what was being started then must not stay. */
  private closings = 0
  /** The processes that run, and how many replays each one has done. */
  private readonly children = new Map<SandboxProcess, number>()

  constructor(options: SandboxOptions = {}) {
    this.options = options
    this.source = new SandboxSource({ ...options, layers: options.layers ?? ALL_LAYERS })
  }

  async replay(input: ReplayInput, cache?: ReplayCache): Promise<DatabaseResult> {
    const digest = replayDigest(input)
    const known = this.recent.get(digest)
    if (known) return known
    const result = this.replayOrCached(digest, input, cache)
    this.recent.set(digest, result)
    if (this.recent.size > 8) this.recent.delete(this.recent.keys().next().value as string)
    result.catch(() => this.recent.delete(digest))
    return result
  }

  begin(input: ReplayInput): void {
    if (!input.files.length) {
      this.rest()
      return
    }
    const sql = sqlOf(input)
    // The other commit of a comparison mostly has the same SQL.
    if (this.begun || this.begunBefore.has(sql) || separateDatabases(input).length > 1) return
    this.begunBefore.add(sql)
    const hints = Promise.withResolvers<readonly TableHint[]>()
    const unwanted = new AbortController()
    this.begun = { sql, hints, unwanted, result: this.run(input, { hints: hints.promise, unwanted: unwanted.signal }) }
  }

  warm(): void {
    if (this.spare) return
    const spare = this.start()
    this.spare = spare
    spare.then(
      (child) => {
        if (this.spare === spare) this.idle = child
      },
      () => undefined,
    )
  }

  /** At once, and not when the promise is heard: what comes after may compute for half a minute without listening. */
  rest(): void {
    if (this.replaysPerProcess > 1) return
    if (this.idle) this.end(this.idle)
    else
      this.spare?.then(
        (child) => this.end(child),
        () => undefined,
      )
    this.idle = undefined
    this.spare = undefined
  }

  async close(): Promise<void> {
    this.spare = undefined
    this.begun?.unwanted.abort()
    this.closings++
    for (const child of this.children.keys()) child.end()
    this.children.clear()
  }

  private async replayOrCached(digest: string, input: ReplayInput, cache?: ReplayCache): Promise<DatabaseResult> {
    const cached = await cache?.get(digest)
    if (isDatabaseResult(cached)) return cached
    const parts = separateDatabases(input)
    const result =
      (await this.takeOver(input)) ??
      (parts.length === 1 ? await this.run(parts[0] as ReplayInput) : mergeResults(await inSequence(parts, (part) => this.run(part))))
    // What ended early for lack of time may succeed on a calmer machine.
    if (isLasting(result)) await cache?.put(digest, result)
    return result
  }

  /** The result of the replay that began early, if it is of the same SQL. */
  private takeOver(input: ReplayInput): Promise<DatabaseResult> | undefined {
    const { begun } = this
    this.begun = undefined
    if (begun?.sql !== sqlOf(input)) {
      begun?.unwanted.abort()
      return undefined
    }
    begun.hints.resolve(input.hints ?? [])
    return begun.result
  }

  /** A process that dies is replaced once or twice, without the step under way. */
  private async run(input: ReplayInput, later?: Later): Promise<DatabaseResult> {
    const budget = this.options.budgetMs ?? DEFAULT_BUDGET_MS
    let complete = Date.now()
    void later?.hints.then(() => {
      complete = Date.now()
    })
    const skip: string[] = []
    for (let attempt = 0; ; attempt++) {
      const spare = this.spare ?? this.start()
      this.spare = undefined
      this.idle = undefined
      let child: SandboxProcess
      try {
        child = await spare
      } catch (error) {
        return lost(input, `the database sandbox could not be started (${error instanceof Error ? error.message : String(error)})`)
      }
      // Starting is the machine's business, not the repository's.
      const deadline = complete + longestMs(budget)
      const budgetMs = attempt === 0 ? budget : Math.min(budget, deadline - Date.now())
      const outcome = await this.converse(child, input, budgetMs, skip, later)
      if ('result' in outcome) this.keepOrEnd(child)
      else this.end(child)
      if (later?.unwanted.aborted) return lost(input, UNWANTED)
      if (this.options.keepWarm) this.warm()
      if ('result' in outcome) return outcome.result
      if (attempt >= 2 || !outcome.label || deadline - Date.now() < 2000) return lost(input, `the SQL could not be replayed: ${outcome.because}`)
      skip.push(outcome.label)
    }
  }

  private converse(
    child: SandboxProcess,
    input: ReplayInput,
    budgetMs: number,
    skip: readonly string[],
    later?: Later,
  ): Promise<{ result: DatabaseResult } | { because: string; label?: string }> {
    const memoryBytes = this.options.memoryBytes ?? 2 * 2 ** 30
    return new Promise((resolve) => {
      let label = ''
      let ended = false
      let timer: NodeJS.Timeout | undefined
      const limit = () => {
        timer = setTimeout(() => done({ because: 'the time budget ended' }), longestMs(budgetMs) + 2000)
      }
      const watchdog = setInterval(() => {
        if ((child.residentBytes ?? 0) > memoryBytes * 1.3) done({ because: 'it took more memory than allowed', label })
      }, 100)
      const done = (outcome: { result: DatabaseResult } | { because: string; label?: string }) => {
        clearTimeout(timer)
        clearInterval(watchdog)
        child.listen(undefined)
        ended = true
        resolve(outcome)
      }
      child.listen({
        onAnswer: (message) => {
          const heard = hear(message, input)
          if (heard && 'label' in heard) label = heard.label
          else if (heard) done(heard)
        },
        onEnd: (because) => done({ because, ...(label ? { label } : {}) }),
      })
      if (later?.unwanted.aborted) return done({ because: UNWANTED })
      // One in reserve may have died before it was needed.
      if (child.ended) {
        done({ because: 'the sandbox ended by itself', label: 'start' })
        return
      }
      child.ref()
      const stepMs = this.options.stepMs ?? 4000
      child.send({ type: 'replay', input, budgetMs, stepMs, memoryBytes, skip, ...(later ? { hintsFollow: true } : {}) })
      if (!later) {
        limit()
        return
      }
      later.unwanted.addEventListener('abort', () => done({ because: UNWANTED }))
      void later.hints.then((hints) => {
        if (ended) return
        child.send({ type: 'hints', hints })
        limit()
      })
    })
  }

  private async start(): Promise<SandboxProcess> {
    const { closings } = this
    const child = await this.source.start(this.replaysPerProcess > 1)
    if (closings === this.closings) this.children.set(child, 0)
    else child.end()
    return inReserve(child)
  }

  /** After a replay: in reserve for the next one, where that may be. */
  private keepOrEnd(child: SandboxProcess): void {
    const replays = (this.children.get(child) ?? 0) + 1
    this.children.set(child, replays)
    if (this.spare || replays >= this.replaysPerProcess || child.ended) {
      this.end(child)
      return
    }
    this.idle = inReserve(child)
    this.spare = Promise.resolve(child)
  }

  private get replaysPerProcess(): number {
    return this.options.replaysPerProcess ?? 1
  }

  private end(child: SandboxProcess): void {
    this.children.delete(child)
    child.end()
  }
}

/** A sandbox that waits for work must not keep the program alive. */
function inReserve(child: SandboxProcess): SandboxProcess {
  child.unref()
  return child
}

const UNWANTED = 'the SQL is another one'

/** A replay under way, its hints still unknown. */
interface Begun {
  readonly sql: string
  readonly hints: PromiseWithResolvers<readonly TableHint[]>
  readonly unwanted: AbortController
  readonly result: Promise<DatabaseResult>
}

/** What a replay that began early is told later. */
interface Later {
  readonly hints: Promise<readonly TableHint[]>
  readonly unwanted: AbortSignal
}

/** What the engine is given beside hints; exposure is for those who judge. */
function sqlOf({ files, exposedSchemas, autoExpose }: ReplayInput): string {
  return createHash('sha256').update(JSON.stringify({ files, exposedSchemas, autoExpose })).digest('hex')
}

async function inSequence<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await run(item))
  return results
}

const TRANSIENT = /time budget|in time|memory|sandbox/

/** Whether another replay of the same input gives the same result: nothing in it ended early for lack of time or memory. */
export const isLasting = ({ gaps }: DatabaseResult): boolean => !gaps.some((g) => TRANSIENT.test(g.because))

/** The digest that a result is cached by: the input and what the platform's objects are. */
export function replayDigest(input: ReplayInput): string {
  return createHash('sha256')
    .update(`${REPLAY_VERSION}\0${templateDigest()}\0${JSON.stringify(input)}`)
    .digest('hex')
}

/** Nothing is known of the database, and everything that depends on it is in doubt. */
function lost(input: ReplayInput, because: string): DatabaseResult {
  const gap: DatabaseGap = { path: input.files[0]?.path ?? '', because, touches: [{ topic: 'anything' }], lost: true }
  return {
    catalog: {
      tables: [],
      policies: [],
      views: [],
      functions: [],
      buckets: [],
      enums: [],
      triggers: [],
      speaksOfStorage: input.files.some((f) => /\bstorage\.(objects|buckets)\b/.test(f.text)),
    },
    access: { objects: [] },
    gaps: [gap],
    statements: { total: 0, applied: 0, explained: 0 },
  }
}
