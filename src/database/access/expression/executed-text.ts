import type { KnownFunction, World } from './scope.ts'
import { columnParts, kindAndFields, type Tree, uncast } from './tree.ts'
import { type Holds, isInertType, TextReader, type Unquoted, without } from './unquoted.ts'

/** What a PL/pgSQL function makes of its parameters in the text that it executes. */
export type ExecutedText = Unquoted | 'not parsed'

/** More statements than this, loops counted twice, are not followed. */
const MAX_STEPS = 4000

/**
 * The parameter that a function's EXECUTE (`FOR … IN EXECUTE`, `RETURN QUERY EXECUTE` and `OPEN … FOR EXECUTE` too) runs unquoted, as the
 * parse trees of the body and of its expressions show; undefined when there is none.
 */
export function executedText(world: World, fn: KnownFunction, enums: ReadonlySet<string>): ExecutedText | undefined {
  if (fn.language !== 'plpgsql' || !/\bexecute\b/i.test(fn.body)) return undefined
  const parsed: Tree | undefined = world.parseBody(fn)?.['plpgsql_funcs']?.[0]?.PLpgSQL_function
  if (!parsed) return 'not parsed'
  const given = new Map<string, Unquoted>()
  fn.args.forEach((arg, i) => {
    if (isInertType(arg.type) || enums.has(arg.type)) return
    const held: Unquoted = { parameter: arg.name ?? `$${i + 1}`, how: 'whole statement' }
    given.set(`$${i + 1}`, held)
    if (arg.name) given.set(arg.name, held)
  })
  return given.size ? new Executions(world, fn, parsed, given).first() : undefined
}

/** Follows the statements of one body with what its variables hold; a branch that raises or returns takes what it established along. */
class Executions {
  readonly #world: World
  readonly #reader: TextReader
  readonly #body: Tree
  readonly #datums: readonly Tree[]
  readonly #given: Holds
  /** What was held where a loop was left early. */
  #left: Holds[] = []
  #found: Unquoted | undefined
  #steps = 0

  constructor(world: World, fn: KnownFunction, body: Tree, given: Holds) {
    this.#world = world
    this.#reader = new TextReader(world, fn.name)
    this.#body = body
    this.#datums = body['datums'] ?? []
    this.#given = given
  }

