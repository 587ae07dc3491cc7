import { admitsPlainTextOnly } from '../../../lib/plain-pattern.ts'
import { FORMAT_PLACE } from './dynamic-sql.ts'
import type { World } from './scope.ts'
import { columnParts, constantValue, kindAndFields, names, type Tree, uncast } from './tree.ts'

/** A parameter that stands in a text as it was given: nothing quotes it. */
export interface Unquoted {
  readonly parameter: string
  readonly how: 'concatenation' | 'format %s' | 'whole statement'
}

/** What the variables of a function hold of its parameters; a name that is absent holds nothing that could be SQL. */
export type Holds = ReadonlyMap<string, Unquoted>

/** Types whose text form cannot carry SQL. */
const INERT =
  /^(?:uuid|u?int\d*|integer|smallint|bigint|serial|numeric|decimal|real|double precision|boolean|bool|date|time|timestamp|timestamptz|interval|oid|regclass|regtype|regproc|money|float\d?)\b/i
/** Functions whose result is quoted, or a number, or the name of something that exists. */
const QUOTING = /^(?:quote_ident|quote_literal|quote_nullable|to_regclass|to_regtype|array_length|length|char_length|cardinality|position|md5|count)$/
const JOINING = new Set(['||', '->', '->>', '#>', '#>>'])
/** `[^a-z_]`: everything but plain characters. */
const ALL_BUT_PLAIN = /^\[\^(?:\w-\w|\w|\\w)+\]\+?$/

/** Whether values of a type are harmless in SQL text. */
export function isInertType(type: string): boolean {
  return INERT.test(type)
}

/** Reads expressions of PL/pgSQL: which parameter stands unquoted in the text that they give, and what conditions establish. */
export class TextReader {
  readonly #world: World
  readonly #function: string

  constructor(world: World, functionName: string) {
    this.#world = world
    this.#function = functionName
  }

  /** The parameter in the value of an expression; undefined when it is quoted, or none is in it. */
  unquoted(node: Tree | undefined, holds: Holds): Unquoted | undefined {
    const [kind, n] = kindAndFields(node)
    switch (kind) {
      case 'ColumnRef':
        return this.#variable(columnParts(node), holds)
      case 'ParamRef':
        return holds.get(`$${n['number']}`)
      case 'TypeCast':
        return isInertType(names(n['typeName']?.names).at(-1) ?? '') && !n['typeName']?.arrayBounds ? undefined : this.unquoted(n['arg'], holds)
      case 'CollateClause':
      case 'NamedArgExpr':
      case 'A_Indirection':
        return this.unquoted(n['arg'], holds)
      case 'A_Expr':
        return this.#operator(n, holds)
      case 'FuncCall':
        return this.#call(n, holds)
      case 'CaseExpr':
        return this.#case(n, holds)
      case 'CoalesceExpr':
      case 'MinMaxExpr':
      case 'RowExpr':
        return this.#any(n['args'], holds)
      case 'A_ArrayExpr':
        return this.#any(n['elements'], holds)
      case 'SubLink':
        return n['subLinkType'] === 'EXISTS_SUBLINK' ? undefined : this.targets(n['subselect']?.SelectStmt, holds).find((t) => t !== undefined)
      default:
        return undefined
    }
  }

  /** The same for each target of a query. */
  targets(select: Tree | undefined, holds: Holds): readonly (Unquoted | undefined)[] {
    if (!select) return []
    const inner = new Map(holds)
    for (const item of select['fromClause'] ?? []) {
      const f: Tree = item.RangeFunction ?? item.RangeSubselect ?? {}
      const given = item.RangeFunction
        ? this.unquoted(f['functions']?.[0]?.List?.items?.[0], holds)
        : this.targets(f['subquery']?.SelectStmt, holds).find((t) => t !== undefined)
      const called = [f['alias']?.Alias?.aliasname ?? f['alias']?.aliasname, ...names(f['alias']?.colnames)].filter((a) => a !== undefined)
      for (const name of called) {
        if (given) inner.set(name, given)
        else inner.delete(name)
      }
    }
    const known = select['whereClause'] ? this.established(select['whereClause'], true, inner) : []
    for (const name of known) inner.delete(name)
    return (select['targetList'] ?? []).map((t: Tree) => this.unquoted(t['ResTarget']?.val, inner))
  }

  /** Variables that hold one of a fixed set, or plain text only, once a condition has (not) come true. */
  established(condition: Tree | undefined, truth: boolean, holds: Holds): readonly string[] {
    const [kind, n] = kindAndFields(condition)
    if (kind === 'BoolExpr') {
      const args: readonly Tree[] = n['args'] ?? []
      if (n['boolop'] === 'NOT_EXPR') return this.established(args[0], !truth, holds)
      const each = args.map((a) => this.established(a, truth, holds))
      // all of the parts hold, or at least one does and nobody knows which
      if ((n['boolop'] === 'AND_EXPR') === truth) return each.flat()
      return (each[0] ?? []).filter((name) => each.every((e) => e.includes(name)))
    }
    if (kind === 'NullTest') {
      if ((n['nulltesttype'] === 'IS_NULL') === truth) return columnParts(uncast(n['arg'])).slice(0, 1)
      const [called, call] = kindAndFields(uncast(n['arg']))
      return called === 'FuncCall' && /^to_reg/.test(names(call['funcname']).at(-1) ?? '') ? columnParts(uncast(call['args']?.[0])).slice(0, 1) : []
    }
    if (kind === 'SubLink') return truth ? this.#exists(n, holds) : []
    return kind === 'A_Expr' ? this.#compared(n, truth, holds) : []
  }

