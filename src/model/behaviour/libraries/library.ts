import type { Place } from '../../../lib/place.ts'
import type { ChainVal, Link, Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** A call on what a library gave, the last link being the one just called. */
export interface LibraryCall {
  readonly it: Interpreter
  readonly chain: ChainVal
  readonly root: Val
  readonly links: readonly Link[]
  /** The dotted names of the links from the root, `new` and `default` left out: `webhooks.constructEvent`. */
  readonly name: string
  /** The arguments of the last link. */
  readonly args: readonly Val[]
  readonly at: Place
}

/** What is known of one family of libraries. */
export interface Library {
  /** Packages whose exports it speaks of. A trailing `/` takes subpaths too. */
  readonly packages: readonly string[]
  /** Called for each call; undefined lets the chain grow. */
  call?(call: LibraryCall): Val | undefined
  /** Called when a chain is awaited, returned or its member read (`next`); undefined when it is no finished thing. */
  settle?(call: LibraryCall, next?: string): Val | undefined
  /** Tagged templates: `` sql`…` ``. */
  tag?(call: LibraryCall, quasis: readonly string[], exprs: readonly Val[]): Val | undefined
}
