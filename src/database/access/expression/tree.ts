/** A node of libpg-query's JSON parse tree: one key that names its kind, fields below it. Its shape is the parser's, hence untyped. */
// biome-ignore lint/suspicious/noExplicitAny: the parser's JSON has no usable types; every access below is optional
export type Tree = { readonly [field: string]: any }

/** Parses SQL into libpg-query's statement list; throws on a syntax error. */
export type ParseSql = (sql: string) => { readonly stmts?: readonly { readonly stmt: Tree }[] }

/** Kind and fields of a node: `['FuncCall', {…}]`. */
export function kindAndFields(node: Tree | undefined): readonly [string, Tree] {
  const kind = node ? Object.keys(node)[0] : undefined
  return kind === undefined ? ['', {}] : [kind, node?.[kind] ?? {}]
}

/** The strings of a name list, lower case as the parser leaves them. */
export function names(list: readonly Tree[] | undefined): string[] {
  return (list ?? []).map((n) => n['String']?.sval ?? (n['A_Star'] ? '*' : '')).filter((s: string) => s !== '')
}

/** Parts of a column reference (`t.c`, `c`, `t.*`); empty for other nodes. */
export function columnParts(node: Tree | undefined): string[] {
  return node?.['ColumnRef'] ? names(node['ColumnRef'].fields) : []
}

/** Value of a constant; undefined when the node is none. `null` is SQL NULL. */
export function constantValue(node: Tree | undefined): string | number | boolean | null | undefined {
  const c = node?.['A_Const']
  if (!c) return undefined
  if (c.isnull) return null
  if (c.boolval) return c.boolval.boolval === true
  if (c.sval) return c.sval.sval ?? ''
  if (c.ival) return c.ival.ival ?? 0
  if (c.fval) return Number(c.fval.fval)
  return String(c.bsval?.bsval ?? '')
}

/** Whether an operator takes a field out of a JSON value. */
export const isField = (expression: Tree): boolean => /^(?:->>?|#>>?)$/.test(names(expression['name']).at(-1) ?? '')

/** The node below casts and collations. */
export function uncast(node: Tree | undefined): Tree | undefined {
  let at = node
  while (at?.['TypeCast'] || at?.['CollateClause']) at = (at['TypeCast'] ?? at['CollateClause']).arg
  return at
}

/** Parses one expression as the database deparses it; undefined when it does not parse. */
export function parseExpression(parse: ParseSql, text: string): Tree | undefined {
  try {
    return parse(`select ${text}`).stmts?.[0]?.stmt['SelectStmt']?.targetList?.[0]?.ResTarget?.val
  } catch {
    return undefined
  }
}
