import type { DatabaseResult, ReplayInput, SqlFile } from '../../src/database/database.ts'
import { SandboxDatabase, type SandboxOptions } from '../../src/database/sandbox-database.ts'
import { testDatabase } from '../support/database.ts'

/** Replays files given by name: with options in a sandbox of their own, else in the one of the test file, whose process is shared and whose engine is not. */
export async function replaySql(files: Readonly<Record<string, string>>, options?: SandboxOptions, input: Partial<ReplayInput> = {}): Promise<DatabaseResult> {
  const database = options ? new SandboxDatabase(options) : testDatabase()
  try {
    return await database.replay({
      files: Object.entries(files).map(([path, text]): SqlFile => ({ path, text, role: /\/migrations\//.test(path) ? 'migration' : 'loose' })),
      exposedSchemas: ['public'],
      exposedToBrowsers: true,
      ...input,
    })
  } finally {
    if (options) await database.close?.()
  }
}

/** One migration. */
export function migration(text: string): Record<string, string> {
  return { 'supabase/migrations/1_a.sql': text }
}

export function tableNames(result: DatabaseResult): string[] {
  return result.catalog.tables.map((t) => `${t.schema}.${t.name}`)
}
