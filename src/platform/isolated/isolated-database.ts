import { extname } from 'node:path'
import type { Database, DatabaseResult, ReplayInput } from '../../database/database.ts'
import { JsonLines } from '../../lib/json-lines.ts'
import { cacheFolder } from './cache-folder.ts'
import { type FromDatabase, MAX_MESSAGE, type ToDatabase } from './database-protocol.ts'
import { type Isolated, launchIsolated } from './launch.ts'

const ENTRY = new URL(`./database-process${extname(import.meta.url)}`, import.meta.url)

/** The sandboxed database, its sandboxes started by a process that has nothing of this one's environment. */
export function isolatedDatabase(): Required<Database> {
  return new IsolatedDatabase()
}

class IsolatedDatabase implements Required<Database> {
  #process: Isolated | undefined
  #lines: JsonLines | undefined
  readonly #open = new Map<number, { resolve: (result: DatabaseResult) => void; reject: (error: Error) => void }>()
  #asked = 0

  /** A cache of results is not asked: it is for servers, which parent their sandboxes in another way. */
  replay(input: ReplayInput): Promise<DatabaseResult> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#tell({ type: 'replay', id, input })
      this.#hold(true)
    })
  }

  begin(input: ReplayInput): void {
    this.#tell({ type: 'begin', input })
  }

  warm(): void {
    this.#tell({ type: 'warm' })
  }

  /** Written at once: what comes after may compute for half a minute. */
  rest(): void {
    if (this.#process) this.#tell({ type: 'rest' })
  }

  async close(): Promise<void> {
    this.#lose('the database was closed')
  }

  #tell(message: ToDatabase): void {
    this.#process ??= this.#start()
    this.#lines?.send(message)
  }

  #start(): Isolated {
    const cache = cacheFolder()
    const process = launchIsolated({ entry: ENTRY, args: [cache], reads: [`${cache}/*`, '/proc/*'], writes: [`${cache}/*`], parent: true })
    const lose = (because: string) => this.#process === process && this.#lose(because)
    this.#lines = new JsonLines(process.channel, { message: MAX_MESSAGE }, { onMessage: (message) => this.#hear(message as FromDatabase), onBreach: lose })
    process.child.once('exit', () => lose(`the parent of the sandboxes ended by itself ${process.lastWords()}`.trim()))
    process.child.once('error', () => lose('the parent of the sandboxes could not be started'))
    this.#process = process
    this.#hold(false)
    return process
  }

  #hear(message: FromDatabase): void {
    const open = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (message.type === 'result') open?.resolve(message.result)
    else open?.reject(new Error(message.message))
    if (!this.#open.size) this.#hold(false)
  }

  #lose(because: string): void {
    const process = this.#process
    this.#process = undefined
    process?.end()
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { reject } of open) reject(new Error(because))
  }

  /** Only a replay that somebody waits for keeps the program alive. */
  #hold(held: boolean): void {
    if (!this.#process) return
    const { child, channel } = this.#process
    for (const handle of [child, channel, child.stderr] as { ref?(): void; unref?(): void }[]) held ? handle.ref?.() : handle.unref?.()
  }
}
