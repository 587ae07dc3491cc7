/** What a gap could have changed. `anything` doubts every check. */
export type GapTopic =
  | 'table'
  | 'rls'
  | 'policy'
  | 'grant'
  | 'function'
  | 'view'
  | 'bucket'
  | 'code'
  /** What pages do on the server: code that no endpoint runs. */
  | 'pages'
  /** The names, literals and imports of source files; a syntax error leaves them readable. */
  | 'source-text'
  | 'env-file'
  | 'config'
  | 'lockfile'
  | 'history'
  | 'tree'
  | 'anything'

/** Something that could not be read or applied, declared instead of passed over. */
export interface Gap {
  readonly path: string
  readonly line?: number
  readonly because: string
  /** Nothing of the file is known, not even whether it has what a rule speaks of. */
  readonly unread?: true
  /** What it could have changed; `object` narrows it (a table's qualified name, a workspace's folder), `command` that of a policy. */
  readonly touches: readonly { readonly topic: GapTopic; readonly object?: string; readonly command?: 'select' | 'insert' | 'update' | 'delete' }[]
  /** The SQL as a whole could not be replayed: nothing is known of the database. */
  readonly lost?: true
}
