import { Engine } from './engine.ts'
import { preludeSql } from './prelude.ts'

/** Builds the data directory that every replay starts from. Sees no SQL but the prelude. */
export async function buildTemplate(): Promise<Uint8Array> {
  const engine = await Engine.start()
  for (const sql of preludeSql()) await engine.exec(sql)
  // Template databases are two thirds of the directory and are never used.
  await engine.exec("update pg_database set datistemplate = false where datname in ('template0', 'template1')")
  await engine.exec('drop database template0')
  await engine.exec('drop database template1')
  // Deep enough for real policies, shallow enough for the thread's stack; a setting of the server, so that RESET ALL keeps it.
  await engine.exec("alter system set max_stack_depth = '500kB'")
  // The 128 MB that a server has are cleared at every start: a third of the time that starting takes, and 100 MB of memory.
  await engine.exec("alter system set shared_buffers = '16MB'")
  await engine.exec('vacuum freeze')
  await engine.exec('checkpoint')
  return engine.dump()
}
