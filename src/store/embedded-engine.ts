import type { PGlite } from '@electric-sql/pglite'
import { type Db, fromPglite } from 'pg-boss'
import { isEngineGone } from './store-problem.ts'

/** Milliseconds that an ended engine has to close. */
const CLOSE_MS = 2000

type Listen = NonNullable<Db['listen']>

/** The embedded database. An engine that ended, on a full disk for one, is opened again from its files, as after a crash. */
export class Engine {
  readonly #path: string
  #lite: PGlite
  #reopening: Promise<void> | undefined
  readonly #listeners = new Set<() => Promise<void>>()

  private constructor(path: string, lite: PGlite) {
    this.#path = path
    this.#lite = lite
  }

  static async open(path: string): Promise<Engine> {
    return new Engine(path, await create(path))
  }

  /** Runs something on the engine. A failure that ended it is thrown all the same: whether it was stored is for the caller to find out. */
  async use<T>(run: (lite: PGlite) => Promise<T>): Promise<T> {
    await this.#reopening
    const lite = this.#lite
    try {
      return await run(lite)
    } catch (error) {
      if (isEngineGone(error) && lite === this.#lite) this.#reopen()
      throw error
    }
  }

  /** The connection of the queue library; its listeners stay through a reopening. */
  db(): Db {
    const listen: Listen = async (channel, onNotification, onReconnect) => {
      let close = async (): Promise<void> => {}
      const subscribe = async () => {
        const subscription = await adapter(this.#lite).listen?.(channel, onNotification, onReconnect)
        close = async () => subscription?.close()
      }
      await subscribe()
      this.#listeners.add(subscribe)
      return {
        close: async () => {
          this.#listeners.delete(subscribe)
          await close()
        },
      }
    }
    return { executeSql: (text, values) => this.use((lite) => adapter(lite).executeSql(text, values)), listen }
  }

  async close(): Promise<void> {
    await this.#reopening
    await this.#lite.close()
  }

  /** One at a time; a failure leaves the engine ended, and the next use tries again. */
  #reopen(): void {
    this.#reopening ??= this.#openAgain()
      .catch(() => {})
      .finally(() => {
        this.#reopening = undefined
      })
  }

  async #openAgain(): Promise<void> {
    // An engine that was aborted may never answer.
    await Promise.race([this.#lite.close().catch(() => {}), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    this.#lite = await create(this.#path)
    for (const subscribe of this.#listeners) await subscribe()
  }
}

function adapter(lite: PGlite): Db {
  return fromPglite(lite as unknown as Parameters<typeof fromPglite>[0])
}

async function create(path: string): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite')
  return PGlite.create(path)
}
