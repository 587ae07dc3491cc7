import type { DatabaseGap, TableHint } from '../../database.ts'
import type { Statement } from '../statements/statement.ts'
import type { Tree } from '../statements/tree.ts'

/** What became of a statement that failed. */
export type Repaired =
  | { readonly how: 'retry' }
  /** It waits for something that a later statement creates. */
  | { readonly how: 'deferred' }
  /** It stays unapplied; `touches` when the outcome is known to differ from what its tree says (often: nothing). An empty `because` is no gap at all. */
  | { readonly how: 'explained'; readonly because: string; readonly touches?: DatabaseGap['touches'] }

/** What was missing is there now. */
export const RETRY: Repaired = { how: 'retry' }
/** The state after the statement is what it asks for, or close enough that no check can tell. */
export const NO_EFFECT: Repaired = { how: 'explained', because: '', touches: [] }

/** What a repair asks of the replay. */
export interface RepairPorts {
  /** Runs SQL of the auditor, with quoted names of the repository at the most, as the superuser. */
  administer(sql: string): Promise<void>
  /** Runs SQL of the repository with the rights of whoever owns a table, if it is one of the platform's. */
  asOwnerOf(table: string, sql: string): Promise<void>
  defer(s: Statement, key: string): void
  /** What code says of a table (`public.posts`). */
  hintOf(table: string): Promise<TableHint | undefined>
  parse(sql: string): { readonly kind: string; readonly node: Tree } | undefined
}
