import type { AccessMatrix } from '../database/database.ts'
import type { ResolverMemory } from './modules/resolve.ts'
import type { RoutesMemory } from './routes/incremental/route-cache.ts'
import type { SchemaModel } from './schema/schema-model.ts'

/**
 * What one audit of a repository leaves for the next: results with the proof of what they rest on. It changes how long a model takes, never what is
 * in it. Builders put in and take out their own part; whoever holds it must hand it to one audit at a time.
 */
export interface ModelMemory {
  resolver?: ResolverMemory
  routes?: RoutesMemory
  /** The database of the last audit: one that is equal is the same object, by which others know what they have judged. */
  database?: Pick<SchemaModel, 'tables' | 'functions' | 'policies'> & { readonly access: AccessMatrix }
}
