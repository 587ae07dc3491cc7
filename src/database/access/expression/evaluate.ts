import { Conditions } from './conditions.ts'
import type { Arm, Evaluation, Result, Selected } from './evaluation.ts'
import { ALWAYS, both, type Comparison, combinedAtoms, type Term, type Ways } from './predicate.ts'
import { Rows } from './rows.ts'
import { type Alternatives, type Frame, type Instance, type KnownFunction, NO_VARIABLES, type Scope, splitName, type Variable, type World } from './scope.ts'
import { names, type Tree } from './tree.ts'
import { Values } from './values.ts'

/** What a procedural function may return: an expression in a scope, and the conditions of getting there. */
export type ReturnsOf = (
  evaluator: Evaluator,
  fn: KnownFunction,
  body: Tree,
  scope: Scope,
) => readonly { readonly when: Ways; readonly expression?: Tree; readonly query?: Tree; readonly scope: Scope }[]

const MAX_DEPTH = 40
const MAX_INSTANCES = 400
/** Conditions put together for one policy or function, a second's work; the largest that people write by hand take a twentieth. */
const MAX_COMBINED = 10_000_000

/**
 * Turns a policy expression or a query of a function into the ways in which it becomes true. Sub-queries and functions of the
 * repository are opened: their tables become instances, their conditions part of the way.
 */
export class Evaluator implements Evaluation {
  readonly instances: Instance[] = []
  readonly world: World
  readonly #returnsOf: ReturnsOf
  readonly #conditions = new Conditions(this)
  readonly #values = new Values(this)
  readonly #rows = new Rows(this)
  readonly #combinedBefore = combinedAtoms()
  #depth = 0
  #names = 0

  constructor(world: World, returnsOf: ReturnsOf) {
    this.world = world
    this.#returnsOf = returnsOf
  }

  /** Whether what is read has more ways than can be followed; the rest of it is unknown then. */
  get exhausted(): boolean {
    return combinedAtoms() - this.#combinedBefore > MAX_COMBINED
  }

  /** The scope of a policy on `table`: its row is instance 0 of a fresh evaluator. */
  rowScope(table: string): Scope {
    const [schema, name] = splitName(table)
    return { frames: [this.frame(table, name, schema)], variables: NO_VARIABLES, inside: [] }
  }

  /** A new instance of a table under an alias; `inside`: the functions in which it is read. */
  frame(table: string, alias: string, schema?: string, inside: readonly string[] = []): Frame {
    const columns = this.world.columns(table)
    return {
      alias,
      instance: this.instance(
        table,
        inside.some((name) => this.world.runsAs(name) !== undefined),
      ),
      ...(schema ? { schema } : {}),
      ...(columns ? { columns } : {}),
    }
  }

  /** A number that no other call gives. */
  fresh(): number {
    this.#names += 1
    return this.#names
  }

  /** The number of a new instance, of a table or of what a query gives. */
  instance(table?: string, definer = false): number {
    const id = this.instances.length
    this.instances.push({ id, ...(table === undefined ? {} : { table }), ...(definer ? { definer } : {}) })
    return id
  }

  /** Ways in which a boolean expression is true (`want`) or false; NULL is neither. */
  truth(node: Tree | undefined, scope: Scope, want = true): Ways {
    if (++this.#depth > MAX_DEPTH || this.instances.length > MAX_INSTANCES || this.exhausted) {
      this.#depth--
      return [[{ a: 'unknown', because: 'nested too deeply' }]]
    }
    try {
      return this.#conditions.truth(node, scope, want)
    } finally {
      this.#depth--
    }
  }

  /** Ways in which an expression is NULL, as far as a caller or a row decides it. */
  nullWays(node: Tree | undefined, scope: Scope): Ways {
    return this.#conditions.nullWays(node, scope)
  }

  /** One comparison of two terms, decided where it can be. */
  compare(op: Comparison, left: Term, right: Term): Ways {
    return this.#conditions.compare(op, left, right)
  }

