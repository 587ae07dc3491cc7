import { CALLER_ID, callerFunction, member, pathText } from './caller-terms.ts'
import { ALWAYS, type Atom, both, type Comparison, either, grouped, isTotal, NEVER, OPPOSITE, type Term, type Ways } from './predicate.ts'
import { type Alternatives, type Frame, findColumn, type Instance, type KnownFunction, type Scope, type Variable, type World } from './scope.ts'
import { columnParts, constant, kindOf, names, type Tree, uncast } from './tree.ts'

/** What a procedural function may return: an expression in a scope, and the conditions of getting there. */
export type ReturnsOf = (
  evaluator: Evaluator,
  fn: KnownFunction,
  body: Tree,
  scope: Scope,
) => readonly { readonly when: Ways; readonly expression?: Tree; readonly query?: Tree; readonly scope: Scope }[]

const MAX_DEPTH = 40
const AGGREGATES = new Set(['count', 'max', 'min', 'sum', 'avg', 'bool_or', 'bool_and', 'every', 'array_agg', 'string_agg', 'json_agg', 'jsonb_agg'])
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
/** A row that a function gives: its first column or its value, and all columns of a query. */
interface Result {
  readonly target: Tree | undefined
  readonly targets?: readonly Tree[]
  readonly scope: Scope
  readonly when: Ways
}

const NO_VARIABLES: ReadonlyMap<string, Variable> = new Map()
const NULL: Alternatives = [{ term: { t: 'const', value: null }, when: ALWAYS }]

/**
 * Turns a policy expression or a query of a function into the ways in which it becomes true. Sub-queries and functions of the
 * repository are opened: their tables become instances, their conditions part of the way.
 */
export class Evaluator {
  readonly instances: Instance[] = []
  readonly world: World
  readonly #returnsOf: ReturnsOf
  #depth = 0
  #names = 0

  constructor(world: World, returnsOf: ReturnsOf) {
    this.world = world
    this.#returnsOf = returnsOf
  }

  /** The scope of a policy on `table`: its row is instance 0 of a fresh evaluator. */
  rowScope(table: string): Scope {
    const [schema, name] = splitName(table)
    return { frames: [this.frame(table, name, schema)], variables: NO_VARIABLES, inside: [] }
  }

  /** A new instance of a table under an alias; `inside`: the functions in which it is read. */
  frame(table: string, alias: string, schema?: string, inside: readonly string[] = []): Frame {
    const columns = this.world.columns(table)
    return { alias, instance: this.#add(table, inside.some(this.world.definer)), ...(schema ? { schema } : {}), ...(columns ? { columns } : {}) }
  }

  /** A number that no other call gives. */
  fresh(): number {
    this.#names += 1
    return this.#names
  }

  #add(table?: string, definer = false): number {
    const id = this.instances.length
    this.instances.push({ id, ...(table === undefined ? {} : { table }), ...(definer ? { definer } : {}) })
    return id
  }

  /** Ways in which a boolean expression is true (`want`) or false; NULL is neither. */
  truth(node: Tree | undefined, scope: Scope, want = true): Ways {
    if (++this.#depth > MAX_DEPTH || this.instances.length > 400) {
      this.#depth--
      return [[{ a: 'unknown', because: 'nested too deeply' }]]
    }
    try {
      return this.#truth(node, scope, want)
    } finally {
      this.#depth--
    }
  }

