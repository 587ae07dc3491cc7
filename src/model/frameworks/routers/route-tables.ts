import type { Expr, FunctionId, Pattern, Stmt } from '../../../facts/javascript.ts'
import type { Program } from '../program.ts'
import { exprsOf, propOf, statements, stringOf, subExpressions } from '../walk.ts'

/** An expression with the place in which its names mean something. */
export interface Written {
  readonly path: string
  readonly scope: FunctionId
  readonly expr: Expr
}

const MAX_ROWS = 400

/** The rows of a table of routes: a list of objects, pairs or handlers, spread tables included; undefined when it is none. */
export function routeTableRows(program: Program, over: Written, resolve: (w: Written) => Written | undefined, depth = 0): readonly Written[] | undefined {
  if (depth > 6) return undefined
  const { path, scope, expr } = over
  if (expr.k === 'arr') {
    const rows: Written[] = []
    for (const item of expr.items) {
      if (item.k === 'spread') rows.push(...(routeTableRows(program, { path, scope, expr: item.of }, resolve, depth + 1) ?? []))
      else if (item.k === 'obj' || item.k === 'arr' || item.k === 'lit') rows.push({ path, scope, expr: item })
      else {
        const m = program.meaning(path, scope, item)
        if (m?.k === 'expr' && (m.expr.k === 'obj' || m.expr.k === 'arr')) rows.push({ path: m.path, scope: m.scope, expr: m.expr })
      }
      if (rows.length > MAX_ROWS) return undefined
    }
    return rows.length ? rows : undefined
  }
  const pairs = pairsOf(program, over, resolve, depth)
  if (pairs) return pairs
  const m = program.meaning(path, scope, expr)
  const to = m?.k === 'expr' && m.expr !== expr ? { path: m.path, scope: m.scope, expr: m.expr } : resolve(over)
  return to && routeTableRows(program, to, resolve, depth + 1)
}

/** `Object.entries(TABLE)`, `Object.keys(TABLE)`, `Object.values(TABLE)`, `new Map([…])` and its `.entries()`: each member as a pair of name and value. */
function pairsOf(
  program: Program,
  { path, scope, expr }: Written,
  resolve: (w: Written) => Written | undefined,
  depth: number,
): readonly Written[] | undefined {
  if (expr.k === 'new' && expr.fn.k === 'id' && expr.fn.name === 'Map' && expr.args[0])
    return routeTableRows(program, { path, scope, expr: expr.args[0] }, resolve, depth + 1)
  if (expr.k !== 'call' || expr.fn.k !== 'mem') return undefined
  if (expr.fn.name === 'entries' && expr.args.length === 0) return routeTableRows(program, { path, scope, expr: expr.fn.of }, resolve, depth + 1)
  if (expr.fn.of.k !== 'id' || expr.fn.of.name !== 'Object' || !/^(?:entries|keys|values)$/.test(expr.fn.name) || !expr.args[0]) return undefined
  const pairs = pairsOfObject(program, { path, scope, expr: expr.args[0] })
  return expr.fn.name === 'values' ? pairs?.flatMap((p) => (p.expr.k === 'arr' ? { ...p, expr: p.expr.items[1] as Expr } : [])) : pairs
}

/** The members of an object literal, each as a pair of its name and its value. */
export function pairsOfObject(program: Program, { path, scope, expr }: Written): readonly Written[] | undefined {
  const m = expr.k === 'obj' ? { k: 'expr' as const, path, scope, expr } : program.meaning(path, scope, expr)
  if (m?.k !== 'expr' || m.expr.k !== 'obj' || m.expr.props.length > MAX_ROWS) return undefined
  return m.expr.props.flatMap((p): Written[] =>
    p.key === undefined || p.spread
      ? []
      : [
          {
            path: m.path,
            scope: m.scope,
            expr: { k: 'arr', items: [{ k: 'lit', v: p.key, l: p.l }, p.value], l: p.l, ...(p.value.e ? { e: p.value.e } : {}) },
          },
        ],
  )
}

