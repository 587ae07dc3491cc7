import { join } from 'node:path'
import { AuditQueue } from './audit-queue.ts'
import { migrate } from './migrations.ts'
import { openSql, type Sql, type StoreOptions } from './sql.ts'
import { damagedStore, StoreError } from './store-problem.ts'
import { TargetStore } from './target-store.ts'
import { VerdictStore } from './verdict-store.ts'

/** Everything that survives a restart. */
export interface Store {
  readonly sql: Sql
  readonly targets: TargetStore
  readonly verdicts: VerdictStore
  readonly queue: AuditQueue
  /** Folder of bare clones. */
  readonly cloneRoot: string
  close(graceMs: number): Promise<void>
}

/** Opens the store and brings its tables up to date. */
export async function openStore(options: StoreOptions & { concurrency: number; onError: (error: Error) => void }): Promise<Store> {
  const sql = await openSql(options)
  try {
    await migrate(sql)
    const queue = new AuditQueue(sql, options)
    await queue.start()
    return {
      sql,
      targets: new TargetStore(sql),
      verdicts: new VerdictStore(sql),
      queue,
      cloneRoot: join(options.dataDir, 'git'),
      close: async (graceMs) => {
        await queue.stop(graceMs)
        await sql.close()
      },
    }
  } catch (error) {
    await sql.close().catch(() => {})
    throw sql.kind === 'embedded' && !(error instanceof StoreError) ? damagedStore(join(options.dataDir, 'postgres'), error) : error
  }
}