  #truth(node: Tree | undefined, scope: Scope, want: boolean): Ways {
    const [kind, n] = kindOf(uncast(node))
    switch (kind) {
      case 'A_Const': {
        const value = constant(uncast(node))
        const truth = value === true || value === 't' || value === 'true'
        return value !== null && truth === want ? ALWAYS : NEVER
      }
      case 'BoolExpr': {
        const args: readonly Tree[] = n['args'] ?? []
        if (n['boolop'] === 'NOT_EXPR') return this.truth(args[0], scope, !want)
        const all = (n['boolop'] === 'AND_EXPR') === want
        let ways = all ? ALWAYS : NEVER
        for (const arg of args) ways = all ? both(ways, this.truth(arg, scope, want)) : either(ways, this.truth(arg, scope, want))
        return ways
      }
      case 'NullTest': {
        const isNull = (n['nulltesttype'] === 'IS_NULL') === want
        return isNull ? this.nullWays(n['arg'], scope) : this.#notNullWays(n['arg'], scope)
      }
      case 'BooleanTest': {
        const type = String(n['booltesttype'])
        if (type.endsWith('UNKNOWN'))
          return type === 'IS_UNKNOWN' && want ? this.nullWays(n['arg'], scope) : [[{ a: 'some', name: 'is known', of: [], negated: false }]]
        const negated = type.startsWith('IS_NOT') === want
        const value = type.endsWith('TRUE')
        if (!negated) return this.truth(n['arg'], scope, value)
        return either(this.truth(n['arg'], scope, !value), this.nullWays(n['arg'], scope))
      }
      case 'A_Expr':
        return this.#comparison(n, scope, want)
      case 'SubLink':
        return this.#subLink(n, scope, want)
      case 'CaseExpr':
        return this.#case(n, scope, want)
      case 'CoalesceExpr': {
        let ways = NEVER
        let before = ALWAYS
        for (const arg of n['args'] ?? []) {
          ways = either(ways, both(before, this.truth(arg, scope, want)))
          before = both(before, this.nullWays(arg, scope))
          if (!before.length) break
        }
        return ways
      }
      case 'FuncCall': {
        const inlined = this.#inlineTruth(n, scope, want)
        if (inlined) return inlined
        const name = names(n['funcname']).join('.')
        const of = (n['args'] ?? []).flatMap((a: Tree) => this.values(a, scope).map((v) => v.term))
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
        const value: Term = { t: 'const', value: true }
        return this.#either(this.values(node, scope).map((v) => both(v.when, this.compare(want ? '=' : '<>', v.term, value))))
      }
    }
  }

  #either(all: readonly Ways[]): Ways {
    return all.reduce(either, NEVER)
  }

  /** Ways in which an expression is NULL, as far as a caller or a row decides it. */
  nullWays(node: Tree | undefined, scope: Scope): Ways {
    const inner = uncast(node)
    const [kind, n] = kindOf(inner)
    if (kind === 'SubLink' && n['subLinkType'] === 'EXISTS_SUBLINK') return NEVER
    if (kind === 'NullTest' || kind === 'BooleanTest') return NEVER
    if (kind === 'A_Const') return constant(inner) === null ? ALWAYS : NEVER
    if (kind === 'BoolExpr') return this.#nullOfBool(n, scope)
    if (kind === 'A_Expr' && n['kind'] !== 'AEXPR_DISTINCT' && n['kind'] !== 'AEXPR_NOT_DISTINCT') {
      return either(this.nullWays(n['lexpr'], scope), this.nullWays(n['rexpr'], scope))
    }
    if (kind === 'SubLink' && n['subLinkType'] === 'EXPR_SUBLINK' && n['subselect']?.SelectStmt?.fromClause) {
      // no row found: NULL. That happens to a caller without a row, first of all to one who is not signed in.
      return this.#mentionsCaller(n['subselect'], scope)
        ? [[{ a: 'null', of: CALLER_ID, not: false }]]
        : [[{ a: 'some', name: 'no such row', of: [], negated: false }]]
    }
    if (kind === 'FuncCall') {
      const fn = this.functionOf(n)
      if (fn && /^bool/.test(fn.returns)) {
        const name = `${fn.schema}.${fn.name}`
        return /exists\s*\(/i.test(fn.body) || scope.inside.includes(name) ? NEVER : [[{ a: 'some', name: `${name} is null`, of: [], negated: false }]]
      }
    }
    return this.#either(
      this.values(inner, scope).map((v) =>
        v.term.t === 'const' ? (v.term.value === null ? v.when : NEVER) : isNeverNull(v.term) ? NEVER : [[{ a: 'null', of: v.term, not: false } as Atom]],
      ),
    )
  }

  /** AND is NULL when one side is and no other is false; OR when one side is and no other is true. */
  #nullOfBool(n: Tree, scope: Scope): Ways {
    const args: readonly Tree[] = n['args'] ?? []
    const rest = n['boolop'] === 'AND_EXPR'
    return this.#either(
      args.map((arg, i) => {
        const isNull = this.nullWays(arg, scope)
        if (!isNull.length) return NEVER
        return args.reduce<Ways>((ways, other, j) => (i === j ? ways : both(ways, either(this.truth(other, scope, rest), this.nullWays(other, scope)))), isNull)
      }),
    )
  }

  #mentionsCaller(node: Tree, scope: Scope): boolean {
    if (/"sval":"(uid|jwt|request\.jwt\.)/.test(JSON.stringify(node))) return true
    for (const match of JSON.stringify(node).matchAll(/"funcname":(\[[^\]]*\])/g)) {
      const fn = this.functionOf({ funcname: JSON.parse(match[1] as string), args: [] }, true)
      if (fn && /auth\.uid|auth\.jwt|request\.jwt/.test(fn.body) && !scope.inside.includes(fn.name)) return true
    }
    return false
  }

  #notNullWays(node: Tree | undefined, scope: Scope): Ways {
    const values = this.values(node, scope)
    return this.#either(
      values.map((v) => (v.term.t === 'const' ? (v.term.value === null ? NEVER : v.when) : both(v.when, [[{ a: 'null', of: v.term, not: true }]]))),
    )
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
      return either(this.#compareNodes('<>', n['lexpr'], n['rexpr'], scope), either(this.nullWays(n['lexpr'], scope), this.nullWays(n['rexpr'], scope)))
    }
    const op = COMPARISONS[name]
    if (!op) {
      const of = [...this.values(n['lexpr'], scope), ...this.values(n['rexpr'], scope)].map((v) => v.term)
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
    return this.#compareNodes(want ? op : OPPOSITE[op], n['lexpr'], n['rexpr'], scope)
  }

  #compareNodes(op: Comparison, left: Tree | undefined, right: Tree | undefined, scope: Scope): Ways {
    const counted = this.#countComparison(op, left, right, scope)
    if (counted) return counted
    const lefts = this.values(left, scope)
    const rights = this.values(right, scope)
    return this.#either(lefts.flatMap((l) => rights.map((r) => both(both(l.when, r.when), this.compare(op, l.term, r.term)))))
  }

  /** `(select count(*) …) > 0` asks whether a row exists. */
  #countComparison(op: Comparison, left: Tree | undefined, right: Tree | undefined, scope: Scope): Ways | undefined {
    const query = uncast(left)?.['SubLink']?.subselect?.SelectStmt
    const limit = constant(uncast(right))
    if (typeof limit !== 'number' || names(uncast(query?.targetList?.[0]?.ResTarget?.val)?.['FuncCall']?.funcname).at(-1) !== 'count') return undefined
    const zero = op === '=' ? limit === 0 : op === '<>' ? limit !== 0 : op === '<' ? 0 < limit : op === '>' ? 0 > limit : op === '<=' ? 0 <= limit : 0 >= limit
    if (zero) return [[{ a: 'some', name: 'count', of: [], negated: true }]]
    return this.#either(this.select(query, scope).map((s) => s.when))
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
    const selects = this.select(query, scope)
    let ways: Ways
    if (type === 'EXISTS_SUBLINK') {
      ways = isAggregate(target) && !query['groupClause'] ? ALWAYS : this.#either(selects.map((s) => s.when))
    } else if (type === 'EXPR_SUBLINK') {
      return this.#either(selects.map((s) => both(s.when, this.truth(s.target, s.scope, want))))
    } else if (type === 'ANY_SUBLINK') {
      const op = COMPARISONS[names(n['operName']).at(-1) ?? '='] ?? '='
      const tests = this.values(n['testexpr'], scope)
      ways = this.#either(
        selects.flatMap((s) =>
          tests.flatMap((t) => this.values(s.target, s.scope).map((v) => both(both(s.when, v.when), both(t.when, this.compare(op, t.term, v.term))))),
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
  #arms(n: Tree, scope: Scope): readonly { readonly result: Tree | undefined; readonly when: Ways }[] {
    let before = ALWAYS
    const arms = []
    for (const arm of n['args'] ?? []) {
      const when: Tree = arm.CaseWhen
      const test = n['arg'] ? this.#compareNodes('=', n['arg'], when['expr'], scope) : this.truth(when['expr'], scope)
      const not = n['arg']
        ? this.#compareNodes('<>', n['arg'], when['expr'], scope)
        : either(this.truth(when['expr'], scope, false), this.nullWays(when['expr'], scope))
      arms.push({ result: when['result'], when: both(before, test) })
      before = both(before, not)
    }
    return [...arms, { result: n['defresult'], when: before }]
  }

  #case(n: Tree, scope: Scope, want: boolean): Ways {
    const arms = this.#arms(n, scope).map(({ result, when }) => ({ when, holds: result ? this.truth(result, scope, want) : NEVER }))
    if (want && arms.every((a) => a.holds.some((w) => w.length === 0))) return ALWAYS
    return this.#either(arms.map((a) => both(a.when, a.holds)))
  }

  /** What a scalar expression may stand for. */
  values(node: Tree | undefined, scope: Scope): Alternatives {
    if (++this.#depth > MAX_DEPTH) {
      this.#depth--
      return [{ term: { t: 'unknown', because: 'nested too deeply' }, when: ALWAYS }]
    }
    try {
      return this.#values(node, scope)
    } finally {
      this.#depth--
    }
  }

  #values(node: Tree | undefined, scope: Scope): Alternatives {
    const inner = uncast(node)
    const [kind, n] = kindOf(inner)
    const only = (term: Term): Alternatives => [{ term, when: ALWAYS }]
    switch (kind) {
      case 'A_Const':
        return only({ t: 'const', value: constant(inner) ?? null })
      case 'ColumnRef':
        return this.#column(columnParts(inner), scope)
      case 'ParamRef':
        return scope.variables.get(`$${n['number']}`)?.value ?? only({ t: 'argument', name: `$${n['number']}` })
      case 'SQLValueFunction': {
        const op = String(n['op'] ?? '')
        if (/USER|ROLE/.test(op)) return only({ t: 'caller', part: 'database-role' })
        return only({ t: 'expression', name: 'now', of: [] })
      }
      case 'CoalesceExpr':
        return this.#firstPresent(n['args'] ?? [], scope).slice(0, 8)
      case 'MinMaxExpr':
        return this.#applied(n['op'] === 'IS_LEAST' ? 'least' : 'greatest', n['args'] ?? [], scope)
      case 'CaseExpr':
        return this.#arms(n, scope)
          .flatMap(({ result, when }) => under(when, result ? this.values(result, scope) : NULL))
          .filter((v) => v.when.length > 0)
          .slice(0, 16)
      case 'A_Indirection':
        return this.#indirection(n, scope)
      case 'A_ArrayExpr':
        return (n['elements'] ?? []).flatMap((e: Tree) => this.values(e, scope)).slice(0, 16)
      case 'SubLink': {
        const query: Tree | undefined = n['subselect']?.SelectStmt
        if (n['subLinkType'] === 'EXISTS_SUBLINK') return this.#booleanValues(inner, scope)
        if (!query) break
        return this.select(query, scope)
          .flatMap((s) => under(s.when, this.values(s.target, s.scope)))
          .slice(0, 32)
      }
      case 'BoolExpr':
      case 'NullTest':
      case 'BooleanTest':
        return this.#booleanValues(inner, scope)
      case 'FuncCall':
        return this.#call(n, scope)
      // `make_interval(days => p_days)`
      case 'NamedArgExpr':
        return this.values(n['arg'], scope)
      case 'A_Expr': {
        const name = names(n['name']).at(-1) ?? ''
        if (n['kind'] === 'AEXPR_NULLIF') return this.values(n['lexpr'], scope)
        const left = n['lexpr'] ? this.values(n['lexpr'], scope) : []
        if (['->', '->>', '#>', '#>>'].includes(name)) {
          const key = pathText(n['rexpr'])
          return left.map((v) => ({ term: member(v.term, key), when: v.when }))
        }
        const right = n['rexpr'] ? this.values(n['rexpr'], scope) : []
        if (!left.length || !right.length)
          return (left.length ? left : right).map((v) => ({ term: { t: 'expression', name, of: [v.term] } as Term, when: v.when }))
        return left
          .flatMap((l) => right.map((r) => ({ term: { t: 'expression', name, of: [l.term, r.term] } as Term, when: both(l.when, r.when) })))
          .slice(0, 32)
      }
      default:
        break
    }
    return only({ t: 'unknown', because: kind || 'nothing' })
  }

  /** A condition kept in a variable (`SELECT EXISTS (…) INTO found`): each truth value under the ways that lead to it. */
  #booleanValues(node: Tree | undefined, scope: Scope): Alternatives {
    const alternatives = [
      { term: { t: 'const', value: true } as Term, when: this.truth(node, scope) },
      { term: { t: 'const', value: false } as Term, when: this.truth(node, scope, false) },
      { term: { t: 'const', value: null } as Term, when: this.nullWays(node, scope) },
    ]
    return alternatives.filter((v) => v.when.length > 0)
  }

  #indirection(n: Tree, scope: Scope): Alternatives {
    const index = constant(n['indirection']?.[0]?.A_Indices?.uidx)
    return this.values(n['arg'], scope).map((v) => ({
      term:
        index === undefined || v.term.t !== 'expression'
          ? member(v.term, String(index ?? names(n['indirection']).at(-1) ?? ''))
          : { ...v.term, name: `${v.term.name}[${index}]` },
      when: v.when,
    }))
  }

  #column(parts: readonly string[], scope: Scope): Alternatives {
    const last = parts.at(-1) as string
    if (parts.length === 1 || parts.length === 2) {
      const owner = this.#variable(parts, scope)
      if (owner) return owner
    }
    const found = findColumn(scope, parts)
    if (!found) {
      // the alias of a function or sub-query in FROM, used as a value (`unnest(ids) id`)
      const whole = wholeRow(scope, last)
      return whole ?? [{ term: { t: 'unknown', because: `column ${parts.join('.')}` }, when: ALWAYS }]
    }
    const derived = found.frame.derived?.get(found.column) ?? found.frame.derived?.get('*') ?? (found.column === '*' ? rowOf(found.frame) : undefined)
    if (derived) return derived
    if (found.column === 'raw_user_meta_data') return [{ term: { t: 'caller', part: 'user', path: '' }, when: ALWAYS }]
    return [{ term: { t: 'column', instance: found.frame.instance, column: found.column }, when: ALWAYS }]
  }

  #variable(parts: readonly string[], scope: Scope): Alternatives | undefined {
    // a column wins over an argument of the same name in SQL functions; in plpgsql such a name is ambiguous
    if (parts.length === 1) {
      const variable = scope.variables.get(parts[0] as string)
      const column = findColumn(scope, parts)
      return variable && !(column && (column.frame.columns?.includes(parts[0] as string) || column.frame.derived)) ? variable.value : undefined
    }
    const [name, field] = parts as [string, string]
    if (scope.frames.some((f) => f.alias === name)) return undefined
    const variable = scope.variables.get(name)
    if (variable) {
      const named = variable.fields?.get(field)
      if (named) return named
      if (variable.record)
        return this.#column([field], { frames: variable.record, variables: NO_VARIABLES, inside: scope.inside }).map((v) => ({
          ...v,
          when: both(v.when, variable.value[0]?.when ?? ALWAYS),
        }))
      return variable.value.map((v) => ({ ...v, term: member(v.term, field) }))
    }
    // `function_name.argument`
    return scope.inside.some((f) => f.endsWith(`.${name}`)) ? scope.variables.get(field)?.value : undefined
  }

  #call(n: Tree, scope: Scope): Alternatives {
    const path = names(n['funcname'])
    const name = path.join('.').replace(/^pg_catalog\./, '')
    const args: readonly Tree[] = n['args'] ?? []
    const caller = callerFunction(name, args)
    if (caller) return [{ term: caller, when: ALWAYS }]
    const inlined = this.#inlineValues(n, scope)
    if (inlined) return inlined
    if (isTotal(name)) return [{ term: { t: 'expression', name, of: args[0] ? this.values(args[0], scope).map((v) => v.term) : [] }, when: ALWAYS }]
    if (AGGREGATES.has(name)) return this.values(args[0], scope)
    if (
      [
        'nullif',
        'any_value',
        'unnest',
        'to_jsonb',
        'to_json',
        'jsonb_array_elements_text',
        'json_array_elements_text',
        'jsonb_array_elements',
        'array_agg',
      ].includes(name)
    )
      return this.values(args[0], scope)
    if (['jsonb_extract_path_text', 'jsonb_extract_path', 'json_extract_path_text'].includes(name)) {
      const keys = args
        .slice(1)
        .map((a) => String(constant(uncast(a)) ?? ''))
        .join('.')
      return this.values(args[0], scope).map((v) => ({ term: member(v.term, keys), when: v.when }))
    }
    if (this.world.missing(path.at(-1) ?? '')) return [{ term: { t: 'unknown', because: `function ${name} is not defined in the repository` }, when: ALWAYS }]
    return this.#applied(name, args, scope)
  }

  /** `coalesce(auth.jwt() ->> 'email', '')`: the empty text stands there only where nothing before it does. */
  #firstPresent(args: readonly Tree[], scope: Scope): Alternatives {
    let before = ALWAYS
    return args.flatMap((arg) => {
      const values = this.values(arg, scope)
      const missing = before
      before = both(before, this.nullWays(arg, scope))
      return values.map((v) => (v.term.t === 'const' && v.term.value === '' ? { ...v, when: both(v.when, missing) } : v))
    })
  }

  /** A function or operator of values that are kept apart. */
  #applied(name: string, args: readonly Tree[], scope: Scope): Alternatives {
    let terms: { of: Term[]; when: Ways }[] = [{ of: [], when: ALWAYS }]
    for (const arg of args.slice(0, 8)) {
      const values = this.values(arg, scope)
      terms = terms.flatMap((t) => values.map((v) => ({ of: [...t.of, v.term], when: both(t.when, v.when) }))).slice(0, 16)
    }
    return terms.map((t) => {
      const [only] = t.of
      // an empty text is empty in lower case as well
      if (t.of.length === 1 && only?.t === 'const' && only.value === '' && /^(lower|upper|trim|btrim)$/.test(name)) return { term: only, when: t.when }
      return { term: { t: 'expression', name, of: t.of }, when: t.when }
    })
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
  #open(n: Tree, scope: Scope): readonly Result[] | undefined {
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

  #inlineTruth(n: Tree, scope: Scope, want: boolean): Ways | undefined {
    const results = this.#open(n, scope)
    return results && this.#either(results.map((r) => both(r.when, this.truth(r.target, r.scope, want))))
  }

  #inlineValues(n: Tree, scope: Scope): Alternatives | undefined {
    const results = this.#open(n, scope)
    return results?.flatMap((r) => under(r.when, this.values(r.target, r.scope))).slice(0, 32)
  }

  /** Opens a SELECT: per branch of a UNION the scope of its target list, its first target, and the ways in which it yields a row. */
  select(
    query: Tree,
    scope: Scope,
  ): readonly { readonly target: Tree | undefined; readonly scope: Scope; readonly when: Ways; readonly targets: readonly Tree[] }[] {
    const ctes = new Map(scope.ctes ?? [])
    for (const cte of query['withClause']?.ctes ?? []) {
      const c = cte.CommonTableExpr
      if (c?.ctequery?.SelectStmt) ctes.set(c.ctename, c.ctequery.SelectStmt)
    }
    if (query['larg'] && query['rarg']) {
      const inner = { ...scope, ctes }
      return [...this.select(query['larg'], inner), ...this.select(query['rarg'], inner)].slice(0, 16)
    }
    if (query['valuesLists']) {
      return query['valuesLists'].slice(0, 16).map((v: Tree) => ({ target: v['List']?.items?.[0], targets: [], scope, when: ALWAYS }))
    }
    const frames: Frame[] = []
    const inner: Scope = { frames, outer: scope, variables: scope.variables, inside: scope.inside, ctes }
    let when = ALWAYS
    for (const item of query['fromClause'] ?? []) when = both(when, this.from(item, inner, frames))
    if (query['whereClause']) when = both(when, this.truth(query['whereClause'], inner))
    const targets: readonly Tree[] = query['targetList'] ?? []
    return [{ target: targets[0]?.['ResTarget']?.val, targets, scope: inner, when }]
  }

  /** Adds a FROM item to `frames`; returns the ways in which it yields a row. */
  from(item: Tree, scope: Scope, frames: Frame[]): Ways {
    const [kind, n] = kindOf(item)
    if (kind === 'JoinExpr') {
      const left = this.from(n['larg'], scope, frames)
      const right = this.from(n['rarg'], scope, frames)
      const sides = n['jointype'] === 'JOIN_LEFT' ? left : n['jointype'] === 'JOIN_RIGHT' ? right : both(left, right)
      let ways = sides
      if (n['quals']) ways = both(ways, this.truth(n['quals'], scope))
      const [a, b] = [frames.at(-2), frames.at(-1)]
      for (const column of names(n['usingClause'])) {
        if (a && b) ways = both(ways, this.compare('=', { t: 'column', instance: a.instance, column }, { t: 'column', instance: b.instance, column }))
      }
      return ways
    }
    const alias = n['alias']?.aliasname
    if (kind === 'RangeVar') {
      const cte = n['schemaname'] ? undefined : scope.ctes?.get(n['relname'])
      if (cte) return this.#derive(cte, alias ?? n['relname'], { ...scope, frames: [], ctes: withoutItself(scope.ctes, n['relname'], cte) }, frames)
      const table = this.world.table(n['schemaname'], n['relname'])
      const view = scope.inside.includes(table) ? undefined : this.world.view(table)
      if (view) return this.#derive(view, alias ?? n['relname'], { frames: [], variables: NO_VARIABLES, inside: [...scope.inside, table] }, frames)
      const frame = this.frame(table, alias ?? n['relname'], alias ? undefined : splitName(table)[0], scope.inside)
      frames.push(frame)
      return [[{ a: 'exists', instance: frame.instance }]]
    }
    if (kind === 'RangeSubselect')
      return this.#derive(n['subquery']?.SelectStmt ?? {}, alias ?? '', { ...scope, frames: n['lateral'] ? scope.frames : [] }, frames)
    if (kind === 'RangeFunction') {
      const call: Tree = n['functions']?.[0]?.List?.items?.[0]?.FuncCall ?? {}
      const fn = this.functionOf(call)
      const name = alias ?? names(call['funcname']).at(-1) ?? ''
      const opened = this.#open(call, scope)
      // a function that returns one value yields one row, whatever it returns; one that returns a set may yield none
      const set = fn ? /^(setof|table)/i.test(fn.returns) : true
      const values = opened?.flatMap((o) => under(o.when, this.values(o.target, o.scope))) ?? this.#call(call, scope)
      const instance = this.#add()
      const rows = opened?.filter((o) => o.targets) ?? []
      const columns = (fn?.outputs ?? []).flatMap((column, i) => {
        if (!rows.length || !rows.every((o) => o.targets?.[i])) return []
        const given = rows.flatMap((o) => under(o.when, this.values(o.targets?.[i]?.['ResTarget']?.val, o.scope)))
        return [[column, given.slice(0, 16)] as const]
      })
      frames.push({ alias: name, instance, derived: new Map([['*', values], [name, values], ...columns]) })
      if (!set) return ALWAYS
      return opened?.length ? opened.reduce<Ways>((ways, o) => either(ways, o.when), NEVER) : [[{ a: 'exists', instance }]]
    }
    return [[{ a: 'unknown', because: `${kind} in FROM` }]]
  }

  #derive(query: Tree, alias: string, scope: Scope, frames: Frame[]): Ways {
    const found = this.select(query, scope)
    const union = found.length > 1
    const id = union ? this.fresh() : 0
    const selects = union ? found.map((s, i) => ({ ...s, when: both([[{ a: 'branch', union: id, query: i }]], s.when) })) : found
    const derived = new Map<string, Alternatives>()
    // the columns of a UNION are called as in its first query, and each value comes with the query that it is from
    const called: (string | undefined)[] = []
    for (const s of selects) {
      s.targets.forEach((target, i) => {
        const t: Tree = target['ResTarget'] ?? {}
        const parts = columnParts(t['val'])
        if (parts.at(-1) === '*') {
          for (const frame of s.scope.frames.filter((f) => parts.length === 1 || f.alias === parts.at(-2))) {
            for (const column of frame.columns ?? []) derived.set(column, [{ term: { t: 'column', instance: frame.instance, column }, when: ALWAYS }])
            for (const [column, values] of frame.derived ?? []) derived.set(column, values)
          }
          return
        }
        const name = called[i] ?? t['name'] ?? parts.at(-1) ?? names(uncast(t['val'])?.['FuncCall']?.funcname).at(-1)
        called[i] = name
        if (!name) return
        const values = this.values(t['val'], s.scope).map((v) => ({
          term: query['groupClause'] ? grouped(v.term) : v.term,
          when: union ? both(s.when, v.when) : v.when,
        }))
        derived.set(name, [...(derived.get(name) ?? []), ...values])
      })
    }
    frames.push({ alias, instance: this.#add(), derived })
    return this.#either(selects.map((s) => s.when))
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

/** The API always sets a role. */
function isNeverNull(term: Term): boolean {
  return term.t === 'caller' && (term.part === 'role' || term.part === 'jwt' || term.part === 'database-role')
}

function isAggregate(target: Tree | undefined): boolean {
  const name = names(uncast(target)?.['FuncCall']?.funcname).at(-1)
  return name !== undefined && AGGREGATES.has(name)
}

function splitName(table: string): [string, string] {
  const dot = table.indexOf('.')
  return [table.slice(0, dot), table.slice(dot + 1)]
}

/** What names mean inside a CTE: its own name, in a recursive one, the rows that the recursion begins with. */
function withoutItself(map: ReadonlyMap<string, Tree> | undefined, name: string, query: Tree): ReadonlyMap<string, Tree> {
  const copy = new Map(map ?? [])
  if (query['larg'] && query['rarg']) copy.set(name, query['larg'])
  else copy.delete(name)
  return copy
}

function wholeRow(scope: Scope, alias: string): Alternatives | undefined {
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const frame = at.frames.find((f) => f.alias === alias)
    if (frame) return frame.derived ? rowOf(frame) : [{ term: { t: 'column', instance: frame.instance, column: '*' }, when: ALWAYS }]
  }
  return undefined
}

/** Every column of a sub-query, a view or a function's result. */
function rowOf({ derived }: Frame): Alternatives | undefined {
  return derived && (derived.get('*') ?? (derived.size ? [...derived.values()].flat().slice(0, 32) : undefined))
}

/** Values that only hold where something else does. */
const under = (when: Ways, values: Alternatives): Alternatives => values.map((v) => ({ term: v.term, when: both(when, v.when) }))
