import type { DatabaseResult, ReplayInput } from '../../database/database.ts'

/** What the parent of the sandboxes is told. */
export type ToDatabase =
  | { readonly type: 'warm' }
  | { readonly type: 'rest' }
  | { readonly type: 'begin'; readonly input: ReplayInput }
  | { readonly type: 'replay'; readonly id: number; readonly input: ReplayInput }

/** What it answers. */
export type FromDatabase =
  | { readonly type: 'result'; readonly id: number; readonly result: DatabaseResult }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** Bytes of one message: the SQL of a repository, or what its replay showed. */
export const MAX_MESSAGE = 256 << 20