  #variable(parts: readonly string[], holds: Holds): Unquoted | undefined {
    const [first, second] = parts
    if (first === undefined) return undefined
    return second !== undefined && first === this.#function ? holds.get(second) : holds.get(first)
  }

  #any(list: readonly Tree[] | undefined, holds: Holds): Unquoted | undefined {
    for (const node of list ?? []) {
      const found = this.unquoted(node, holds)
      if (found) return found
    }
    return undefined
  }

  #operator(n: Tree, holds: Holds): Unquoted | undefined {
    if (n['kind'] === 'AEXPR_NULLIF') return this.unquoted(n['lexpr'], holds)
    const operator = names(n['name']).at(-1) ?? ''
    if (n['kind'] !== 'AEXPR_OP' || !JOINING.has(operator)) return undefined
    if (operator !== '||') return this.unquoted(n['lexpr'], holds)
    return asPart(this.#any([n['lexpr'], n['rexpr']], holds))
  }

  #call(n: Tree, holds: Holds): Unquoted | undefined {
    const path = names(n['funcname'])
    const name = path.at(-1) ?? ''
    const args: readonly Tree[] = n['args'] ?? []
    if (QUOTING.test(name)) return undefined
    if (name === 'format') return this.#format(args, holds)
    if (name === 'regexp_replace' && ALL_BUT_PLAIN.test(String(constantValue(uncast(args[1])))) && String(constantValue(uncast(args[3]))).includes('g'))
      return undefined
    const declared = this.#world.functions(path.length > 1 ? path[0] : undefined, name, args.length)
    return declared && isInertType(declared.returns) ? undefined : asPart(this.#any(args, holds))
  }

  /** `format('… %s …', a, b)`: the argument that a `%s` takes. */
  #format(args: readonly Tree[], holds: Holds): Unquoted | undefined {
    const pattern = constantValue(uncast(args[0]))
    if (typeof pattern !== 'string') return this.#any(args, holds)
    let next = 1
    for (const [, numbered, kind] of pattern.matchAll(FORMAT_PLACE)) {
      if (kind === '%') continue
      const at = numbered ? Number(numbered) : next
      next = at + 1
      const found = kind === 's' ? this.unquoted(args[at], holds) : undefined
      if (found) return { ...found, how: 'format %s' }
    }
    return undefined
  }

  #case(n: Tree, holds: Holds): Unquoted | undefined {
    let left = holds
    for (const arm of n['args'] ?? []) {
      const when: Tree = arm.CaseWhen ?? {}
      const test = n['arg'] ? { A_Expr: { kind: 'AEXPR_OP', name: [{ String: { sval: '=' } }], lexpr: n['arg'], rexpr: when['expr'] } } : when['expr']
      const found = this.unquoted(when['result'], without(left, this.established(test, true, left)))
      if (found) return found
      left = without(left, this.established(test, false, left))
    }
    return this.unquoted(n['defresult'], left)
  }

  /** `EXISTS (SELECT … FROM pg_tables WHERE tablename = p)`: the name of something that exists. */
  #exists(n: Tree, holds: Holds): readonly string[] {
    const select: Tree = n['subselect']?.SelectStmt ?? {}
    const catalogs = (select['fromClause'] ?? []).every(
      (f: Tree) => f['RangeVar'] && (/^(?:pg_catalog|information_schema)$/.test(f['RangeVar'].schemaname ?? '') || /^pg_/.test(f['RangeVar'].relname)),
    )
    const where: Tree | undefined = select['whereClause']
    const [kind, condition] = kindAndFields(where)
    const parts: readonly Tree[] = kind === 'BoolExpr' && condition['boolop'] === 'AND_EXPR' ? condition['args'] : [where]
    if (!catalogs || select['fromClause'] === undefined) return []
    return parts.flatMap((part) => {
      const [is, e] = kindAndFields(part)
      if (is !== 'A_Expr' || e['kind'] !== 'AEXPR_OP' || names(e['name']).at(-1) !== '=') return []
      return [e['lexpr'], e['rexpr']].flatMap((side) => columnParts(uncast(side)).slice(0, 1)).filter((name) => holds.has(name))
    })
  }

  /** `p IN ('a', 'b')`, `p = 'a'`, `p = ANY (…)`, `p ~ '^[a-z]+$'`, and their opposites. */
  #compared(n: Tree, truth: boolean, holds: Holds): readonly string[] {
    const operator = names(n['name']).at(-1) ?? ''
    const [name] = columnParts(uncast(n['lexpr']))
    if (name === undefined) return []
    if (operator === '~' || operator === '!~') {
      const pattern = constantValue(uncast(n['rexpr']))
      return (operator === '~') === truth && admitsPlainTextOnly(`/${String(pattern)}/`) ? [name] : []
    }
    const equal = operator === '='
    const one = n['kind'] === 'AEXPR_OP' || n['kind'] === 'AEXPR_IN' || n['kind'] === (equal ? 'AEXPR_OP_ANY' : 'AEXPR_OP_ALL')
    return one && (equal || operator === '<>') && equal === truth && !this.#mentioned(n['rexpr'], holds) ? [name] : []
  }

  /** Whether the caller has a say in what a value is compared with. */
  #mentioned(node: Tree | undefined, holds: Holds): boolean {
    const list: readonly Tree[] = node?.['List']?.items ?? [node]
    return this.#any(list, holds) !== undefined
  }
}

/** Names that hold nothing any more. */
export function without(holds: Holds, gone: readonly string[]): Holds {
  return gone.length ? new Map([...holds].filter(([name]) => !gone.includes(name))) : holds
}

function asPart(found: Unquoted | undefined): Unquoted | undefined {
  return found?.how === 'whole statement' ? { ...found, how: 'concatenation' } : found
}
