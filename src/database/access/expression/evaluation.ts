import type { Comparison, Term, Ways } from './predicate.ts'
import type { Alternatives, Frame, KnownFunction, Scope, World } from './scope.ts'
import type { Tree } from './tree.ts'

/** A row that a function gives: its first column or its value, and all columns of a query. */
export interface Result {
  readonly target: Tree | undefined
  readonly targets?: readonly Tree[]
  readonly scope: Scope
  readonly when: Ways
}

/** One query of a SELECT: its first column, all of them, and when it yields a row. */
export type Selected = Required<Result>

/** One result of a CASE, with the ways in which it is the one. */
export interface Arm {
  readonly result: Tree | undefined
  readonly when: Ways
}

/** What the parts of an evaluator (conditions, values, rows) ask of the whole: it counts how deep they are nested in each other. */
export interface Evaluation {
  readonly world: World
  /** Ways in which a boolean expression is true (`want`) or false; NULL is neither. */
  truth(node: Tree | undefined, scope: Scope, want?: boolean): Ways
  /** Ways in which an expression is NULL, as far as a caller or a row decides it. */
  nullWays(node: Tree | undefined, scope: Scope): Ways
  /** One comparison of two terms, decided where it can be. */
  compare(op: Comparison, left: Term, right: Term): Ways
  /** The results of a CASE, each with the ways in which it is the one; without an ELSE the last is NULL. */
  arms(n: Tree, scope: Scope): readonly Arm[]
  /** What a scalar expression may stand for. */
  values(node: Tree | undefined, scope: Scope): Alternatives
  /** What a call of a function stands for. */
  call(n: Tree, scope: Scope): Alternatives
  /** Opens a SELECT: for each branch of a UNION its target list and the ways in which it yields a row. */
  select(query: Tree, scope: Scope): readonly Selected[]
  /** The results of a function of the repository: selects of its last statement, or its RETURNs. */
  opened(n: Tree, scope: Scope): readonly Result[] | undefined
  /** The function of the repository that a call means. */
  functionOf(n: Tree, anyArity?: boolean): KnownFunction | undefined
  /** A new instance of a table under an alias; `inside`: the functions in which it is read. */
  frame(table: string, alias: string, schema?: string, inside?: readonly string[]): Frame
  /** The number of a new instance, of a table or of what a query gives. */
  instance(table?: string, definer?: boolean): number
  /** A number that no other call gives. */
  fresh(): number
}
