import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Db, fromPglite } from 'pg-boss'
import { DataLock } from './data-lock.ts'

export type Row = Record<string, unknown>

/** The store's SQL: the same statements on the embedded database and on a server. */
export interface Sql {
  readonly kind: 'embedded' | 'server'
  query<T extends Row = Row>(text: string, values?: readonly unknown[]): Promise<T[]>
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
  try {
    const { PGlite } = await import('@electric-sql/pglite')
    const lite = await PGlite.create(join(dataDir, 'postgres'))
    return {
      kind: 'embedded',
      query: async <T extends Row>(text: string, values: readonly unknown[] = []) => (await lite.query<T>(text, [...values])).rows,
      db: fromPglite(lite as unknown as Parameters<typeof fromPglite>[0]),
      close: async () => {
        await lite.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
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
    throw new Error(`DATABASE_URL: the PostgreSQL server cannot be used: ${error instanceof Error ? error.message : String(error)}`)
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
