import type { Statement } from '../statements/statement.ts'
import { qualified, relationName } from '../statements/tree.ts'

const CREATE_TABLE_STATEMENT =
  /^(?:\s|--[^\n]*\n)*create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?((?:"[^"]{1,63}"|\w{1,63})(?:\s*\.\s*(?:"[^"]{1,63}"|\w{1,63}))?)/i

/**
 * Whether a statement that cannot be parsed would have made a table that a later one makes: no database took the first, or the second would have
 * found the table there. So nothing of it is in doubt.
 */
export function isMadeAgain(s: Statement, statements: Iterable<Statement>): boolean {
  const written = CREATE_TABLE_STATEMENT.exec(s.text)?.[1]
  if (written === undefined) return false
  const name = qualified(written.split('.').map(unquoted))
  let after = false
  for (const other of statements) {
    if (other === s) after = true
    else if (after && other.kind === 'CreateStmt' && !other.node.if_not_exists && relationName(other.node.relation) === name) return true
  }
  return false
}

const unquoted = (part: string): string => (part.trim().startsWith('"') ? part.trim().slice(1, -1) : part.trim().toLowerCase())