  /** The results of a CASE, each with the ways in which it is the one; without an ELSE the last is NULL. */
  arms(n: Tree, scope: Scope): readonly Arm[] {
    return this.#conditions.arms(n, scope)
  }

  /** What a scalar expression may stand for. */
  values(node: Tree | undefined, scope: Scope): Alternatives {
    if (++this.#depth > MAX_DEPTH || this.exhausted) {
      this.#depth--
      return [{ term: { t: 'unknown', because: 'nested too deeply' }, when: ALWAYS }]
    }
    try {
      return this.#values.values(node, scope)
    } finally {
      this.#depth--
    }
  }

  /** What a call of a function stands for. */
  call(n: Tree, scope: Scope): Alternatives {
    return this.#values.call(n, scope)
  }

  /** Opens a SELECT: per branch of a UNION the scope of its target list, its first target, and the ways in which it yields a row. */
  select(query: Tree, scope: Scope): readonly Selected[] {
    return this.#rows.select(query, scope)
  }

  /** Adds a FROM item to `frames`; returns the ways in which it yields a row. */
  from(item: Tree, scope: Scope, frames: Frame[]): Ways {
    return this.#rows.from(item, scope, frames)
  }

  /** The function of the repository that a call means. */
  functionOf(n: Tree, anyArity = false): KnownFunction | undefined {
    const path = names(n['funcname'])
    return this.world.functions(path.length > 1 ? path.at(-2) : undefined, path.at(-1) as string, anyArity ? -1 : (n['args'] ?? []).length)
  }

  /** What a call hands over, by argument name and number. */
  argumentsOf(fn: KnownFunction, n: Tree, scope: Scope): Map<string, Variable> {
    const variables = new Map<string, Variable>()
    const given: readonly Tree[] = n['args'] ?? []
    fn.args.forEach((arg, i) => {
      const named = given.find((g) => g['NamedArgExpr']?.name === arg.name)?.['NamedArgExpr']?.arg
      const node: Tree | undefined = named ?? (given[i]?.['NamedArgExpr'] ? undefined : given[i])
      const value: Alternatives = node ? this.values(node, scope) : [{ term: { t: 'unknown', because: 'default argument' }, when: ALWAYS }]
      variables.set(`$${i + 1}`, { value })
      if (arg.name) variables.set(arg.name, { value })
    })
    return variables
  }

  /** The results of a function of the repository: selects of its last statement, or its RETURNs. */
  opened(n: Tree, scope: Scope): readonly Result[] | undefined {
    const fn = this.functionOf(n)
    if (!fn) return undefined
    const id = `${fn.schema}.${fn.name}`
    if (scope.inside.includes(id) || scope.inside.length > 4) return undefined
    const inner: Scope = { frames: [], variables: this.argumentsOf(fn, n, scope), inside: [...scope.inside, id] }
    return this.results(fn, inner)
  }

  /** The same for given arguments (already in the scope's variables). */
  results(fn: KnownFunction, inner: Scope): readonly Result[] | undefined {
    if (fn.language === 'sql') {
      const statement = this.#lastStatement(fn.body)
      if (statement?.['ReturnStmt']) return [{ target: statement['ReturnStmt'].returnval, scope: inner, when: ALWAYS }]
      return statement?.['SelectStmt'] ? this.select(statement['SelectStmt'], inner) : undefined
    }
    if (fn.language !== 'plpgsql') return undefined
    const body = this.world.parseBody(fn)
    if (!body) return undefined
    return this.#returnsOf(this, fn, body, inner).flatMap((r) =>
      r.query ? this.select(r.query, r.scope).map((s) => ({ ...s, when: both(r.when, s.when) })) : [{ target: r.expression, scope: r.scope, when: r.when }],
    )
  }

  #lastStatement(body: string): Tree | undefined {
    try {
      return this.world.parse(body.replace(/^\s*return\s/i, 'select ')).stmts?.at(-1)?.stmt
    } catch {
      return undefined
    }
  }
}
