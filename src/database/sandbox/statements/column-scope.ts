import { nameParts, relationName, type Tree, walk } from './tree.ts'

/** A column, and the tables that it may belong to, the nearest query's first. */
export interface Operand {
  readonly column: string
  readonly tables: readonly string[]
}

/** One side of an operator. */
export interface Side {
  readonly expression: Tree
  /** Where the side is nothing but a column. */
  readonly operand?: Operand
  /** It is an array, whose elements the operator is about: `= ANY (ids)`. */
  readonly isArray?: boolean
}

/** A query and the ones around it. */
interface Scope {
  readonly tables: readonly { readonly full: string; readonly names: readonly string[] }[]
  readonly outer: Scope | undefined
}

/** An unqualified column as it is written, and what it is compared with for equality. */
interface Use {
  readonly scope: Scope | undefined
  readonly comparedWith: Tree | undefined
  readonly location: number
}

/**
 * The tables that an unqualified column may belong to, the nearest query's first and the one that a policy stands on (`around`) last. A comparison
 * joins two tables: the one that the other side is a column of comes last (`id = team_id` in a query on teams: team_id is a column of what stands
 * around it).
 */
export function tablesInScope(root: unknown, column: string, location: number | undefined, around?: string): readonly string[] {
  const uses = usesOf(root, column, scopeOf(around))
  const use = uses.find((u) => u.location === location) ?? uses[0]
  const tables = tablesFrom(use?.scope)
  const other = use && tableOf(use.comparedWith, use.scope)
  return other ? [...tables.filter((t) => t !== other), other] : tables
}

function usesOf(root: unknown, column: string, outermost: Scope | undefined): Use[] {
  const uses: Use[] = []
  inScopes(root, outermost, (node, scope, comparedWith) => {
    if (!node.ColumnRef) return
    const parts = nameParts(node.ColumnRef.fields)
    if (parts.length === 1 && parts[0] === column) uses.push({ scope, comparedWith, location: node.ColumnRef.location ?? 0 })
  })
  return uses
}

/** Every operator of a statement that compares two values (`=`, `IN`, `= ANY`), with its sides. `around` is the table that they are about where no query says so. */
export function operatorsIn(root: unknown, around?: string): readonly (readonly [Side, Side])[] {
  const found: (readonly [Side, Side])[] = []
  inScopes(root, scopeOf(around), (node, scope) => {
    const { A_Expr: operation, SubLink: query } = node
    if (operation?.lexpr && operation.rexpr)
      found.push([sideOf(operation.lexpr, scope), { ...sideOf(operation.rexpr, scope), isArray: /^AEXPR_OP_(?:ANY|ALL)$/.test(operation.kind) }])
    else if (query?.testexpr) {
      const select = query.subselect?.SelectStmt
      const inner = select?.fromClause ? { tables: tablesOf(select.fromClause), outer: scope } : scope
      found.push([sideOf(query.testexpr, scope), sideOf(select?.targetList?.[0]?.ResTarget?.val, inner)])
    }
  })
  return found
}

function sideOf(expression: Tree, scope: Scope | undefined): Side {
  const parts = expression?.ColumnRef ? nameParts(expression.ColumnRef.fields) : []
  const column = parts.at(-1)
  if (column === undefined) return { expression }
  const qualified = parts.length > 1 ? tableOf(expression, scope) : undefined
  return { expression, operand: { column, tables: qualified ? [qualified] : tablesFrom(scope) } }
}

/** Visits every node with the query that it stands in and, below one side of `=`, with the other side. */
function inScopes(root: unknown, outermost: Scope | undefined, visit: (node: Tree, scope: Scope | undefined, comparedWith: Tree | undefined) => void): void {
  const stack: { node: Tree; scope: Scope | undefined; comparedWith: Tree | undefined }[] = [{ node: root, scope: outermost, comparedWith: undefined }]
  while (stack.length) {
    const { node, scope, comparedWith } = stack.pop() as (typeof stack)[number]
    if (Array.isArray(node)) {
      for (const child of node.toReversed()) stack.push({ node: child, scope, comparedWith })
      continue
    }
    if (!node || typeof node !== 'object') continue
    visit(node, scope, comparedWith)
    if (node.ColumnRef) continue
    if (node.A_Expr?.kind === 'AEXPR_OP' && nameParts(node.A_Expr.name).at(-1) === '=') {
      const { lexpr, rexpr } = node.A_Expr
      stack.push({ node: rexpr, scope, comparedWith: lexpr }, { node: lexpr, scope, comparedWith: rexpr })
      continue
    }
    const select = node.SelectStmt
    const inner = select?.fromClause ? { tables: tablesOf(select.fromClause), outer: scope } : scope
    for (const child of Object.values(node).toReversed()) stack.push({ node: child, scope: inner, comparedWith: node.TypeCast ? comparedWith : undefined })
  }
}

const scopeOf = (around: string | undefined): Scope | undefined =>
  around === undefined ? undefined : { tables: [{ full: around, names: [around, around.slice(around.indexOf('.') + 1)] }], outer: undefined }

/** The tables of a query and of those around it. */
function tablesFrom(innermost: Scope | undefined): string[] {
  const tables: string[] = []
  for (let scope = innermost; scope; scope = scope.outer) tables.push(...scope.tables.map((t) => t.full))
  return tables
}

/** The tables of a FROM clause; those of queries inside it are their own. */
function tablesOf(from: Tree): Scope['tables'] {
  const tables: { full: string; names: string[] }[] = []
  const nested = new Set<Tree>()
  walk(from, (key, value) => {
    if (key === 'SelectStmt') walk(value, (_, inner) => nested.add(inner))
    if (key !== 'RangeVar' || nested.has(value)) return
    const full = relationName(value)
    tables.push({ full, names: value.alias?.aliasname ? [value.alias.aliasname] : [value.relname, full] })
  })
  return tables
}

/** The table of a column; one without a qualifier is taken for one of the nearest query. */
function tableOf(expression: Tree, scope: Scope | undefined): string | undefined {
  const column = expression?.TypeCast ? expression.TypeCast.arg?.ColumnRef : expression?.ColumnRef
  if (!column) return undefined
  const parts = nameParts(column.fields)
  if (parts.length < 2) return scope?.tables.length === 1 ? scope.tables[0]?.full : undefined
  const qualifier = parts.slice(0, -1).join('.')
  for (let s = scope; s; s = s.outer) {
    const named = s.tables.find((t) => t.names.includes(qualifier))
    if (named) return named.full
  }
  return undefined
}
