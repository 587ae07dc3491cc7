/**
 * What those who read registrations and the collector of routers ask of each other. A registration names routers and functions anywhere in the
 * application, so that reading it needs the collector, which in turn comes upon registrations wherever it follows a router.
 */
import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Program } from '../program.ts'
import type { RegisteredHandlers } from './registered-handlers.ts'
import type { Givens } from './registration-arguments.ts'
import type { Router, RouterDialect } from './router.ts'

/** Calls and functions inside one another through which a router is followed. */
export const MAX_DEPTH = 12

/** Where code stands that registers something, and which routers its parameters hold there. */
export interface Here {
  readonly path: string
  readonly scope: FunctionId
  /** By `path:function:name`. */
  readonly env: Map<string, Router>
  readonly depth: number
}

/** What registrations ask of the collector. */
export interface Following {
  readonly program: Program
  readonly dialect: RouterDialect
  readonly handlers: RegisteredHandlers
  readonly givens: Givens
  /** The router that an expression means; registers what chained calls register on the way. */
  router(here: Here, e: Expr): Router | undefined
  /** Whether the code waits for what a call gives. */
  isAwaited(e: Expr): boolean
  /** Reads a function that is given routers for its parameters. */
  enter(path: string, fn: FunctionId, args: readonly (Router | undefined)[], depth: number): void
  /** Notes a registration that could not be followed; `inside` is the function that writes it, whose calls may still say what it registers. */
  unfollowed(inside: { readonly path: string; readonly scope: FunctionId }, at: Place, because: string): void
}
