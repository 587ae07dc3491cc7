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

/** The rows of a table of routes (`[{ method, path, handler }, …]`), spread tables included; undefined when it is none. */
export function routeTableRows(program: Program, over: Written, resolve: (w: Written) => Written | undefined, depth = 0): readonly Written[] | undefined {
  if (depth > 6) return undefined
  const { path, scope, expr } = over
  if (expr.k === 'arr') {
    const rows: Written[] = []
    for (const item of expr.items) {
      if (item.k === 'spread') rows.push(...(routeTableRows(program, { path, scope, expr: item.of }, resolve, depth + 1) ?? []))
      else if (item.k === 'obj') rows.push({ path, scope, expr: item })
      else {
        const m = program.meaning(path, scope, item)
        if (m?.k === 'expr' && m.expr.k === 'obj') rows.push({ path: m.path, scope: m.scope, expr: m.expr })
      }
      if (rows.length > MAX_ROWS) return undefined
    }
    return rows.length ? rows : undefined
  }
  const m = program.meaning(path, scope, expr)
  const to = m?.k === 'expr' && m.expr !== expr ? { path: m.path, scope: m.scope, expr: m.expr } : resolve(over)
  return to && routeTableRows(program, to, resolve, depth + 1)
}

/** Which names stand for a row or a field of it: `''` for the row itself. Fallbacks of a pattern (`middlewares = []`) are left out with the field. */
export function fieldsOf(to: Pattern, body: readonly Stmt[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  const take = (p: Pattern) => {
    if (p.k === 'name') fields.set(p.name, '')
    if (p.k === 'object') for (const { key, to: t } of p.props) if (t.k === 'name') fields.set(t.name, key)
  }
  take(to)
  for (const s of body) {
    if (s.k !== 'let' || !s.init) continue
    const from = fieldOf(s.init, fields)
    if (from === '' && s.to.k === 'object') take(s.to)
    else if (from && s.to.k === 'name') fields.set(s.to.name, from)
  }
  return fields
}

/** The field that an expression reads, whatever is done to its letters; `''` for the row, undefined for anything else. */
function fieldOf(e: Expr, fields: ReadonlyMap<string, string>): string | undefined {
  if (e.k === 'id') return fields.get(e.name)
  if (e.k === 'call' && e.fn.k === 'mem' && /^to(?:Lower|Upper)Case$/.test(e.fn.name)) return fieldOf(e.fn.of, fields)
  if (e.k === 'logic') return fieldOf(e.a, fields)
  return e.k === 'mem' && fieldOf(e.of, fields) === '' ? e.name : undefined
}

/** What an expression is for one row; undefined for a field that the row does not have. */
export function ofRow(e: Expr, row: Written, fields: ReadonlyMap<string, string>, here: Omit<Written, 'expr'>): Written | undefined {
  if (e.k === 'spread') return ofRow(e.of, row, fields, here)
  const field = fieldOf(e, fields)
  if (field === undefined) return { ...here, expr: e }
  const value = field === '' ? row.expr : propOf(row.expr, field)
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