  first(): Unquoted | undefined {
    let holds = this.#given
    this.#datums.forEach((datum, varno) => {
      const initial: Tree | undefined = datum['PLpgSQL_var']?.default_val
      if (initial) holds = this.#assign(varno, this.#value(initial, holds), holds)
    })
    this.#statements([this.#body['action']], holds)
    return this.#found
  }

  /** What is held after the statements; undefined when they do not let the function go on. */
  #statements(list: readonly Tree[] | undefined, start: Holds): Holds | undefined {
    let holds: Holds | undefined = start
    for (const statement of list ?? []) {
      if (!holds || this.#found || ++this.#steps > MAX_STEPS) return holds
      holds = this.#statement(statement, holds)
    }
    return holds
  }

  #statement(node: Tree, holds: Holds): Holds | undefined {
    const [kind, n] = kindAndFields(node)
    switch (kind) {
      case 'PLpgSQL_stmt_block':
        return this.#block(n, holds)
      case 'PLpgSQL_stmt_if':
        return this.#if(n, holds)
      case 'PLpgSQL_stmt_case':
        return this.#case(n, holds)
      case 'PLpgSQL_stmt_loop':
      case 'PLpgSQL_stmt_fori':
        return this.#loop(n, holds)
      case 'PLpgSQL_stmt_while':
        return this.#loop(n, without(holds, this.#reader.established(this.#tree(n['cond']), true, holds)))
      case 'PLpgSQL_stmt_foreach_a':
        return this.#loop(n, this.#assign(Number(n['varno']), this.#value(n['expr'], holds), holds))
      case 'PLpgSQL_stmt_dynfors':
        this.#execute(n['query'], holds)
        return this.#loop(n, this.#into(n['var'], [], holds))
      case 'PLpgSQL_stmt_fors':
        return this.#loop(n, this.#into(n['var'], this.#targets(n['query'], holds), holds))
      case 'PLpgSQL_stmt_exit':
        if (n['cond']) return holds
        this.#left.push(holds)
        return undefined
      case 'PLpgSQL_stmt_return':
        return undefined
      case 'PLpgSQL_stmt_raise':
        return Number(n['elog_level']) >= 21 ? undefined : holds
      case 'PLpgSQL_stmt_assign':
        return this.#assign(Number(n['varno']), this.#value(n['expr'], holds), holds)
      case 'PLpgSQL_stmt_execsql':
        return n['into'] ? this.#into(n['target'], this.#targets(n['sqlstmt'], holds), holds) : holds
      case 'PLpgSQL_stmt_dynexecute':
        this.#execute(n['query'], holds)
        return n['into'] ? this.#into(n['target'], [], holds) : holds
      case 'PLpgSQL_stmt_return_query':
      case 'PLpgSQL_stmt_open':
        if (n['dynquery']) this.#execute(n['dynquery'], holds)
        return holds
      default:
        return holds
    }
  }

  #execute(text: Tree | undefined, holds: Holds): void {
    this.#found ??= this.#value(text, holds)
  }

  #block(n: Tree, holds: Holds): Holds | undefined {
    const after = this.#statements(n['body'], holds)
    const handlers: readonly Tree[] = n['exceptions']?.PLpgSQL_exception_block?.exc_list ?? []
    const caught = after ? merged([holds, after]) : holds
    return joined([after, ...handlers.map((h) => this.#statements(h['PLpgSQL_exception']?.action, caught))])
  }

  #if(n: Tree, holds: Holds): Holds | undefined {
    const branches = [
      { cond: n['cond'], body: n['then_body'] },
      ...(n['elsif_list'] ?? []).map((e: Tree) => ({ cond: e['PLpgSQL_if_elsif']?.cond, body: e['PLpgSQL_if_elsif']?.stmts })),
    ]
    const ends: (Holds | undefined)[] = []
    let left = holds
    for (const { cond, body } of branches) {
      const condition = this.#tree(cond)
      ends.push(this.#statements(body, without(left, this.#reader.established(condition, true, left))))
      left = without(left, this.#reader.established(condition, false, left))
    }
    return joined([...ends, this.#statements(n['else_body'], left)])
  }

  /** `CASE p WHEN 'a' THEN`: the parser compares a variable of its own in place of `p`. */
  #case(n: Tree, holds: Holds): Holds | undefined {
    const own: string | undefined = this.#datums[Number(n['t_varno'])]?.['PLpgSQL_var']?.refname
    const [compared] = columnParts(uncast(this.#tree(n['t_expr'])))
    const ends: (Holds | undefined)[] = []
    let left = holds
    const known = (cond: Tree | undefined, truth: boolean): readonly string[] =>
      this.#reader.established(cond, truth, left).map((name) => (name === own && compared !== undefined ? compared : name))
    for (const arm of n['case_when_list'] ?? []) {
      const when: Tree = arm.PLpgSQL_case_when ?? {}
      const condition = this.#tree(when['expr'])
      ends.push(this.#statements(when['stmts'], without(left, known(condition, true))))
      left = without(left, known(condition, false))
    }
    // without ELSE, what matches nothing is an error
    return joined([...ends, n['have_else'] || n['else_stmts'] ? this.#statements(n['else_stmts'], left) : undefined])
  }

  /** Twice: what one round leaves in a variable is there in the next. */
  #loop(n: Tree, holds: Holds): Holds | undefined {
    const outer = this.#left
    this.#left = []
    const once = this.#statements(n['body'], holds)
    const before = once ? merged([holds, once]) : holds
    const again = this.#statements(n['body'], before)
    const after = joined([before, again, ...this.#left])
    this.#left = outer
    return after
  }

  #assign(varno: number, value: Unquoted | undefined, holds: Holds): Holds {
    const datum: Tree = this.#datums[varno] ?? {}
    const field: Tree | undefined = datum['PLpgSQL_recfield']
    if (field) {
      const record: string | undefined = this.#datums[Number(field['recparentno'])]?.['PLpgSQL_rec']?.refname
      return record !== undefined && value ? new Map(holds).set(record, value) : holds
    }
    const [, variable] = kindAndFields(datum)
    const type = String(variable['datatype']?.PLpgSQL_type?.typname ?? '')
    return this.#set(variable['refname'], isInertType(type.replace(/^pg_catalog\./, '')) ? undefined : value, holds)
  }

  #set(name: string | undefined, value: Unquoted | undefined, holds: Holds): Holds {
    if (name === undefined) return holds
    return value ? new Map(holds).set(name, value) : without(holds, [name])
  }

  #into(target: Tree | undefined, values: readonly (Unquoted | undefined)[], holds: Holds): Holds {
    const record: string | undefined = target?.['PLpgSQL_rec']?.refname
    if (record !== undefined)
      return this.#set(
        record,
        values.find((v) => v !== undefined),
        holds,
      )
    let after = holds
    ;(target?.['PLpgSQL_row']?.fields ?? []).forEach((field: Tree, i: number) => {
      after = this.#assign(Number(field['varno']), values[i], after)
    })
    return after
  }

  #value(node: Tree | undefined, holds: Holds): Unquoted | undefined {
    return this.#reader.unquoted(this.#tree(node), holds)
  }

  #targets(node: Tree | undefined, holds: Holds): readonly (Unquoted | undefined)[] {
    return this.#reader.targets(this.#world.parse(String(node?.['PLpgSQL_expr']?.query ?? '')).stmts?.[0]?.stmt['SelectStmt'], holds)
  }

  /** The parse tree of an expression; of an assignment, what is assigned. */
  #tree(node: Tree | undefined): Tree | undefined {
    const expr: Tree = node?.['PLpgSQL_expr'] ?? {}
    const text = String(expr['query'] ?? '')
    const assigns = Number(expr['parseMode']) >= 3
    const value = assigns ? text.slice(text.indexOf('=') + 1) : text
    return this.#world.parse(`select ${value}`).stmts?.[0]?.stmt['SelectStmt']?.targetList?.[0]?.ResTarget?.val
  }
}

function merged(all: readonly Holds[]): Holds {
  return new Map(all.flatMap((h) => [...h]))
}

function joined(ends: readonly (Holds | undefined)[]): Holds | undefined {
  const open = ends.filter((e) => e !== undefined)
  return open.length ? merged(open) : undefined
}
