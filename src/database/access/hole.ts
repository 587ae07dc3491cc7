import type { Place } from '../../lib/place.ts'
import type { OpenCause, RowState } from './expression/disjunct.ts'

export type { OpenCause, RowState }

/** Something that lets a caller do more than the rows' owners meant, as read from the parse tree and tried in the sandbox. */
export interface Hole {
  /**
   * `no-rls`: a table without row level security. `policy`: a policy that lets in others. `owner-change`: the owner column may be moved to
   * someone else. `rewrite`: another party of the row than its `author` may change what the author wrote. `escalation`: the owner may change columns that grant power or money, or (`belonging`) by which policies of `tables` let him
   * in. `self-grant`: a row that grants something may be inserted by whom it favours. `author-free`: the parent is bound, the row's own owner column is not
   * (`nobody`: it may be empty). `parent-free`: the
   * author is bound, the parent is not, whose row in `tables` is somebody else's. `view`, `function-read`: rows pass
   * row level security by. `function-write`: a SECURITY DEFINER function changes rows for anyone. `locked`: nobody can read the rows.
   * `member`: a plain member of a tenant may do what its owner should decide (`because` says on which kind of row: `membership`, `invitation` or `tenant`).
   */
  readonly kind:
    | 'no-rls'
    | 'policy'
    | 'owner-change'
    | 'rewrite'
    | 'escalation'
    | 'self-grant'
    | 'author-free'
    | 'parent-free'
    | 'view'
    | 'function-read'
    | 'function-write'
    | 'locked'
    | 'member'
  /** Qualified name of the table or view; `schema.f(types)` of a function. */
  readonly object: string
  readonly command: 'select' | 'insert' | 'update' | 'delete' | 'execute'
  readonly policy?: string
  /** For storage: the bucket that the policy opens; absent when it names none. */
  readonly bucket?: string
  readonly who: 'anon' | 'authenticated'
  readonly cause?: OpenCause
  /** What the cause is about: the path in user_metadata, the tables that are not tied. `guests`: the new rows are nobody's. */
  readonly because?: string
  /** Only rows in this state are concerned. */
  readonly states?: readonly RowState[]
  /** Columns that may be written although they should not be, or that are shown. */
  readonly columns?: readonly string[]
  /** `escalation`: what another hole of the policy lets be written too, so that a fix must not hand it back. */
  readonly withheld?: readonly string[]
  /** `rewrite`: the column that names whose `columns` are; absent where they are nobody's among the row's parties. */
  readonly author?: string
  /** Tables concerned, when `object` is a view or function. `mild`: what is written there takes nothing from anybody, however often. */
  readonly tables?: readonly {
    readonly table: string
    readonly command: 'select' | 'insert' | 'update' | 'delete'
    readonly grants?: boolean
    readonly mild?: true
  }[]
  /** `policy`: the function that several such policies ask and in which the fault lies, `schema.f(types)`. */
  readonly helper?: { readonly object: string; readonly at: Place }
  readonly at: Place
  readonly proof: 'executed' | 'inferred'
  /** `from`: the code is that of another hole of the same cause, whose words say what it does (`sibling`), or of several together (`several`). */
  readonly fix?: { readonly code: string; readonly proved: boolean; readonly from?: 'sibling' | 'several' }
  /** What one change repairs: equal for all holes that the fix closes together. Absent for a hole that stands alone. */
  readonly rootCause?: string
  /** Other policies that let the same people do the same, so that the fix closes them as well. */
  readonly beside?: readonly string[]
}

/** One way of one policy on storage objects: the bucket that it is limited to (none: all), and whether it binds the caller. */
export interface StoragePolicy {
  readonly policy: string
  readonly command: 'select' | 'insert' | 'update' | 'delete'
  readonly bucket?: string
  readonly bound: boolean
}

/** Told before the policies of a table or a function are read, which may take long; false when they are to be left out. */
export type MayRead = (topic: 'policy' | 'function', object: string, at: Place) => boolean

/** Told what has more ways than can be followed. */
export type TooMuch = (object: string, at: Place) => void
