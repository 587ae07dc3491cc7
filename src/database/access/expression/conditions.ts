import { CALLER_ID } from './caller-terms.ts'
import type { Arm, Evaluation } from './evaluation.ts'
import {
  ALWAYS,
  type Atom,
  anyOf,
  both,
  type Comparison,
  either,
  isTotal,
  NEVER,
  OPPOSITE,
  PUBLICATION_FUNCTION_NAME,
  type Term,
  type Ways,
} from './predicate.ts'
import type { Scope } from './scope.ts'
import { columnParts, constantValue, isField, kindAndFields, names, type Tree, uncast } from './tree.ts'
import { AGGREGATES } from './values.ts'

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '>': '>',
  '<=': '<=',
  '>=': '>=',
  '~~': 'like',
  '~~*': 'like',
  '~': 'like',
  '~*': 'like',
  '^@': 'like',
  '!~~': 'not like',
  '!~~*': 'not like',
  '!~': 'not like',
  '!~*': 'not like',
  '@>': '=',
  '<@': '=',
  '&&': '=',
  '?': '=',
  '?|': '=',
  '?&': '=',
}
const SIGNED_OUT: Ways = [[{ a: 'null', of: CALLER_ID, not: false }]]

/** When a boolean expression is true, false or NULL. Parts of it are asked of the evaluator, which counts how deep they are nested. */
export class Conditions {
  readonly #evaluator: Evaluation

  constructor(evaluator: Evaluation) {
    this.#evaluator = evaluator
  }

