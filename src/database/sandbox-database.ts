import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { isDatabaseResult } from './answer/believed.ts'
import { hear } from './answer/hear.ts'
import type { Database, DatabaseGap, DatabaseResult, ReplayCache, ReplayInput, TableHint } from './database.ts'
import { preludeSql } from './sandbox/prelude.ts'
import type { Answer, Request } from './sandbox/protocol.ts'
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
}

/** Raised whenever a template is built in another way. */
const TEMPLATE_VERSION = '3'

/** Raised whenever the same input can give another result. */
const REPLAY_VERSION = '149'

/** Computing time of one replay: three times what the largest schema that was measured takes (350 migrations, 170 tables: 10 s). */
const DEFAULT_BUDGET_MS = 40_000

/** The database in a child process of its own: no environment, no descriptors, watched and killed from outside. */
export class SandboxDatabase implements Database {
  private readonly options: SandboxOptions
  private template: Promise<string | Uint8Array> | undefined
  private spare: Promise<ChildProcess> | undefined
  /** The process of `spare` once it runs. */
  private idle: ChildProcess | undefined
  private readonly recent = new Map<string, Promise<DatabaseResult>>()
  private begun: Begun | undefined
  private readonly begunBefore = new Set<string>()
  /** The processes that run, and how many replays each one has done. */
  private readonly children = new Map<ChildProcess, number>()

  constructor(options: SandboxOptions = {}) {
    this.options = options
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
    this.idle = undefined
    this.spare = undefined
  }

  async close(): Promise<void> {
    this.spare = undefined
    this.begun?.unwanted.abort()
    for (const child of this.children.keys()) child.kill('SIGKILL')
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
    if (!result.gaps.some((g) => TRANSIENT.test(g.because))) await cache?.put(digest, result)
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
      let child: ChildProcess
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
    child: ChildProcess,
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
        if ((residentBytes(child.pid) ?? 0) > memoryBytes * 1.3) done({ because: 'it took more memory than allowed', label })
      }, 100)
      const done = (outcome: { result: DatabaseResult } | { because: string; label?: string }) => {
        clearTimeout(timer)
        clearInterval(watchdog)
        child.removeAllListeners('message')
        child.removeAllListeners('exit')
        ended = true
        resolve(outcome)
      }
      child.on('message', (message: unknown) => {
        const heard = hear(message, input)
        if (heard && 'label' in heard) label = heard.label
        else if (heard) done(heard)
      })
      child.on('exit', () => done({ because: 'the sandbox ended by itself', ...(label ? { label } : {}) }))
      if (later?.unwanted.aborted) return done({ because: UNWANTED })
      // One in reserve may have died before it was needed.
      if (!child.connected || child.exitCode !== null || child.signalCode !== null) {
        done({ because: 'the sandbox ended by itself', label: 'start' })
        return
      }
      child.ref()
      const stepMs = this.options.stepMs ?? 4000
      request(child, { type: 'replay', input, budgetMs, stepMs, memoryBytes, skip, ...(later ? { hintsFollow: true } : {}) })
      if (!later) {
        limit()
        return
      }
      later.unwanted.addEventListener('abort', () => done({ because: UNWANTED }))
      void later.hints.then((hints) => {
        if (ended) return
        request(child, { type: 'hints', hints })
        limit()
      })
    })
  }

  private async start(): Promise<ChildProcess> {
    this.template ??= this.prepareTemplate()
    const template = await this.template
    const child = this.fork()
    request(child, { type: 'start', template, ...(this.replaysPerProcess > 1 ? { again: true } : {}) })
    return inReserve(child)
  }

  /** After a replay: in reserve for the next one, where that may be. */
  private keepOrEnd(child: ChildProcess): void {
    const replays = (this.children.get(child) ?? 0) + 1
    this.children.set(child, replays)
    if (this.spare || replays >= this.replaysPerProcess || !child.connected) {
      this.end(child)
      return
    }
    this.idle = inReserve(child)
    this.spare = Promise.resolve(child)
  }

  private get replaysPerProcess(): number {
    return this.options.replaysPerProcess ?? 1
  }

  private fork(): ChildProcess {
    const child = fork(new URL(`./sandbox/process${extname(import.meta.url)}`, import.meta.url), [], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // A replay is over before optimised WebAssembly would pay: the baseline compiler alone takes half the processor time.
      execArgv: ['--permission', '--allow-fs-read=*', '--allow-worker', '--no-warnings', '--liftoff-only'],
    })
    this.children.set(child, 0)
    child.on('error', () => undefined)
    return child
  }

  private end(child: ChildProcess): void {
    this.children.delete(child)
    child.kill('SIGKILL')
  }

  /** The template from the cache folder, or built now. */
  private async prepareTemplate(): Promise<string | Uint8Array> {
    const dir = this.options.cacheDir ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir() || tmpdir(), '.cache'), 'prelaunch')
    const file = join(dir, `database-${templateDigest()}.tar`)
    try {
      if (statSync(file).size > 0) return file
    } catch {
      // Not built yet.
    }
    const bytes = await this.build()
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      const draft = `${file}.${randomUUID()}`
      writeFileSync(draft, bytes, { mode: 0o600 })
      renameSync(draft, file)
      return file
    } catch {
      return bytes
    }
  }

  private build(): Promise<Uint8Array> {
    const child = this.fork()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(() => reject(new Error('the template took too long to build'))), 60_000)
      const finish = (then: () => void) => {
        clearTimeout(timer)
        this.end(child)
        then()
      }
      child.on('message', (answer: Answer) => {
        if (answer.type === 'template') finish(() => resolve(answer.bytes))
        else if (answer.type === 'died') finish(() => reject(new Error(answer.because)))
      })
      child.on('exit', (code) => finish(() => reject(new Error(`the sandbox ended with status ${code}`))))
      request(child, { type: 'build' })
    })
  }
}

/** A sandbox that waits for work must not keep the program alive. */
function inReserve(child: ChildProcess): ChildProcess {
  child.unref()
  child.channel?.unref()
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

function request(child: ChildProcess, message: Request): void {
  child.send(message, () => undefined)
}

/** The digest that a result is cached by: the input and what the platform's objects are. */
export function replayDigest(input: ReplayInput): string {
  return createHash('sha256')
    .update(`${REPLAY_VERSION}\0${templateDigest()}\0${JSON.stringify(input)}`)
    .digest('hex')
}

let digestOfTemplate: string | undefined

function templateDigest(): string {
  digestOfTemplate ??= createHash('sha256').update(TEMPLATE_VERSION).update(preludeSql().join('\0')).update(engineVersion()).digest('hex').slice(0, 16)
  return digestOfTemplate
}

function engineVersion(): string {
  try {
    return (JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')), 'utf8')) as { version: string }).version
  } catch {
    return ''
  }
}

/** Resident memory as the kernel counts it; undefined where it does not say. */
function residentBytes(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096
  } catch {
    return undefined
  }
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
