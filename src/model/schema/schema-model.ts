import type { Catalog } from '../../database/database.ts'
import type { ClientQuery } from '../../database/plan/client-queries.ts'
import type { BucketInCode } from './buckets-in-code.ts'
import type { CallInCode } from './calls-in-code.ts'

/** The catalog, and whether the application has a database at all. */
export interface SchemaModel extends Catalog {
  /** SQL files that were replayed, in order. */
  readonly files: readonly string[]
  /** True when the data platform exposes tables to browsers (Supabase in use). */
  readonly exposedToBrowsers: boolean
  /** Why `exposedToBrowsers` is what it is. */
  readonly exposedBecause: string
  /** A client of the platform is installed and not used, and the code has a database of its own, which the platform may host or not. */
  readonly unusedClient?: string
  /** Pages are known, and no code of theirs has a client of the platform or its key. */
  readonly keyOnServerAlone?: true
  /** Tables that code queries (`.from('x')`) but that no SQL creates, with the first place that queries each. */
  readonly queriedButNotCreated: readonly { readonly table: string; readonly path: string; readonly line: number }[]
  /** Every query of the code through Supabase's client, tables as written. */
  readonly queries?: readonly (Pick<ClientQuery, 'table' | 'path' | 'line' | 'verb' | 'columns' | 'writes' | 'addsOnly'> & {
    /** Through a client that a module makes with the service-role key. */
    readonly onServer?: true
  })[]
  /** Functions of the database that code calls through the client. */
  readonly calls?: readonly CallInCode[]
  /** Tables by what Prisma's client calls them, in lower case. */
  readonly accessors?: ReadonlyMap<string, string>
  /** Buckets that code names (`storage.from('x')`, `createBucket('x')`), with the first place; `public` when code creates it so. */
  readonly bucketsInCode?: readonly BucketInCode[]
}
