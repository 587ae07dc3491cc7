import { ts } from 'ts-morph'
import { enclosing, parse, walk } from './syntax.ts'

/** An `if` that sends an anonymous caller away, as offsets into its file. */
export interface Refusal {
  readonly start: number
  readonly end: number
  /** The condition without its parentheses. */
  readonly condition: readonly [start: number, end: number]
  /** What the condition finds missing: `user` of `if (error || !user)`. */
  readonly caller: string
  /** True when what follows in the function stops such a caller as well: it goes on to use who is missing, or refuses a second time. */
  readonly stoppedAfter: boolean
}

const CALLER = /^(\w*user|\w*session|\w*claims|caller|auth\w*|userId)$/i
const REFUSED = /\b401\b|unauthori[sz]ed|unauthenticated|not authenticated|redirect\([^)]*(log|sign)-?in/i

const LOGICAL: ReadonlySet<ts.SyntaxKind> = new Set([ts.SyntaxKind.BarBarToken, ts.SyntaxKind.AmpersandAmpersandToken])

/** The refusals of a TypeScript file, in order. */
export function refusals(text: string): Refusal[] {
  const file = parse(text)
  const found: Refusal[] = []
  walk(file, (node) => {
    const refusal = ts.isIfStatement(node) && !node.elseStatement ? refusalOf(node, file) : undefined
    if (refusal) found.push(refusal)
  })
  return found
}

function refusalOf(node: ts.IfStatement, file: ts.SourceFile): Refusal | undefined {
  const caller = negated(node.expression)
  if (!caller || !CALLER.test(caller) || !leaves(node.thenStatement) || !REFUSED.test(node.thenStatement.getText(file))) return undefined
  const after = file.text.slice(node.end, enclosing(node)?.end ?? file.end)
  return {
    start: node.getStart(file),
    end: node.end,
    condition: [node.expression.getStart(file), node.expression.end],
    caller,
    stoppedAfter: new RegExp(`\\b${caller}\\b`).test(after) || /\b40[13]\b|forbidden/i.test(after),
  }
}

/** The name that a condition finds missing, alone or as one side of an `||` or `&&`. */
function negated(condition: ts.Expression): string | undefined {
  if (ts.isParenthesizedExpression(condition)) return negated(condition.expression)
  if (ts.isBinaryExpression(condition) && LOGICAL.has(condition.operatorToken.kind)) return negated(condition.left) ?? negated(condition.right)
  if (!ts.isPrefixUnaryExpression(condition) || condition.operator !== ts.SyntaxKind.ExclamationToken) return undefined
  const operand = condition.operand
  if (ts.isIdentifier(operand)) return operand.text
  return ts.isPropertyAccessExpression(operand) ? operand.name.text : undefined
}

/** Whether the last statement of the branch ends the function. */
function leaves(branch: ts.Statement): boolean {
  const last = ts.isBlock(branch) ? branch.statements.at(-1) : branch
  if (!last) return false
  return ts.isReturnStatement(last) || ts.isThrowStatement(last) || (ts.isExpressionStatement(last) && /^(await )?redirect\(/.test(last.getText()))
}

/** Where a file asks the platform who calls: an awaited `auth.getUser`, as offsets, inside the statement that names the answer. */
export interface UserLookup {
  readonly start: number
  readonly end: number
  readonly statement: readonly [start: number, end: number]
  readonly client: string
  /** The token that it is asked with, as text. */
  readonly token?: string
}

/** The lookups of a TypeScript file, in order. */
export function userLookups(text: string): UserLookup[] {
  const file = parse(text)
  const found: UserLookup[] = []
  walk(file, (node) => {
    if (!ts.isAwaitExpression(node) || !ts.isCallExpression(node.expression) || !ts.isVariableDeclaration(node.parent)) return
    const client = /^(\w+)\.auth\.getUser$/.exec(node.expression.expression.getText(file))?.[1]
    const [token] = node.expression.arguments
    const statement = node.parent.parent.parent
    if (client)
      found.push({
        start: node.getStart(file),
        end: node.end,
        statement: [statement.getStart(file), statement.end],
        client,
        ...(token ? { token: token.getText(file) } : {}),
      })
  })
  return found
}

/** The file with its first lookup changed into one that believes the cookie. */
export function trustingSession(text: string): string | undefined {
  const [lookup] = userLookups(text)
  if (!lookup || lookup.token || /\bsession\b/.test(text)) return undefined
  const [from, to] = lookup.statement
  const names = text.slice(from, lookup.start)
  const user = /data:\s*\{\s*user\s*(?::\s*(\w+)\s*)?,?\s*\}/.exec(names)
  if (!user) return undefined
  const asked = `${names.replace(user[0], 'data: { session }')}await ${lookup.client}.auth.getSession()${text.slice(lookup.end, to)}`
  return `${text.slice(0, from)}${asked}\n  const ${user[1] ?? 'user'} = session?.user${text.slice(to)}`
}