/** Which names stand for a row or a field of it: `''` for the row itself. Fallbacks of a pattern (`middlewares = []`) are left out with the field. */
export function fieldsOf(to: Pattern, body: readonly Stmt[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  const take = (p: Pattern) => {
    if (p.k === 'name') fields.set(p.name, '')
    if (p.k === 'object') for (const { key, to: t } of p.props) if (t.k === 'name') fields.set(t.name, key)
    if (p.k === 'array') for (const [i, t] of p.items.entries()) if (t?.k === 'name') fields.set(t.name, String(i))
  }
  take(to)
  for (const s of body) {
    if (s.k !== 'let' || !s.init) continue
    const from = fieldOf(s.init, fields)
    if (from === '' && (s.to.k === 'object' || s.to.k === 'array')) take(s.to)
    else if (from && s.to.k === 'name') fields.set(s.to.name, from)
  }
  return fields
}

/** The field that an expression reads, whatever is done to its letters; `''` for the row, undefined for anything else. */
function fieldOf(e: Expr, fields: ReadonlyMap<string, string>): string | undefined {
  if (e.k === 'id') return fields.get(e.name)
  if (e.k === 'call' && e.fn.k === 'mem' && /^to(?:Lower|Upper)Case$/.test(e.fn.name)) return fieldOf(e.fn.of, fields)
  if (e.k === 'logic') return fieldOf(e.a, fields)
  // `TABLE[key]`, `TABLE[i]`, `row[0]`
  if (e.k === 'idx' && e.of.k === 'id' && e.index.k === 'id') return fields.get(`${e.of.name}[${e.index.name}]`)
  if (e.k === 'idx' && e.index.k === 'lit' && fieldOf(e.of, fields) === '') return String(e.index.v)
  return e.k === 'mem' && fieldOf(e.of, fields) === '' ? e.name : undefined
}

/** What an expression is for one row; undefined for a field that the row does not have. */
export function ofRow(e: Expr, row: Written, fields: ReadonlyMap<string, string>, here: Omit<Written, 'expr'>): Written | undefined {
  if (e.k === 'spread') return ofRow(e.of, row, fields, here)
  const field = fieldOf(e, fields)
  if (field === undefined) return { ...here, expr: e }
  const value = field === '' ? row.expr : row.expr.k === 'arr' ? row.expr.items[Number(field)] : propOf(row.expr, field)
  return value && { path: row.path, scope: row.scope, expr: value }
}

/** Whether an expression reads the row at all. */
export const readsRow = (e: Expr, fields: ReadonlyMap<string, string>): boolean =>
  fieldOf(e.k === 'spread' ? e.of : e, fields) !== undefined || (e.k === 'tpl' && e.exprs.some((x) => fieldOf(x, fields) !== undefined))

/** The calls in the body of a loop, conditions and blocks included. */
export const callsInLoop = (body: readonly Stmt[]): readonly Extract<Expr, { k: 'call' }>[] =>
  statements(body)
    .flatMap((s) => exprsOf(s).flatMap(subExpressions))
    .filter((e): e is Extract<Expr, { k: 'call' }> => e.k === 'call')

/** What a text is for one row: a literal, a field, a template of both. */
export function textOfRow(e: Expr, row: Written, fields: ReadonlyMap<string, string>, here: Omit<Written, 'expr'>): string | undefined {
  if (e.k === 'tpl') {
    const parts = e.exprs.map((x) => stringOf(ofRow(x, row, fields, here)?.expr))
    return parts.some((p) => p === undefined) ? undefined : e.quasis.reduce((text, q, i) => text + (parts[i - 1] ?? '') + q)
  }
  return stringOf(ofRow(e, row, fields, here)?.expr)
}

/** Of calls that register a row in one way or another the one that takes most of what the row has. */
export function fitting(
  calls: readonly Extract<Expr, { k: 'call' }>[],
  row: Written,
  fields: ReadonlyMap<string, string>,
): Extract<Expr, { k: 'call' }> | undefined {
  const lacks = (c: Extract<Expr, { k: 'call' }>) => c.args.filter((a) => ofRow(a, row, fields, row) === undefined).length
  return [...calls].sort((a, b) => lacks(a) - lacks(b) || b.args.length - a.args.length)[0]
}
