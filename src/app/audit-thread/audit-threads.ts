import { Worker } from 'node:worker_threads'
import type { AuditPorts } from '../../audit.ts'
import type { ExtractionJob } from '../../facts/extract.ts'
import { isEnvFile } from '../../lib/env-file-name.ts'
import { SourceError } from '../../source/source.ts'
import { type PackedFacts, replayCache } from '../../store/facts-store.ts'
import type { AuditedForApp, AuditRequestOfApp, FromThread, RemotePorts, ToThread } from './protocol.ts'

/** What an audit in a thread needs of the main thread of its process. */
export interface ThreadPorts extends Pick<AuditPorts, 'source' | 'database' | 'advisories'> {
  readonly facts: PackedFacts
  readonly extractText: (jobs: readonly ExtractionJob[]) => Promise<readonly string[]>
  /** Settings of the first of the hosted projects that can be read; absent without a token. */
  readonly hosted?: RemotePorts['hosted']
}

export interface AuditThreadsOptions {
  /** MiB of JavaScript heap of each thread: what the largest audit may take. */
  readonly heapMiB?: number
  /** The program of the threads; the audit's when absent. */
  readonly entry?: URL
}

/** The program beside this file, as it is run from the sources or from the build. */
const ENTRY = new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/**
 * Audits in threads of their own. The model of a large repository takes seconds of computing at a stretch, during which the main thread
 * must go on answering webhooks; and an audit that does not end, or takes too much memory, can be ended from outside.
 */
export class AuditThreads {
  readonly #heap: number
  readonly #entry: URL
  readonly #idle: Worker[] = []
  readonly #audited = new WeakMap<Worker, string | undefined>()
  readonly #all = new Set<Worker>()

  constructor(options: AuditThreadsOptions = {}) {
    this.#heap = options.heapMiB ?? 2048
    this.#entry = options.entry ?? ENTRY
  }

  /** Runs one audit. Rejects with the error of the port that ended it, with the signal's reason, or with a sentence for users. */
  async run(request: AuditRequestOfApp, ports: ThreadPorts, signal: AbortSignal): Promise<AuditedForApp> {
    signal.throwIfAborted()
    const worker = this.#take(request.repository) ?? this.#start()
    this.#audited.set(worker, request.repository)
    worker.ref()
    try {
      const result = await converse(worker, request, ports, signal, this.#heap)
      this.#release(worker)
      return result
    } catch (error) {
      // What the audit left behind in the thread is unknown.
      await this.#end(worker)
      throw error
    }
  }

  async close(): Promise<void> {
    this.#idle.length = 0
    await Promise.all([...this.#all].map((worker) => this.#end(worker)))
  }

  /** An idle thread, if there is one: best the one that audited the repository last, because it remembers it. */
  #take(repository: string | undefined): Worker | undefined {
    const at = this.#idle.findLastIndex((worker) => this.#audited.get(worker) === repository)
    return at < 0 ? this.#idle.pop() : this.#idle.splice(at, 1)[0]
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: this.#heap, stackSizeMb: 4 } })
    // Two listeners come and go with each audit; this one hears what happens to an idle thread.
    worker.on('error', () => this.#forget(worker))
    this.#all.add(worker)
    return worker
  }

  #release(worker: Worker): void {
    worker.unref()
    if (this.#all.has(worker)) this.#idle.push(worker)
  }

  async #end(worker: Worker): Promise<void> {
    this.#forget(worker)
    await worker.terminate()
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker)
    const at = this.#idle.indexOf(worker)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}

function converse(worker: Worker, request: AuditRequestOfApp, ports: ThreadPorts, signal: AbortSignal, heapMiB: number): Promise<AuditedForApp> {
  const remote = remotePorts(ports)
  const errors = new Map<number, unknown>()
  const say = (message: ToThread) => worker.postMessage(message)
  return new Promise((resolve, reject) => {
    const onMessage = (message: FromThread) => {
      if (message.type === 'ask') {
        remote[message.port](message.argument as never).then(
          (value) => say({ type: 'answer', id: message.id, value }),
          (error: unknown) => {
            errors.set(message.id, error)
            say({ type: 'failed', id: message.id, message: error instanceof Error ? error.message : String(error) })
          },
        )
      } else if (message.type === 'done') finish(() => resolve(message.result))
      else finish(() => reject(message.asked === undefined ? thrownInThread(message) : errors.get(message.asked)))
    }
    const onError = (error: Error) =>
      finish(() =>
        reject(
          (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new SourceError(`The audit needed more than ${heapMiB} MiB of memory: the repository is larger than this App can audit.`)
            : error,
        ),
      )
    const onExit = () => finish(() => reject(new Error('the thread of the audit ended by itself')))
    const onAbort = () => finish(() => reject(signal.reason))
    const finish = (settle: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    say({ type: 'audit', request, hasAdvisories: ports.advisories !== undefined, hasHosted: ports.hosted !== undefined })
  })
}

function remotePorts({ source, database, advisories, hosted, facts, extractText }: ThreadPorts): RemotePorts {
  return {
    snapshot: (commit) => source.snapshot(commit),
    read: (shas) => source.read(shas),
    mergeBase: ([base, head]) => source.mergeBase(base, head),
    envFileHistory: (commit) => source.history(commit, isEnvFile),
    getFacts: (keys) => facts.get(keys),
    putFacts: (entries) => facts.put(entries),
    extract: extractText,
    replay: (input) => database.replay(input, replayCache(facts)),
    advisories: advisories ?? (() => Promise.reject(new Error('there is no source of advisories'))),
    hosted: hosted ?? (async () => undefined),
  }
}

function thrownInThread({ message, stack }: { readonly message: string; readonly stack?: string }): Error {
  const error = new Error(message)
  if (stack) error.stack = stack
  return error
}
