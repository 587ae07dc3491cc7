import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from 'pg-boss'
import { DataLock } from './data-lock.ts'
import { Engine } from './embedded-engine.ts'
import { damagedStore, StoreError } from './store-problem.ts'

export type Row = Record<string, unknown>

/** The store's SQL: the same statements on the embedded database and on a server. */
export interface Sql {
  readonly kind: 'embedded' | 'server'
  query<T extends Row = Row>(text: string, values?: readonly unknown[]): Promise<T[]>
  /** Throws where nothing new can be stored, beyond what a query shows. */
  probe?(): Promise<void>
  /** The same connection for the queue library. */
  readonly db: Db
  close(): Promise<void>
}

export interface StoreOptions {
  /** A PostgreSQL server; without it the database is embedded. */
  readonly databaseUrl?: string
  /** Folder of the embedded database and of bare clones. */
  readonly dataDir: string
  /** Connections to a server. */
  readonly maxConnections?: number
}

/** Opens the database. Throws one readable sentence when another process holds the folder or the server does not answer. */
export async function openSql(options: StoreOptions): Promise<Sql> {
  return options.databaseUrl ? openServer(options.databaseUrl, options.maxConnections ?? 10) : openEmbedded(options.dataDir)
}

async function openEmbedded(dataDir: string): Promise<Sql> {
  await mkdir(dataDir, { recursive: true })
  // The embedded engine has no lock of its own: a second process would silently lose what the first one wrote.
  const lock = await DataLock.take(dataDir)
  const path = join(dataDir, 'postgres')
  try {
    const engine = await Engine.open(path)
    return {
      kind: 'embedded',
      query: async <T extends Row>(text: string, values: readonly unknown[] = []) => (await engine.use((lite) => lite.query<T>(text, [...values]))).rows,
      db: engine.db(),
      probe: () => probeDisk(dataDir),
      close: async () => {
        await engine.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw damagedStore(path, error)
  }
}

/** Bytes whose writing shows that the disk has room: a page of the database that is there already can be written on a full disk. */
const PROBE_BYTES = 1 << 20

async function probeDisk(dataDir: string): Promise<void> {
  const path = join(dataDir, `probe-${process.pid}`)
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES, 1))
  } finally {
    await rm(path, { force: true })
  }
}

async function openServer(url: string, max: number): Promise<Sql> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max, application_name: 'prelaunch', connectionTimeoutMillis: 10_000 })
  pool.on('error', () => {}) // A lost idle connection is replaced by the pool; the next query says if the server is gone.
  const query = async <T extends Row>(text: string, values: readonly unknown[] = []) => (await pool.query(text, [...values])).rows as T[]
  try {
    await query('select 1')
  } catch (error) {
    await pool.end().catch(() => {})
    throw new StoreError(`DATABASE_URL: the PostgreSQL server cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
  return {
    kind: 'server',
    query,
    db: {
      executeSql: async (text, values) => {
        const result = (await pool.query(text, values as unknown[])) as unknown as { rows: Row[] } | { rows: Row[] }[]
        return Array.isArray(result) ? { rows: result.flatMap((r) => r.rows) } : { rows: result.rows }
      },
    },
    close: () => pool.end(),
  }
}
