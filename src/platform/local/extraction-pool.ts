import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ExtractionJob, extractInProcess } from '../../facts/extract.ts'
import type { Extraction } from '../../facts/facts.ts'
import type { Chunk } from './extraction-worker.ts'

export interface ExtractionPoolOptions {
  /** Worker threads at most; when absent one for each core but one, on which this thread reads what they answer. */
  readonly size?: number
  /** Milliseconds that one file may take before its worker is killed. */
  readonly fileTimeout?: number
  /** MiB of JavaScript heap of each worker. */
  readonly heap?: number
  /** Batches with fewer bytes and files than this are extracted without threads: loading the parser there costs more. 0: never. */
  readonly inProcessBelow?: { readonly files: number; readonly bytes: number }
  /** The program of the threads; the extraction worker when absent. */
  readonly entry?: URL
}

/** The worker beside this file, as it is run from the sources or from the build. */
const ENTRY = new URL(`./extraction-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

const CHUNK_BYTES = 192 << 10
const CHUNK_FILES = 48
const POLL = 100
const MAX_FAILED_STARTS = 3

/** A part of a batch: positions in the batch, not yet done. */
interface Task {
  readonly jobs: readonly ExtractionJob[]
  readonly positions: readonly number[]
  readonly batch: Batch
}

interface Batch {
  /** Takes the JSON text of one job's extractions. */
  readonly take: (position: number, text: string) => void
  open: number
  readonly done: () => void
}

interface Thread {
  readonly worker: Worker
  readonly progress: Int32Array
  task: Task | undefined
  /** The job that was being worked on at the last poll, and since when. */
  at: number
  since: number
}

/**
 * Extracts facts in worker threads. Results are in the order of the jobs, whatever finishes first. A file that takes too long or that
 * brings its thread down becomes a problem of that file; the rest of its chunk is done by another thread.
 */
export class ExtractionPool {
  readonly #size: number
  readonly #timeout: number
  readonly #heap: number
  readonly #entry: URL
  readonly #small: { readonly files: number; readonly bytes: number }
  readonly #threads = new Set<Thread>()
  readonly #queue: Task[] = []
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #failedStarts = 0

  constructor(options: ExtractionPoolOptions = {}) {
    this.#size = Math.max(1, options.size ?? availableParallelism() - 1)
    this.#timeout = options.fileTimeout ?? 60_000
    this.#heap = options.heap ?? 512
    this.#entry = options.entry ?? ENTRY
    this.#small = options.inProcessBelow ?? { files: 24, bytes: 256 << 10 }
  }

  /** Starts a thread, so that it loads the parser while something else is waited for. */
  warm(): void {
    if (!this.#closed && this.#threads.size === 0) this.#start()
  }

  /** Ends the threads that have nothing to do; they come back when there is. */
  rest(): void {
    for (const thread of this.#threads) {
      if (thread.task) continue
      this.#threads.delete(thread)
      void thread.worker.terminate()
    }
  }

  /** The port that the audit takes. */
  readonly extractAll = async (jobs: readonly ExtractionJob[]): Promise<readonly (readonly Extraction[])[]> => {
    const bytes = jobs.reduce((sum, j) => sum + j.bytes.length, 0)
    if (this.#closed || (jobs.length < this.#small.files && bytes < this.#small.bytes)) return extractInProcess(jobs)
    const results: (readonly Extraction[])[] = new Array(jobs.length)
    // Read as they come, while the threads work on.
    await this.#run(jobs, (position, text) => {
      results[position] = JSON.parse(text) as Extraction[]
    })
    return results
  }

  /** The same as JSON texts, never in this thread as long as the pool is open: for a process that has webhooks to answer. */
  readonly extractText = async (jobs: readonly ExtractionJob[]): Promise<readonly string[]> => {
    if (this.#closed) return (await extractInProcess(jobs)).map((extractions) => JSON.stringify(extractions))
    const results: string[] = new Array(jobs.length)
    await this.#run(jobs, (position, text) => {
      results[position] = text
    })
    return results
  }

  #run(jobs: readonly ExtractionJob[], take: Batch['take']): Promise<void> {
    if (jobs.length === 0) return Promise.resolve()
    return new Promise((done) => {
      const batch: Batch = { take, open: jobs.length, done }
      for (const positions of chunks(jobs)) this.#queue.push({ jobs, positions, batch })
      this.#staff()
      this.#dispatch()
    })
  }

  /** Ends the threads. What is still asked for is done in this thread. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(threads.map((t) => t.worker.terminate()))
  }

  /** As many threads as there is work for, within what is allowed. */
  #staff(): void {
    const wanted = Math.min(this.#size, this.#queue.length + [...this.#threads].filter((t) => t.task).length)
    while (!this.#closed && this.#threads.size < wanted) this.#start()
  }

  #start(): void {
    const progress = new SharedArrayBuffer(4)
    const worker = new Worker(this.#entry, {
      workerData: { progress },
      env: surroundings(),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#heap, stackSizeMb: 4 },
    })
    Atomics.store(new Int32Array(progress), 0, -1)
    const thread: Thread = { worker, progress: new Int32Array(progress), task: undefined, at: -1, since: 0 }
    this.#threads.add(thread)
    worker.unref()
    worker.on('message', (answer: readonly string[]) => this.#answered(thread, answer))
    worker.on('error', () => this.#fell(thread, 'could not be analysed within the memory limit'))
    worker.on('exit', () => this.#fell(thread, 'could not be analysed: its thread ended'))
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.task) continue
      const task = this.#queue.shift()
      if (!task) break
      thread.task = task
      thread.at = -1
      thread.since = performance.now()
      Atomics.store(thread.progress, 0, -1)
      thread.worker.ref()
      const chunk = pack(task.positions.map((p) => task.jobs[p] as ExtractionJob))
      thread.worker.postMessage(chunk, [chunk.bytes])
    }
    const busy = [...this.#threads].some((t) => t.task)
    if (busy && !this.#timer) this.#timer = setInterval(() => this.#poll(), POLL)
    if (!busy && this.#timer) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #answered(thread: Thread, answer: readonly string[]): void {
    const { task } = thread
    if (!task) return
    thread.task = undefined
    thread.worker.unref()
    this.#failedStarts = 0
    // The next chunk is under way before this one is read.
    this.#dispatch()
    task.positions.forEach((position, i) => {
      task.batch.take(position, answer[i] as string)
    })
    this.#settle(task, task.positions.length)
  }

  #poll(): void {
    const now = performance.now()
    for (const thread of this.#threads) {
      if (!thread.task) continue
      const at = Atomics.load(thread.progress, 0)
      if (at !== thread.at) {
        thread.at = at
        thread.since = now
        // Before the first job the thread is loading the parser, which has a time of its own.
      } else if (now - thread.since > (at === -1 ? Math.max(this.#timeout, 30_000) : this.#timeout)) {
        this.#fell(thread, `took more than ${this.#timeout / 1000} s to analyse`)
        void thread.worker.terminate()
      }
    }
  }

  /** A thread is gone, or is as good as gone: its current file is given up, the others of its chunk go back to the queue. */
  #fell(thread: Thread, message: string): void {
    if (!this.#threads.delete(thread)) return
    const { task } = thread
    thread.task = undefined
    const at = Atomics.load(thread.progress, 0)
    if (at === -1) {
      // It never came to work: no file is to blame. Where threads cannot be had at all, this thread does it.
      if (task) this.#queue.unshift(task)
      if (++this.#failedStarts >= MAX_FAILED_STARTS) {
        void this.#drain()
        return
      }
    } else if (task) {
      const current = task.positions[at] as number
      const job = task.jobs[current] as ExtractionJob
      task.batch.take(current, JSON.stringify(job.kinds.map((kind) => ({ kind, problems: [{ message }] }))))
      const rest = task.positions.filter((p) => p !== current)
      if (rest.length > 0) this.#queue.unshift({ ...task, positions: rest })
      this.#settle(task, 1)
    }
    this.#staff()
    this.#dispatch()
  }

  async #drain(): Promise<void> {
    this.#closed = true
    for (const { task } of this.#threads) if (task) this.#queue.push(task)
    await this.close()
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) {
      const { positions, batch, jobs } = task
      const results = await extractInProcess(positions.map((p) => jobs[p] as ExtractionJob))
      positions.forEach((position, i) => {
        batch.take(position, JSON.stringify(results[i]))
      })
      this.#settle(task, positions.length)
    }
  }

  #settle(task: Task, count: number): void {
    task.batch.open -= count
    if (task.batch.open === 0) task.batch.done()
  }
}

/** What a thread gets of this process's environment: no secrets, only where compiled code is kept. With that the parser is there in half the time. */
function surroundings(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}

/** Jobs with their bytes in one buffer that changes hands without being copied again. */
function pack(jobs: readonly ExtractionJob[]): Chunk {
  const all = new Uint8Array(jobs.reduce((sum, j) => sum + j.bytes.length, 0))
  let start = 0
  return {
    bytes: all.buffer,
    jobs: jobs.map(({ path, kinds, bytes }) => {
      all.set(bytes, start)
      start += bytes.length
      return { path, kinds, start: start - bytes.length, length: bytes.length }
    }),
  }
}

/** Positions of a batch in parts of about the same work. */
function chunks(jobs: readonly ExtractionJob[]): number[][] {
  const found: number[][] = []
  let current: number[] = []
  let bytes = 0
  jobs.forEach((job, i) => {
    current.push(i)
    bytes += job.bytes.length
    if (bytes < CHUNK_BYTES && current.length < CHUNK_FILES) return
    found.push(current)
    current = []
    bytes = 0
  })
  if (current.length > 0) found.push(current)
  return found
}
