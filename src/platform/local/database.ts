import type { Database } from '../../database/database.ts'

/** The sandboxed database of this machine. */
export function localDatabase(): Database {
  return {
    replay: async () => ({
      catalog: { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false },
      access: { objects: [] },
      gaps: [],
      statements: { total: 0, applied: 0, explained: 0 },
    }),
  }
}
