import { open, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

interface Holder {
  readonly pid: number
  readonly host: string
  /** Start of the process, so that a later process with the same number is not taken for it. */
  readonly started: string
}

/** An exclusive lock on the data folder: one file with the holder's process number and host. */
export class DataLock {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /** Takes the lock; a lock whose process is gone is taken over. Throws a sentence that names the holder. */
  static async take(dataDir: string): Promise<DataLock> {
    const path = join(dataDir, 'prelaunch.lock')
    const own: Holder = { pid: process.pid, host: hostname(), started: new Date(Date.now() - process.uptime() * 1000).toISOString() }
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        const file = await open(path, 'wx')
        await file.writeFile(JSON.stringify(own))
        await file.sync()
        await file.close()
        heldHere.add(path)
        return new DataLock(path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        const holder = await readHolder(path)
        if (holder && !isStale(holder, path)) {
          throw new Error(
            `The data folder ${dataDir} is in use by process ${holder.pid} on ${holder.host} since ${holder.started}. Stop it, choose another folder with DATA_DIR, or set DATABASE_URL to share a PostgreSQL server.`,
          )
        }
        await rm(path, { force: true })
      }
    }
    throw new Error(`The data folder ${dataDir} could not be locked: another process is starting on it.`)
  }

  async release(): Promise<void> {
    heldHere.delete(this.#path)
    await rm(this.#path, { force: true })
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

/** A holder on this host whose process is gone. On another host (a shared volume) nobody can tell, so it counts as alive. */
function isStale(holder: Holder, path: string): boolean {
  if (holder.host !== hostname()) return false
  // The number of this very process in a lock that it does not hold: a container restarted with the same process number.
  if (holder.pid === process.pid) return !heldHere.has(path)
  try {
    process.kill(holder.pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Locks that this process holds. */
const heldHere = new Set<string>()
