/** Why a way lets in somebody who has nothing to do with the row. */
export type OpenCause =
  | 'always'
  | 'signed-in'
  | 'tautology'
  | 'not-tied'
  | 'no-caller'
  | 'inverted'
  | 'null-slips-through'
  | 'secret-null'
  | 'user-metadata'
  | 'row-state'
  | 'handler'
  | 'captured-name'

/** A comparison of a column with a literal that a way depends on. */
export interface RowState {
  readonly table: string
  readonly column: string
  readonly op: string
  /** Undefined for IS NULL / IS NOT NULL (`op` says which) and for now(). */
  readonly value?: string | number | boolean
  /** What else the column may hold, `value` among it, where the condition lists several (`IN (…)`). */
  readonly oneOf?: readonly (string | number | boolean)[]
  /** The function that counts what the column holds (`length`): the comparison is with its result. */
  readonly counted?: string
  /** Of another table's row: one that itself names the caller. */
  readonly own?: true
}

/** One way of getting in, judged. */
export interface Way {
  /** `owner`: the caller is bound to a column of the row; `via`: through other tables; `role`: the caller holds a role, whatever the row; `open`: nothing binds; `unknown`: cannot be told. */
  readonly outcome: 'owner' | 'via' | 'role' | 'open' | 'unknown'
  readonly who: 'anon' | 'authenticated' | 'anon-only'
  readonly cause?: OpenCause
  /** Columns of the row that equal the caller's id (or verified e-mail). */
  readonly ownerColumns: readonly string[]
  /** Columns of the row that tie it to the tables in `tables`. */
  readonly tiedColumns: readonly string[]
  /** Tables between the caller and the row, or that show the caller's role. */
  readonly tables: readonly string[]
  /** Columns by which rows that name the caller are joined to others, the row in question included (`public.members.org_id`). */
  readonly links: readonly string[]
  /** Columns of other tables' rows that are compared with one of this row (`public.shares.post_id`). */
  readonly children: readonly string[]
  /** Conditions on the row itself. */
  readonly states: readonly RowState[]
  /** Conditions on rows of other tables that belong to this row (a published parent). */
  readonly parentStates: readonly RowState[]
  /** Conditions on other tables' rows (roles, memberships). */
  readonly gates: readonly RowState[]
  /** The caller must hold a role as well, whatever else binds. */
  readonly needsRole: boolean
  /** The caller is compared with the id of somebody, which stands in the condition. */
  readonly fixed?: true
  /** Columns of the row, and of rows tied to it, that have to equal something the caller passes as an argument. */
  readonly argumentColumns: readonly string[]
  /** The row has to repeat a secret (a token) of another table's row. */
  readonly capability?: true
  /** Whoever passes has said the secret of a row that is looked for on the way: the token of an invitation. */
  readonly bySecret?: true
  /** Tables of these rows. */
  readonly secretsOf?: readonly string[]
  /** It holds only while there are fewer rows than a fixed number. */
  readonly limited?: true
  /** It holds only where the application's own server said so for the session. */
  readonly bySetting?: true
  /** A column of user_metadata that decides. */
  readonly because?: string
}

/** What the judge has to know about names. */
export interface JudgeWorld {
  /** Literal default of a column, when it has one. */
  readonly defaultOf: (table: string, column: string) => string | undefined
  /** Whether a table lists who works here, so that a row of it is a role. */
  readonly isStaffList?: (table: string) => boolean
  /** States in which alone users may add rows of a table, until those who have a role change that. */
  readonly heldAtFirst?: (table: string) => readonly RowState[]
}