  /** Ways in which a boolean expression is true (`want`) or false; NULL is neither. */
  truth(node: Tree | undefined, scope: Scope, want: boolean): Ways {
    const [kind, n] = kindAndFields(uncast(node))
    switch (kind) {
      case 'A_Const': {
        const value = constantValue(uncast(node))
        const truth = value === true || value === 't' || value === 'true'
        return value !== null && truth === want ? ALWAYS : NEVER
      }
      case 'BoolExpr': {
        const args: readonly Tree[] = n['args'] ?? []
        if (n['boolop'] === 'NOT_EXPR') return this.#evaluator.truth(args[0], scope, !want)
        const all = (n['boolop'] === 'AND_EXPR') === want
        let ways = all ? ALWAYS : NEVER
        for (const arg of args) ways = all ? both(ways, this.#evaluator.truth(arg, scope, want)) : either(ways, this.#evaluator.truth(arg, scope, want))
        return ways
      }
      case 'NullTest': {
        const isNull = (n['nulltesttype'] === 'IS_NULL') === want
        return isNull ? this.#evaluator.nullWays(n['arg'], scope) : this.#notNullWays(n['arg'], scope)
      }
      case 'BooleanTest': {
        const type = String(n['booltesttype'])
        if (type.endsWith('UNKNOWN'))
          return type === 'IS_UNKNOWN' && want ? this.#evaluator.nullWays(n['arg'], scope) : [[{ a: 'some', name: 'is known', of: [], negated: false }]]
        const negated = type.startsWith('IS_NOT') === want
        const value = type.endsWith('TRUE')
        if (!negated) return this.#evaluator.truth(n['arg'], scope, value)
        return either(this.#evaluator.truth(n['arg'], scope, !value), this.#evaluator.nullWays(n['arg'], scope))
      }
      case 'A_Expr':
        return isField(n) ? this.#asTruth(node, scope, want) : this.#comparison(n, scope, want)
      case 'SubLink':
        return this.#subLink(n, scope, want)
      case 'CaseExpr':
        return this.#case(n, scope, want)
      case 'CoalesceExpr': {
        let ways = NEVER
        let before = ALWAYS
        for (const arg of n['args'] ?? []) {
          ways = either(ways, both(before, this.#evaluator.truth(arg, scope, want)))
          before = both(before, this.#evaluator.nullWays(arg, scope))
          if (!before.length) break
        }
        return ways
      }
      case 'FuncCall': {
        const inlined = this.#inlineTruth(n, scope, want)
        if (inlined) return inlined
        const name = names(n['funcname']).join('.')
        const of = (n['args'] ?? []).flatMap((a: Tree) => this.#evaluator.values(a, scope).map((v) => v.term))
        const builtin = !name.includes('.') || name.startsWith('pg_catalog.') || name.startsWith('storage.') || name.startsWith('extensions.')
        if (!builtin || !BUILTIN_PREDICATES.has(name.replace('pg_catalog.', '')))
          return [[{ a: 'unknown', because: `function ${name} is not defined in the repository` }]]
        return [[{ a: 'some', name, of, negated: !want }]]
      }
      default: {
        if (scope.found && columnParts(uncast(node)).join('.') === 'found') {
          if (want) return scope.found
          return scope.found.some((w) => w.length === 0) ? NEVER : [[{ a: 'some', name: 'not found', of: [], negated: true }]]
        }
        return this.#asTruth(node, scope, want)
      }
    }
  }

  /** A value that is a truth value itself: a boolean column, a claim that was cast. */
  #asTruth(node: Tree | undefined, scope: Scope, want: boolean): Ways {
    const value: Term = { t: 'const', value: true }
    return anyOf(this.#evaluator.values(node, scope).map((v) => both(v.when, this.compare(want ? '=' : '<>', v.term, value))))
  }

  /** Ways in which an expression is NULL, as far as a caller or a row decides it. */
  nullWays(node: Tree | undefined, scope: Scope): Ways {
    const inner = uncast(node)
    const [kind, n] = kindAndFields(inner)
    if (kind === 'SubLink' && n['subLinkType'] === 'EXISTS_SUBLINK') return NEVER
    if (kind === 'NullTest' || kind === 'BooleanTest') return NEVER
    if (kind === 'A_Const') return constantValue(inner) === null ? ALWAYS : NEVER
    if (kind === 'BoolExpr') return this.#nullOfBool(n, scope)
    if (kind === 'A_Expr') {
      if (n['kind'] === 'AEXPR_DISTINCT' || n['kind'] === 'AEXPR_NOT_DISTINCT') return NEVER
      return either(this.#evaluator.nullWays(n['lexpr'], scope), this.#evaluator.nullWays(n['rexpr'], scope))
    }
    const query: Tree | undefined = kind === 'SubLink' && n['subLinkType'] === 'EXPR_SUBLINK' ? n['subselect']?.SelectStmt : undefined
    if (query?.['fromClause']) {
      if (isAggregate(query['targetList']?.[0]?.ResTarget?.val) && !query['groupClause']) return NEVER
      // no row found: NULL. That happens to a caller without a row, first of all to one who is not signed in.
      return this.#mentionsCaller(query, scope) ? SIGNED_OUT : [[{ a: 'some', name: 'no such row', of: [], negated: false }]]
    }
    if (kind === 'FuncCall') {
      const fn = this.#evaluator.functionOf(n)
      if (fn && /^bool/.test(fn.returns)) {
        const name = `${fn.schema}.${fn.name}`
        return /exists\s*\(/i.test(fn.body) || scope.inside.includes(name) ? NEVER : [[{ a: 'some', name: `${name} is null`, of: [], negated: false }]]
      }
    }
    const values = this.#evaluator.values(inner, scope)
    const nulls = anyOf(
      values.map((v) =>
        v.term.t === 'const' ? (v.term.value === null ? v.when : NEVER) : isNeverNull(v.term) ? NEVER : [[{ a: 'null', of: v.term, not: false } as Atom]],
      ),
    )
    // what is read from the caller's row alone is not there for who is not signed in; how many rows there are is always a number
    const fromOwnRow = values.length > 0 && values.every((v) => !isComputedFromTotal(v.term) && !both(v.when, SIGNED_OUT).length)
    return fromOwnRow ? either(nulls, SIGNED_OUT) : nulls
  }

  /** AND is NULL when one side is and no other is false; OR when one side is and no other is true. */
  #nullOfBool(n: Tree, scope: Scope): Ways {
    const args: readonly Tree[] = n['args'] ?? []
    const rest = n['boolop'] === 'AND_EXPR'
    return anyOf(
      args.map((arg, i) => {
        const isNull = this.#evaluator.nullWays(arg, scope)
        if (!isNull.length) return NEVER
        return args.reduce<Ways>(
          (ways, other, j) => (i === j ? ways : both(ways, either(this.#evaluator.truth(other, scope, rest), this.#evaluator.nullWays(other, scope)))),
          isNull,
        )
      }),
    )
  }

  #mentionsCaller(node: Tree, scope: Scope): boolean {
    if (/"sval":"(uid|jwt|request\.jwt\.)/.test(JSON.stringify(node))) return true
    for (const match of JSON.stringify(node).matchAll(/"funcname":(\[[^\]]*\])/g)) {
      const fn = this.#evaluator.functionOf({ funcname: JSON.parse(match[1] as string), args: [] }, true)
      if (fn && /auth\.uid|auth\.jwt|request\.jwt/.test(fn.body) && !scope.inside.includes(fn.name)) return true
    }
    return false
  }

  #notNullWays(node: Tree | undefined, scope: Scope): Ways {
    const values = this.#evaluator.values(node, scope)
    return anyOf(values.map((v) => (v.term.t === 'const' ? (v.term.value === null ? NEVER : v.when) : both(v.when, [[{ a: 'null', of: v.term, not: true }]]))))
  }

  #comparison(n: Tree, scope: Scope, want: boolean): Ways {
    const kind = String(n['kind'] ?? 'AEXPR_OP')
    const name = names(n['name']).at(-1) ?? ''
    if (kind === 'AEXPR_BETWEEN' || kind === 'AEXPR_NOT_BETWEEN' || kind.endsWith('BETWEEN_SYM')) {
      const within = kind.includes('NOT') !== want
      const [low, high] = n['rexpr']?.List?.items ?? []
      const lower = this.#compareNodes(within ? '>=' : '<', n['lexpr'], low, scope)
      const upper = this.#compareNodes(within ? '<=' : '>', n['lexpr'], high, scope)
      return within ? both(lower, upper) : either(lower, upper)
    }
    if (kind === 'AEXPR_DISTINCT' || kind === 'AEXPR_NOT_DISTINCT') {
      const same = (kind === 'AEXPR_NOT_DISTINCT') === want
      if (same) return this.#compareNodes('=', n['lexpr'], n['rexpr'], scope)
      return either(
        this.#compareNodes('<>', n['lexpr'], n['rexpr'], scope),
        either(this.#evaluator.nullWays(n['lexpr'], scope), this.#evaluator.nullWays(n['rexpr'], scope)),
      )
    }
    const op = COMPARISONS[name]
    if (!op) {
      const of = [...this.#evaluator.values(n['lexpr'], scope), ...this.#evaluator.values(n['rexpr'], scope)].map((v) => v.term)
      return [[{ a: 'some', name: `operator ${name}`, of, negated: !want }]]
    }
    const right = uncast(n['rexpr'])
    if (kind === 'AEXPR_IN' || ((kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL') && right?.['A_ArrayExpr'])) {
      const items: readonly Tree[] = right?.['List']?.items ?? right?.['A_ArrayExpr']?.elements ?? []
      const any = kind === 'AEXPR_OP_ANY' || (kind === 'AEXPR_IN' && name === '=')
      const effective = want ? op : OPPOSITE[op]
      let ways = any === want ? NEVER : ALWAYS
      for (const item of items) {
        const one = this.#compareNodes(effective, n['lexpr'], item, scope)
        ways = any === want ? either(ways, one) : both(ways, one)
      }
      return ways
    }
    if (kind === 'AEXPR_OP_ANY' && want) return this.#compareNodes(op, n['lexpr'], n['rexpr'], scope, isEmptyList)
    return this.#compareNodes(want ? op : OPPOSITE[op], n['lexpr'], n['rexpr'], scope)
  }

  #compareNodes(op: Comparison, left: Tree | undefined, right: Tree | undefined, scope: Scope, isNothing = (_: Term): boolean => false): Ways {
    const counted = this.#countComparison(op, left, right, scope)
    if (counted) return counted
    const lefts = this.#evaluator.values(left, scope)
    const rights = this.#evaluator.values(right, scope).filter((r) => !isNothing(r.term))
    return anyOf(lefts.flatMap((l) => rights.map((r) => both(both(l.when, r.when), this.compare(op, l.term, r.term)))))
  }

  /** `(select count(*) …) > 0` asks whether a row exists. */
  #countComparison(op: Comparison, left: Tree | undefined, right: Tree | undefined, scope: Scope): Ways | undefined {
    const query = uncast(left)?.['SubLink']?.subselect?.SelectStmt
    const limit = constantValue(uncast(right))
    if (typeof limit !== 'number' || names(uncast(query?.targetList?.[0]?.ResTarget?.val)?.['FuncCall']?.funcname).at(-1) !== 'count') return undefined
    const zero = op === '=' ? limit === 0 : op === '<>' ? limit !== 0 : op === '<' ? 0 < limit : op === '>' ? 0 > limit : op === '<=' ? 0 <= limit : 0 >= limit
    if (zero) return [[{ a: 'some', name: 'count', of: [], negated: true }]]
    return anyOf(this.#evaluator.select(query, scope).map((s) => s.when))
  }

  /** One comparison of two terms, decided where it can be. */
  compare(op: Comparison, left: Term, right: Term): Ways {
    if (left.t === 'const' && right.t === 'const') {
      if (left.value === null || right.value === null) return NEVER
      const same = String(left.value) === String(right.value)
      if (op === '=' || op === '<>') return same === (op === '=') ? ALWAYS : NEVER
      const [a, b] = [Number(left.value), Number(right.value)]
      const holds = op === '<' ? a < b : op === '>' ? a > b : op === '<=' ? a <= b : op === '>=' ? a >= b : undefined
      return holds === undefined || Number.isNaN(a) || Number.isNaN(b) ? [[{ a: 'compare', op, left, right }]] : holds ? ALWAYS : NEVER
    }
    if (right.t === 'caller' && left.t === 'const') return this.compare(op, right, left)
    if (left.t === 'caller' && right.t === 'const' && (left.part === 'role' || left.part === 'database-role') && (op === '=' || op === '<>')) {
      const signedIn = right.value === 'authenticated'
      if (signedIn || right.value === 'anon') return [[{ a: 'null', of: CALLER_ID, not: signedIn === (op === '=') }]]
      if (right.value === 'service_role' || left.part === 'database-role') return op === '=' ? NEVER : ALWAYS
    }
    if ((left.t === 'const' && left.value === null) || (right.t === 'const' && right.value === null)) return NEVER
    return [[{ a: 'compare', op, left, right }]]
  }

  #subLink(n: Tree, scope: Scope, want: boolean): Ways {
    const query: Tree | undefined = n['subselect']?.SelectStmt
    const type = String(n['subLinkType'])
    if (!query) return [[{ a: 'unknown', because: 'sub-query' }]]
    const target: Tree | undefined = query['targetList']?.[0]?.ResTarget?.val
    const selects = this.#evaluator.select(query, scope)
    let ways: Ways
    if (type === 'EXISTS_SUBLINK') {
      ways = isAggregate(target) && !query['groupClause'] ? ALWAYS : anyOf(selects.map((s) => s.when))
    } else if (type === 'EXPR_SUBLINK') {
      return anyOf(selects.map((s) => both(s.when, this.#evaluator.truth(s.target, s.scope, want))))
    } else if (type === 'ANY_SUBLINK') {
      const op = COMPARISONS[names(n['operName']).at(-1) ?? '='] ?? '='
      const tests = this.#evaluator.values(n['testexpr'], scope)
      ways = anyOf(
        selects.flatMap((s) =>
          tests.flatMap((t) =>
            this.#evaluator.values(s.target, s.scope).map((v) => both(both(s.when, v.when), both(t.when, this.compare(op, t.term, v.term)))),
          ),
        ),
      )
    } else {
      return [[{ a: 'some', name: 'all of a sub-query', of: [], negated: !want }]]
    }
    if (want) return ways
    if (!ways.length) return ALWAYS
    return ways.some((w) => w.length === 0) ? NEVER : [[{ a: 'some', name: 'not exists', of: [], negated: true }]]
  }

  /** The results of a CASE, each with the ways in which it is the one; without an ELSE the last is NULL. */
  arms(n: Tree, scope: Scope): readonly Arm[] {
    let before = ALWAYS
    const arms = []
    for (const arm of n['args'] ?? []) {
      const when: Tree = arm.CaseWhen
      const test = n['arg'] ? this.#compareNodes('=', n['arg'], when['expr'], scope) : this.#evaluator.truth(when['expr'], scope)
      const not = n['arg']
        ? this.#compareNodes('<>', n['arg'], when['expr'], scope)
        : either(this.#evaluator.truth(when['expr'], scope, false), this.#evaluator.nullWays(when['expr'], scope))
      arms.push({ result: when['result'], when: both(before, test) })
      before = both(before, not)
    }
    return [...arms, { result: n['defresult'], when: before }]
  }

  #case(n: Tree, scope: Scope, want: boolean): Ways {
    const arms = this.arms(n, scope).map(({ result, when }) => ({ when, holds: result ? this.#evaluator.truth(result, scope, want) : NEVER }))
    if (want && arms.every((a) => a.holds.some((w) => w.length === 0))) return ALWAYS
    return anyOf(arms.map((a) => both(a.when, a.holds)))
  }

  #inlineTruth(n: Tree, scope: Scope, want: boolean): Ways | undefined {
    const results = this.#evaluator.opened(n, scope)
    const ways = results && anyOf(results.map((r) => both(r.when, this.#evaluator.truth(r.target, r.scope, want))))
    const name = names(n['funcname']).at(-1) ?? ''
    return ways && want && PUBLICATION_FUNCTION_NAME.test(name) ? both(ways, [[{ a: 'some', name, of: [], negated: false }]]) : ways
  }
}

/** Built-in functions that a policy may use as a condition of its own. */
const BUILTIN_PREDICATES = new Set([
  'starts_with',
  'pg_has_role',
  'has_table_privilege',
  'jsonb_exists',
  'jsonb_path_exists',
  'regexp_like',
  'isfinite',
  'isempty',
  'st_contains',
  'st_within',
  'st_dwithin',
  'array_contains',
])

function isComputedFromTotal(term: Term): boolean {
  return term.t === 'expression' && (isTotal(term.name) || term.of.some(isComputedFromTotal))
}

/** The API always sets a role. */
function isNeverNull(term: Term): boolean {
  return term.t === 'caller' && (term.part === 'role' || term.part === 'jwt' || term.part === 'database-role')
}

function isAggregate(target: Tree | undefined): boolean {
  const name = names(uncast(target)?.['FuncCall']?.funcname).at(-1)
  return name !== undefined && AGGREGATES.has(name)
}

/** `= any (coalesce(names, '{}'))`: nothing is one of none. */
const isEmptyList = (term: Term): boolean => term.t === 'const' && term.value === '{}'
