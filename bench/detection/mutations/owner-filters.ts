import { ts } from 'ts-morph'
import { enclosing, parse, walk } from './syntax.ts'

const OWNER = /^(user_id|owner_id|created_by|author_id)$/
const CALLER = /\b(user|session)\??\.id\b|\bsession\??\.user\??\.id\b|^(userId|user_id|uid)$/

/**
 * The `.eq('user_id', user.id)` of queries on a service-role client that are the only thing between the caller and
 * others' rows: the one such filter of its function, on a query that still gives or changes rows without it.
 */
export function ownerFilters(text: string): { readonly start: number; readonly end: number }[] {
  const file = parse(text)
  const found: { start: number; end: number; scope: ts.Node | undefined; gives: boolean }[] = []
  walk(file, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'eq') return
    const [column, value] = node.arguments
    if (!column || !value || !ts.isStringLiteralLike(column) || !OWNER.test(column.text) || !CALLER.test(value.getText(file))) return
    if (!isServiceRole(head(node), text)) return
    const query = whole(node).getText(file)
    const filters = query.split(/\.(?:eq|in|match)\(/).length - 1
    found.push({ start: node.expression.expression.end, end: node.end, scope: enclosing(node), gives: filters > 1 || !/ingle\(\)/.test(query) })
  })
  return found.filter((f) => f.gives && found.filter((o) => o.scope === f.scope).length === 1)
}

/** The query that a call is a link of. */
function whole(node: ts.Node): ts.Node {
  let at = node
  while (ts.isPropertyAccessExpression(at.parent) || (ts.isCallExpression(at.parent) && at.parent.expression === at)) at = at.parent
  return at
}

/** What a chain of calls begins with. */
function head(node: ts.Expression): string {
  let at: ts.Expression = node
  while (ts.isCallExpression(at) || ts.isPropertyAccessExpression(at)) at = at.expression
  return ts.isIdentifier(at) ? at.text : ''
}

function isServiceRole(name: string, text: string): boolean {
  if (!name) return false
  return /admin|service/i.test(name) || new RegExp(`\\b${name}\\s*=\\s*create(Admin|Service)?Client\\([^;]{0,200}?SERVICE_ROLE`).test(text)
}
