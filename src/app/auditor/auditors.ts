import { extname } from 'node:path'
import { boundariesOfThisMachine, describeBoundaries } from '../../platform/isolated/boundaries.ts'
import { cacheFolder } from '../../platform/isolated/cache-folder.ts'
import { launchIsolated } from '../../platform/isolated/launch.ts'
import { SourceError } from '../../source/source.ts'
import type { AuditedForApp, AuditRequestOfApp } from '../audit-thread/protocol.ts'
import { Auditor, AuditorDied, type AuditorLimits } from './auditor.ts'
import type { AuditPortsOfBroker } from './ports-of-broker.ts'

export interface AuditorsOptions {
  /** Audits that run at the same time, for the limit of memory; 2 when absent. */
  readonly concurrency?: number
  /** MiB that an auditor may take; when absent 2 GiB for each audit and 3 GiB beside. */
  readonly memoryMiB?: number
  readonly silenceMs?: number
  /** Unix socket of the service that runs the sandboxes; the auditor starts them itself when absent. */
  readonly sandboxSocket?: string
  /** Told by each auditor which layers hold around its sandboxes. */
  readonly onLayers?: AuditorLimits['onLayers']
  /** The program of the auditor; ours when absent. */
  readonly entry?: URL
}

const ENTRY = new URL(`./auditor-process${extname(import.meta.url)}`, import.meta.url)

/**
 * The auditor of this broker. One process takes all audits; when it dies, each audit that ran in it is tried once more in a process of its
 * own, so that a repository that brings its process down takes no other audit with it twice.
 */
export class Auditors {
  readonly #options: AuditorsOptions
  readonly #all = new Set<Auditor>()
  #shared: Auditor | undefined
  #closed = false

  constructor(options: AuditorsOptions = {}) {
    this.#options = options
  }

  /** Rejects with the error of the port that ended the audit, with the signal's reason, or with a sentence for users. */
  async run(request: AuditRequestOfApp, ports: AuditPortsOfBroker, signal: AbortSignal): Promise<AuditedForApp> {
    try {
      return await this.#take().run(request, ports, signal)
    } catch (error) {
      if (!(error instanceof AuditorDied)) throw error
    }
    signal.throwIfAborted()
    const alone = this.#start()
    try {
      return await alone.run(request, ports, signal)
    } catch (error) {
      if (!(error instanceof AuditorDied)) throw error
      throw new SourceError('The process that reads the repository ended twice before the audit was complete. The operator of the App finds why in the log.', {
        cause: error,
      })
    } finally {
      this.#all.delete(alone)
      await alone.close()
    }
  }

  /** Starts the process, so that it is there when the first audit is. */
  warm(): void {
    this.#take()
  }

  /** What keeps the processes that read repositories from the rest of the machine. */
  boundaries(): ReturnType<typeof describeBoundaries> {
    return describeBoundaries(boundariesOfThisMachine())
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#shared = undefined
    await Promise.all([...this.#all].map((auditor) => auditor.close()))
    this.#all.clear()
  }

  #take(): Auditor {
    if (this.#shared && !this.#shared.alive) this.#all.delete(this.#shared)
    this.#shared = this.#shared?.alive ? this.#shared : this.#start()
    return this.#shared
  }

  #start(): Auditor {
    if (this.#closed) throw new Error('the auditors are closed')
    const { concurrency = 2, memoryMiB = 3072 + 2048 * concurrency, silenceMs = 60_000, entry = ENTRY, sandboxSocket, onLayers } = this.#options
    // Apart from what the command line uses, because auditors write here.
    const cache = cacheFolder('auditor')
    const process = launchIsolated({
      entry,
      args: [cache, ...(sandboxSocket ? [sandboxSocket] : [])],
      reads: [`${cache}/*`, '/proc/*'],
      writes: [`${cache}/*`],
      parent: true,
      worker: true,
    })
    const auditor = new Auditor(process, { memoryBytes: memoryMiB * 2 ** 20, silenceMs, ...(onLayers ? { onLayers } : {}) })
    this.#all.add(auditor)
    return auditor
  }
}
