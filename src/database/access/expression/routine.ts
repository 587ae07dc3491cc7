import { expression, expressionOf, parseAll, queryOf, unconditionalCalls } from './body-text.ts'
import { isChosenText, textsOf } from './dynamic-sql.ts'
import type { Evaluator, ReturnsOf } from './evaluate.ts'
import { into } from './into-variables.ts'
import { ALWAYS, both, either, isTooMany, NEVER, type Ways } from './predicate.ts'
import type { Alternatives, Frame, KnownFunction, Scope, Variable } from './scope.ts'
import { isSecretArgument } from './secret-arguments.ts'
import { type Effect, type Recorder, recordStatement, type State } from './statement-effects.ts'
import { kindAndFields, type Tree } from './tree.ts'
import { joinScopes, withColumns } from './variables.ts'

/** What a function does: changes, results, and text that it executes. */
export interface Routine {
  /** The ways in which it comes to its end instead of raising an exception. */
  readonly completes: Ways
  readonly effects: readonly Effect[]
  readonly returns: readonly { readonly when: Ways; readonly expression?: Tree; readonly query?: Tree; readonly scope: Scope }[]
  /** Dynamic SQL whose text is not known. */
  readonly dynamic: readonly Ways[]
  /** Dynamic SQL of which the caller writes a part. */
  readonly chosen: readonly Ways[]
}

/** RETURNs of a plpgsql function, for inlining. */
export const returnsOf: ReturnsOf = (evaluator, fn, body, scope) => readPlPgSql(evaluator, fn, body, scope).returns

/** The scope of a function that is called with arguments of which nothing is known but their names and positions. */
export function scopeOfCall(fn: KnownFunction): Scope {
  const variables = new Map<string, Variable>()
  fn.args.forEach((arg, i) => {
    const value = [{ term: { t: 'argument' as const, name: arg.name ?? `$${i + 1}` }, when: ALWAYS }]
    variables.set(`$${i + 1}`, { value })
    if (arg.name) variables.set(arg.name, { value })
  })
  return { frames: [], variables, inside: [`${fn.schema}.${fn.name}`] }
}

/** Reads a whole function, whatever its language; undefined when its body cannot be read. */
export function readRoutine(evaluator: Evaluator, fn: KnownFunction, scope: Scope): Routine | undefined {
  if (fn.language === 'plpgsql') {
    const body = evaluator.world.parseBody(fn)
    return body && readPlPgSql(evaluator, fn, body, scope)
  }
  if (fn.language !== 'sql') return undefined
  const out: Recorder = { effects: [], returns: [], dynamic: [], chosen: [], left: [] }
  const statements = parseAll(evaluator, fn.body)
  if (!statements) return undefined
  statements.forEach((statement, i) => {
    recordStatement(evaluator, statement, { path: ALWAYS, scope }, out)
    followCalls(evaluator, statement, { path: ALWAYS, scope }, out)
    if (i === statements.length - 1 && statement['SelectStmt']) out.returns.push({ when: ALWAYS, query: statement['SelectStmt'], scope })
  })
  return { ...out, completes: ALWAYS }
}

function readPlPgSql(evaluator: Evaluator, source: KnownFunction, body: Tree, scope: Scope): Routine {
  const out: Recorder = { effects: [], returns: [], dynamic: [], chosen: [], left: [] }
  const fn: Tree = body['plpgsql_funcs']?.[0]?.PLpgSQL_function ?? {}
  const datums: readonly Tree[] = fn['datums'] ?? []
  const variables = new Map(scope.variables)
  for (const datum of datums) {
    const v: Tree = datum['PLpgSQL_var'] ?? datum['PLpgSQL_rec'] ?? {}
    const name: string | undefined = v['refname']
    if (!name || variables.has(name) || name === 'found') continue
    const initial = v['default_val']?.PLpgSQL_expr?.query
    const value: Alternatives = initial
      ? evaluator.values(expression(evaluator, initial), { ...scope, variables })
      : [{ term: { t: 'const', value: null }, when: ALWAYS }]
    variables.set(name, { value })
  }
  const walker = new Walker(evaluator, out, datums, source)
  const end = walker.statements([fn['action']], { path: ALWAYS, scope: { ...scope, variables } })
  const completes = out.returns.map((r) => r.when).reduce(either, NEVER)
  return { ...out, completes: [...out.left, ...(end ? [end.path] : [])].reduce(either, completes) }
}

