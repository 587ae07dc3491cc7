import type { Table } from '../../database.ts'

/** That the row which a row refers to is the caller's own, as a policy may ask. */
export interface ParentOwner {
  readonly parent: Pick<Table, 'schema' | 'name'>
  /** The column of the parent by which it is found. */
  readonly key: string
  /** The column that refers to it. */
  readonly column: string
  /** What has to hold of the row above, called `p`. */
  readonly own: string
}

/** The condition by which a fix asks for the owner of the row above; `query` is the question as a query in the policy itself. */
export type AskParent = (question: ParentOwner, query: string) => string

/** Under the rights of the caller, which the policies of the table above have to let through. */
export const byQuery: AskParent = (_, query) => query
