import { callerFunction, jsonField, pathText } from './caller-terms.ts'
import type { Evaluation } from './evaluation.ts'
import { ALWAYS, both, computed, isTotal, type Term, type Ways } from './predicate.ts'
import { type Alternatives, findColumn, NO_VARIABLES, rowOf, type Scope, under } from './scope.ts'
import { columnParts, constantValue, isField, kindAndFields, names, type Tree, uncast } from './tree.ts'

export const AGGREGATES = new Set(['count', 'max', 'min', 'sum', 'avg', 'bool_or', 'bool_and', 'every', 'array_agg', 'string_agg', 'json_agg', 'jsonb_agg'])
const NULL: Alternatives = [{ term: { t: 'const', value: null }, when: ALWAYS }]

/** What scalar expressions stand for: columns, the caller, constants, what functions give. */
export class Values {
  readonly #evaluator: Evaluation

  constructor(evaluator: Evaluation) {
    this.#evaluator = evaluator
  }

  /** What a scalar expression may stand for. */
  values(node: Tree | undefined, scope: Scope): Alternatives {
    const inner = uncast(node)
    const [kind, n] = kindAndFields(inner)
    const only = (term: Term): Alternatives => [{ term, when: ALWAYS }]
    switch (kind) {
      case 'A_Const':
        return only({ t: 'const', value: constantValue(inner) ?? null })
      case 'ColumnRef':
        return this.#column(columnParts(inner), scope)
      case 'ParamRef':
        return scope.variables.get(`$${n['number']}`)?.value ?? only({ t: 'argument', name: `$${n['number']}` })
      case 'SQLValueFunction': {
        const op = String(n['op'] ?? '')
        if (!/USER|ROLE/.test(op)) return only({ t: 'expression', name: 'now', of: [] })
        // with the rights of its owner a function is that owner, whoever calls it; only `session_user` is still somebody else
        const owner = /SESSION/.test(op) ? undefined : scope.inside.map(this.#evaluator.world.runsAs).findLast((name) => name !== undefined)
        return only(owner === undefined ? { t: 'caller', part: 'database-role' } : { t: 'const', value: owner })
      }
      case 'CoalesceExpr':
        return this.#firstPresent(n['args'] ?? [], scope).slice(0, 8)
      case 'MinMaxExpr':
        return this.#applied(n['op'] === 'IS_LEAST' ? 'least' : 'greatest', n['args'] ?? [], scope)
      case 'CaseExpr':
        return this.#evaluator
          .arms(n, scope)
          .flatMap(({ result, when }) => under(when, result ? this.#evaluator.values(result, scope) : NULL))
          .filter((v) => v.when.length > 0)
          .slice(0, 16)
      case 'A_Indirection':
        return this.#indirection(n, scope)
      case 'A_ArrayExpr':
        return (n['elements'] ?? []).flatMap((e: Tree) => this.#evaluator.values(e, scope)).slice(0, 16)
      case 'SubLink': {
        const query: Tree | undefined = n['subselect']?.SelectStmt
        if (n['subLinkType'] === 'EXISTS_SUBLINK') return this.#booleanValues(inner, scope)
        if (!query) break
        return this.#evaluator
          .select(query, scope)
          .flatMap((s) => under(s.when, this.#evaluator.values(s.target, s.scope)))
          .slice(0, 32)
      }
      case 'BoolExpr':
      case 'NullTest':
      case 'BooleanTest':
        return this.#booleanValues(inner, scope)
      case 'FuncCall':
        return this.call(n, scope)
      // `make_interval(days => p_days)`
      case 'NamedArgExpr':
        return this.#evaluator.values(n['arg'], scope)
      case 'A_Expr': {
        const name = names(n['name']).at(-1) ?? ''
        if (n['kind'] === 'AEXPR_NULLIF') return this.#evaluator.values(n['lexpr'], scope)
        const left = n['lexpr'] ? this.#evaluator.values(n['lexpr'], scope) : []
        if (isField(n)) {
          const key = pathText(n['rexpr'])
          return left.map((v) => ({ term: jsonField(v.term, key), when: v.when }))
        }
        const right = n['rexpr'] ? this.#evaluator.values(n['rexpr'], scope) : []
        if (!left.length || !right.length) return (left.length ? left : right).map((v) => ({ term: computed(name, [v.term]), when: v.when }))
        return pairs(left, right, 32, (l, r) => ({ term: computed(name, [l.term, r.term]), when: both(l.when, r.when) }))
      }
      default:
        break
    }
    return only({ t: 'unknown', because: kind || 'nothing' })
  }

  /** A condition kept in a variable (`SELECT EXISTS (…) INTO found`): each truth value under the ways that lead to it. */
  #booleanValues(node: Tree | undefined, scope: Scope): Alternatives {
    const alternatives = [
      { term: { t: 'const', value: true } as Term, when: this.#evaluator.truth(node, scope) },
      { term: { t: 'const', value: false } as Term, when: this.#evaluator.truth(node, scope, false) },
      { term: { t: 'const', value: null } as Term, when: this.#evaluator.nullWays(node, scope) },
    ]
    return alternatives.filter((v) => v.when.length > 0)
  }

  #indirection(n: Tree, scope: Scope): Alternatives {
    const index = constantValue(n['indirection']?.[0]?.A_Indices?.uidx)
    return this.#evaluator.values(n['arg'], scope).map((v) => ({
      term:
        index === undefined || v.term.t !== 'expression'
          ? jsonField(v.term, String(index ?? names(n['indirection']).at(-1) ?? ''))
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
      return variable.value.map((v) => ({ ...v, term: jsonField(v.term, field) }))
    }
    // `function_name.argument`
    return scope.inside.some((f) => f.endsWith(`.${name}`)) ? scope.variables.get(field)?.value : undefined
  }

  /** What a call of a function stands for. */
  call(n: Tree, scope: Scope): Alternatives {
    const path = names(n['funcname'])
    const name = path.join('.').replace(/^pg_catalog\./, '')
    const args: readonly Tree[] = n['args'] ?? []
    const caller = callerFunction(name, args)
    if (caller) return [{ term: caller, when: ALWAYS }]
    const inlined = this.#inlineValues(n, scope)
    if (inlined) return inlined
    if (isTotal(name)) return [{ term: computed(name, args[0] ? this.#evaluator.values(args[0], scope).map((v) => v.term) : []), when: ALWAYS }]
    if (AGGREGATES.has(name)) return this.#evaluator.values(args[0], scope)
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
      return this.#evaluator.values(args[0], scope)
    if (['jsonb_extract_path_text', 'jsonb_extract_path', 'json_extract_path_text'].includes(name)) {
      const keys = args
        .slice(1)
        .map((a) => String(constantValue(uncast(a)) ?? ''))
        .join('.')
      return this.#evaluator.values(args[0], scope).map((v) => ({ term: jsonField(v.term, keys), when: v.when }))
    }
    if (this.#evaluator.world.missing(path.at(-1) ?? ''))
      return [{ term: { t: 'unknown', because: `function ${name} is not defined in the repository` }, when: ALWAYS }]
    return this.#applied(name, args, scope)
  }

  /** `coalesce(auth.jwt() ->> 'email', '')`: the empty text stands there only where nothing before it does. */
  #firstPresent(args: readonly Tree[], scope: Scope): Alternatives {
    let before = ALWAYS
    return args.flatMap((arg) => {
      const values = this.#evaluator.values(arg, scope)
      const missing = before
      before = both(before, this.#evaluator.nullWays(arg, scope))
      return values.map((v) => (v.term.t === 'const' && v.term.value === '' ? { ...v, when: both(v.when, missing) } : v))
    })
  }

  /** A function or operator of values that are kept apart. */
  #applied(name: string, args: readonly Tree[], scope: Scope): Alternatives {
    let terms: { of: Term[]; when: Ways }[] = [{ of: [], when: ALWAYS }]
    for (const arg of args.slice(0, 8)) {
      const values = this.#evaluator.values(arg, scope)
      terms = pairs(terms, values, 16, (t, v) => ({ of: [...t.of, v.term], when: both(t.when, v.when) }))
    }
    return terms.map((t) => {
      const [only] = t.of
      // an empty text is empty in lower case as well
      if (t.of.length === 1 && only?.t === 'const' && only.value === '' && /^(lower|upper|trim|btrim)$/.test(name)) return { term: only, when: t.when }
      return { term: computed(name, t.of), when: t.when }
    })
  }

  #inlineValues(n: Tree, scope: Scope): Alternatives | undefined {
    const results = this.#evaluator.opened(n, scope)
    return results?.flatMap((r) => under(r.when, this.#evaluator.values(r.target, r.scope))).slice(0, 32)
  }
}

/** The first `most` pairs; the others, of which there can be many, are not even made. */
function pairs<A, B, Pair>(as: readonly A[], bs: readonly B[], most: number, pair: (a: A, b: B) => Pair): Pair[] {
  const made: Pair[] = []
  for (const a of as) for (const b of bs) if (made.length < most) made.push(pair(a, b))
  return made
}

function wholeRow(scope: Scope, alias: string): Alternatives | undefined {
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const frame = at.frames.find((f) => f.alias === alias)
    if (frame) return frame.derived ? rowOf(frame) : [{ term: { t: 'column', instance: frame.instance, column: '*' }, when: ALWAYS }]
  }
  return undefined
}