/** Follows the statements of a body; conditions are kept where a branch ends the function. */
class Walker {
  readonly #evaluator: Evaluator
  readonly #out: Recorder
  readonly #datums: readonly Tree[]
  readonly #lines: readonly string[]
  readonly #outputs: ReadonlySet<string>
  #steps = 0

  constructor(evaluator: Evaluator, out: Recorder, datums: readonly Tree[], source: KnownFunction) {
    this.#evaluator = evaluator
    this.#out = out
    this.#datums = datums
    this.#lines = source.body.split('\n')
    this.#outputs = new Set(source.outputs)
  }

  /** State after the statements; undefined when none of them lets the function go on. */
  statements(list: readonly Tree[] | undefined, start: State): State | undefined {
    let state: State | undefined = start
    for (const statement of list ?? []) {
      if (!state || ++this.#steps > 2000) return state
      state = this.#statement(statement, state)
    }
    return state
  }

  #statement(node: Tree, state: State): State | undefined {
    const [kind, n] = kindAndFields(node)
    switch (kind) {
      case 'PLpgSQL_stmt_block':
        return this.#block(n, state)
      case 'PLpgSQL_stmt_if':
        return this.#if(n, state)
      case 'PLpgSQL_stmt_case':
        return this.#case(n, state)
      case 'PLpgSQL_stmt_loop':
      case 'PLpgSQL_stmt_while':
      case 'PLpgSQL_stmt_fori':
      case 'PLpgSQL_stmt_foreach_a':
      case 'PLpgSQL_stmt_forc':
        return { ...state, scope: this.statements(n['body'], state)?.scope ?? state.scope }
      case 'PLpgSQL_stmt_dynfors':
        this.#execute(n, state)
        this.statements(n['body'], state)
        return state
      case 'PLpgSQL_stmt_fors':
        return this.#forQuery(n, state)
      case 'PLpgSQL_stmt_return': {
        const result = expressionOf(this.#evaluator, n['expr']) ?? this.#variableReturned(n, state)
        followCalls(this.#evaluator, result, state, this.#out)
        if (result) this.#out.returns.push({ when: state.path, expression: result, scope: state.scope })
        else {
          this.#out.left.push(state.path)
          this.#returnOutputs(state)
        }
        return undefined
      }
      case 'PLpgSQL_stmt_return_next':
        if (n['expr'])
          this.#out.returns.push({ when: state.path, expression: expressionOf(this.#evaluator, n['expr']), scope: state.scope } as Recorder['returns'][number])
        else this.#returnOutputs(state)
        return state
      case 'PLpgSQL_stmt_return_query': {
        const query = queryOf(this.#evaluator, n['query'])
        if (query?.['SelectStmt']) this.#out.returns.push({ when: state.path, query: query['SelectStmt'], scope: state.scope })
        if (query) recordStatement(this.#evaluator, query, state, this.#out)
        followCalls(this.#evaluator, query, state, this.#out)
        if (n['dynquery']) for (const q of this.#execute({ ...n, query: n['dynquery'] }, state)) this.#out.returns.push({ when: state.path, ...q })
        return state
      }
      case 'PLpgSQL_stmt_raise':
        return Number(n['elog_level']) >= 21 ? undefined : state
      case 'PLpgSQL_stmt_assign':
        return this.#assign(n, state)
      case 'PLpgSQL_stmt_execsql':
      case 'PLpgSQL_stmt_perform':
      case 'PLpgSQL_stmt_call':
        return this.#query_(n, state)
      case 'PLpgSQL_stmt_dynexecute':
        this.#execute(n, state)
        return {
          ...state,
          scope: { ...state.scope, variables: n['into'] ? into(this.#evaluator, n['target'], state.scope, undefined) : state.scope.variables },
        }
      default:
        return state
    }
  }

  #block(n: Tree, state: State): State | undefined {
    const handlers: readonly Tree[] = (n['exceptions']?.PLpgSQL_exception_block?.exc_list ?? []).map((h: Tree) => h['PLpgSQL_exception'] ?? {})
    const { returns, left, effects } = this.#out
    const before = [returns.length, left.length] as const
    const after = this.statements(n['body'], state)
    // whoever gets to the end, or out by a RETURN, is who the block refused nothing
    const out = [...returns.slice(before[0]).map((r) => r.when), ...left.slice(before[1]), ...(after ? [after.path] : [])]
    const through = { path: out.length ? out.reduce(either, NEVER) : state.path, scope: after?.scope ?? state.scope }
    const refuses = through.path !== state.path
    let end = after
    for (const handler of handlers) {
      const catches = (handler['conditions'] ?? []).some((c: Tree) => REFUSAL_CONDITIONS.has(String(c['PLpgSQL_condition']?.condname)))
      const [first, ended] = [effects.length, returns.length + left.length]
      const handled = this.statements(handler['action'], { path: (catches ? state : through).path, scope: state.scope })
      // what ends by an exception undoes what it did
      if (!handled && returns.length + left.length === ended) effects.length = first
      else if (catches && refuses) for (const [i, e] of effects.entries()) if (i >= first) effects[i] = { ...e, refused: true }
      // a handler that goes on forgives what the block refused
      if (handled) end = { path: catches ? state.path : (end?.path ?? through.path), scope: through.scope }
    }
    return end
  }

  #if(n: Tree, state: State): State | undefined {
    const branches = [
      { cond: n['cond'], body: n['then_body'] },
      ...(n['elsif_list'] ?? []).map((e: Tree) => ({ cond: e['PLpgSQL_if_elsif']?.cond, body: e['PLpgSQL_if_elsif']?.stmts })),
    ]
    return this.#branch(branches, n['else_body'] ?? [], state)
  }

  /** `CASE state WHEN 'new' THEN … END CASE`: the parser asks each arm of a variable that holds the value. Without an ELSE, no arm is an exception. */
  #case(n: Tree, state: State): State | undefined {
    const branches = (n['case_when_list'] ?? []).map((arm: Tree) => ({ cond: arm['PLpgSQL_case_when']?.expr, body: arm['PLpgSQL_case_when']?.stmts }))
    const asked: string | undefined = n['t_expr'] ? this.#datums[Number(n['t_varno'])]?.['PLpgSQL_var']?.refname : undefined
    const variables = new Map(state.scope.variables)
    if (asked) variables.set(asked, { value: this.#evaluator.values(expressionOf(this.#evaluator, n['t_expr']), state.scope) })
    return this.#branch(branches, n['have_else'] ? (n['else_stmts'] ?? []) : undefined, { ...state, scope: { ...state.scope, variables } })
  }

  /** The first branch whose condition holds is taken, else the last one; undefined: then the function ends. */
  #branch(
    branches: readonly { readonly cond: Tree | undefined; readonly body: readonly Tree[] | undefined }[],
    otherwise: readonly Tree[] | undefined,
    state: State,
  ): State | undefined {
    let path = state.path
    let untaken = ALWAYS
    const goesOn: (State & { readonly taken: Ways })[] = []
    let ended = false
    let refusedInside = false
    for (const branch of branches) {
      const cond = expressionOf(this.#evaluator, branch.cond)
      const yes = this.#evaluator.truth(cond, state.scope)
      const entered = both(path, yes)
      const after = this.statements(branch.body, { path: entered, scope: state.scope })
      if (after) goesOn.push({ ...after, taken: both(untaken, yes) })
      // a branch that goes on in part has refused somebody inside
      if (after?.path !== entered) ended = true
      if (after && after.path !== entered) refusedInside = true
      const no = either(this.#evaluator.truth(cond, state.scope, false), this.#slips(cond, state.scope))
      // what is neither true nor false is NULL for everybody, and nobody goes in
      const not = yes.length || no.length ? no : ALWAYS
      path = both(path, not)
      untaken = both(untaken, not)
    }
    const last = otherwise && this.statements(otherwise, { path, scope: state.scope })
    if (last) goesOn.push({ ...last, taken: untaken })
    if (last?.path !== path) ended = true
    if (!goesOn.length) return undefined
    // nobody who calls from a browser takes a branch for the service role: what it leaves in variables is not there
    const possible = goesOn.filter((s) => s.taken.length > 0)
    const scope = joinScopes(state.scope, possible.length ? possible : goesOn)
    const paths = goesOn.map((s) => s.path).reduce(either, NEVER)
    return { path: ended && !(refusedInside && isTooMany(paths)) ? paths : state.path, scope }
  }

  /** Ways in which a condition is NULL for a caller who is not signed in, or who leaves out a secret that it asks for: IF takes NULL for false. */
  #slips(cond: Tree | undefined, scope: Scope): Ways {
    return this.#evaluator.nullWays(cond, scope).filter((way) => way.some((a) => a.a === 'null' && !a.not && (a.of.t === 'caller' || isSecretArgument(a.of))))
  }

  #forQuery(n: Tree, state: State): State {
    const query = queryOf(this.#evaluator, n['query'])?.['SelectStmt']
    const [first] = query ? this.#evaluator.select(query, state.scope) : []
    // one record, or one variable for each column
    const variables = first ? into(this.#evaluator, n['var'], state.scope, first) : new Map(state.scope.variables)
    const path = first ? both(state.path, first.when) : state.path
    this.statements(n['body'], { path, scope: { ...state.scope, variables } })
    return state
  }

  #assign(n: Tree, state: State): State {
    const text = String(n['expr']?.PLpgSQL_expr?.query ?? '')
    const name: string | undefined = (this.#datums[Number(n['varno'])]?.['PLpgSQL_var'] ?? this.#datums[Number(n['varno'])]?.['PLpgSQL_rec'])?.refname
    const at = text.indexOf(':=') >= 0 ? text.indexOf(':=') + 2 : text.indexOf('=') + 1
    const value = expression(this.#evaluator, text.slice(at))
    if (!name) return state
    const variables = new Map(state.scope.variables)
    const texts = textsOf(value, state.scope, this.#evaluator)
    variables.set(name, { value: this.#evaluator.values(value, state.scope), ...(texts.some((t) => /\s/.test(t.sql)) ? { texts } : {}) })
    return { ...followCalls(this.#evaluator, value, state, this.#out), scope: { ...state.scope, variables } }
  }

  #query_(n: Tree, state: State): State {
    const statement = queryOf(this.#evaluator, n['sqlstmt'] ?? n['expr'])
    if (!statement) return state
    const before = this.#out.effects.length
    recordStatement(this.#evaluator, statement, state, this.#out)
    const { path } = followCalls(this.#evaluator, statement, state, this.#out)
    const select = statement['SelectStmt']
    if (!select) {
      const effect = this.#out.effects[before]
      const returning: Tree[] = statement[kindAndFields(statement)[0]]?.returningList ?? statement[kindAndFields(statement)[0]]?.returningClause?.exprs ?? []
      const scope = { ...state.scope, ...(effect ? { found: effect.when } : {}) }
      if (!n['into'] || !effect || !returning.length) return { ...state, scope }
      const relation: Tree = statement[kindAndFields(statement)[0]]?.relation ?? {}
      const alias: string = relation['alias']?.aliasname ?? relation['relname'] ?? ''
      const frames: Frame[] = [{ alias, instance: effect.instance, ...withColumns(this.#evaluator, effect.table) }]
      return {
        ...state,
        scope: {
          ...scope,
          variables: into(this.#evaluator, n['target'], state.scope, {
            scope: { frames, variables: new Map(), inside: state.scope.inside },
            // the row is the one that the statement found, and so whoever's that is
            when: both(effect.when, effect.found ?? ALWAYS),
            targets: returning,
          }),
        },
      }
    }
    const selects = this.#evaluator.select(select, state.scope)
    const found = selects.map((s) => s.when).reduce(either, NEVER)
    const variables = n['into'] ? into(this.#evaluator, n['target'], state.scope, selects[0]) : state.scope.variables
    // INTO STRICT raises an exception where there is no row
    return { path: n['strict'] ? both(path, found) : path, scope: { ...state.scope, variables, found } }
  }

  /** Dynamic SQL: what can be known of its text is read like a statement of the body; gives the queries that it may be. */
  #execute(n: Tree, state: State): readonly { readonly query: Tree; readonly scope: Scope }[] {
    const queries: { query: Tree; scope: Scope }[] = []
    const given: readonly Alternatives[] = (n['params'] ?? []).map((p: Tree) => this.#evaluator.values(expressionOf(this.#evaluator, p), state.scope))
    for (const text of textsOf(expressionOf(this.#evaluator, n['query']), state.scope, this.#evaluator)) {
      const statements = parseAll(this.#evaluator, text.sql)
      if (!statements?.length) {
        ;(isChosenText(text) ? this.#out.chosen : this.#out.dynamic).push(state.path)
        continue
      }
      const variables = new Map(state.scope.variables)
      for (const [name, value] of text.values) variables.set(name, { value })
      for (const [i, value] of given.entries()) variables.set(`$${i + 1}`, { value })
      const inside: State = { ...state, scope: { ...state.scope, variables } }
      for (const statement of statements) {
        recordStatement(this.#evaluator, statement, inside, this.#out)
        followCalls(this.#evaluator, statement, inside, this.#out)
        if (statement['SelectStmt']) queries.push({ query: statement['SelectStmt'], scope: inside.scope })
      }
    }
    return queries
  }

  /** `RETURN result;`: the parser's tree does not say which variable it is, the line does. */
  #variableReturned(n: Tree, state: State): Tree | undefined {
    const name = /\breturn\s+"?(\w+)"?\s*;/i.exec(this.#lines[Number(n['lineno']) - 1] ?? '')?.[1]?.toLowerCase()
    return name !== undefined && state.scope.variables.has(name) ? { ColumnRef: { fields: [{ String: { sval: name } }] } } : undefined
  }

  /** A bare RETURN hands out what the parameters for it hold, not what the body has looked up for itself. */
  #returnOutputs(state: State): void {
    for (const [name, variable] of state.scope.variables) {
      if (this.#outputs.has(name) && variable.value.some((v) => v.term.t === 'column' || v.term.t === 'expression'))
        this.#out.returns.push({ when: state.path, expression: { ColumnRef: { fields: [{ String: { sval: name } }] } }, scope: state.scope })
    }
  }
}

/** Conditions of handlers that catch what a guard raises; others are of faults, which who was refused does not come to. */
const REFUSAL_CONDITIONS = new Set(['others', 'raise_exception', 'insufficient_privilege', 'invalid_authorization_specification', 'P0001', '42501', '28000'])

/** Words without which a function neither changes anything nor refuses anybody. */
const ACTS = /\b(insert|update|delete|execute|raise|perform|call|select)\b/i

/**
 * Functions that a statement calls: what they change is changed on the way, and what they refuse ends it. A guard in a function of its own
 * (`PERFORM assert_admin()`) is no different from one that is written out.
 */
function followCalls(evaluator: Evaluator, node: Tree | undefined, state: State, out: Recorder): State {
  let path = state.path
  for (const call of unconditionalCalls(node)) {
    const fn = evaluator.functionOf(call)
    const id = fn && `${fn.schema}.${fn.name}`
    if (!fn || !id || state.scope.inside.includes(id) || state.scope.inside.length > 4 || !ACTS.test(fn.body)) continue
    const inner = readRoutine(evaluator, fn, { frames: [], variables: evaluator.argumentsOf(fn, call, state.scope), inside: [...state.scope.inside, id] })
    if (!inner) continue
    for (const e of inner.effects) out.effects.push({ ...e, when: both(path, e.when) })
    for (const when of inner.chosen) out.chosen.push(both(path, when))
    if (/\braise\b/i.test(fn.body)) path = both(path, inner.completes)
  }
  return { ...state, path }
}
