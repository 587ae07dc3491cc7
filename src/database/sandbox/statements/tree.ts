import type { Node } from '../../access/trials/access-session.ts'

export { ident, identOf } from '../../access/sql.ts'

/** Nodes of libpg-query are JSON of many shapes; reading them goes through these few functions. */
// biome-ignore lint/suspicious/noExplicitAny: see above; a type for each of 250 nodes would say less.
export type Tree = any

/** The kind of a node: its only key. */
export function nodeKind(node: Node | undefined): string {
  if (!node) return ''
  for (const key in node) return key
  return ''
}

/** What is inside a node, whatever its kind. */
export function inside(node: Node | undefined): Tree {
  return node?.[nodeKind(node)]
}

/** The parts of a qualified name given as String nodes. */
export function nameParts(nodes: readonly Tree[] | undefined): string[] {
  return (nodes ?? []).flatMap((n) => (typeof n?.String?.sval === 'string' ? [n.String.sval as string] : []))
}

/** `schema.name` of a RangeVar; `public` when the statement does not say. */
export function relationName(range: Tree, defaultSchema = 'public'): string {
  return `${range?.schemaname ?? defaultSchema}.${range?.relname ?? ''}`
}

/** `schema.name` of a list of name parts. */
export function qualified(parts: readonly string[], defaultSchema = 'public'): string {
  return parts.length > 1 ? parts.slice(-2).join('.') : `${defaultSchema}.${parts[0] ?? ''}`
}

/** Visits every object in a tree, parents first, without recursion. */
export function walk(root: unknown, visit: (key: string, value: Tree) => void): void {
  const stack: unknown[] = [root]
  while (stack.length) {
    const node = stack.pop()
    if (Array.isArray(node)) for (let i = node.length - 1; i >= 0; i--) stack.push(node[i])
    else if (node && typeof node === 'object') {
      const entries = Object.entries(node)
      for (const [key, value] of entries) if (value && typeof value === 'object' && !Array.isArray(value)) visit(key, value)
      for (let i = entries.length - 1; i >= 0; i--) stack.push((entries[i] as [string, unknown])[1])
    }
  }
}

/** Every table-like name that a statement mentions (RangeVars; CTE names excluded), with aliases. */
export function relationsIn(root: unknown): { name: string; schema?: string; alias?: string }[] {
  const found: { name: string; schema?: string; alias?: string }[] = []
  const ctes = new Set<string>()
  walk(root, (key, value) => {
    if (key === 'CommonTableExpr' && value.ctename) ctes.add(value.ctename)
    if (
      typeof value.relname === 'string' &&
      (key === 'RangeVar' || key === 'relation' || key === 'table' || key === 'pktable' || key === 'rel' || key === 'view')
    )
      found.push({
        name: value.relname,
        ...(value.schemaname ? { schema: value.schemaname } : {}),
        ...(value.alias?.aliasname ? { alias: value.alias.aliasname } : {}),
      })
  })
  return found.filter((r) => r.schema || !ctes.has(r.name))
}

/** Quotes a string literal of standard SQL, in which a backslash means itself. */
export function standardLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
