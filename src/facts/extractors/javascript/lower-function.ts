import type { ts } from 'ts-morph'
import type { FunctionId, Pattern, Stmt } from '../../javascript.ts'
import type { FunctionDraft, Lowering } from './lowering.ts'

/** Lowers a function into the file's list and returns its id. */
export function lowerFunction(c: Lowering, node: ts.SignatureDeclaration & { body?: ts.Node }, name?: string): FunctionId {
  const { ts } = c
  const id = c.functions.length
  const draft: FunctionDraft = { id, params: [], body: [], parent: c.current, l: c.line(node), e: c.endLine(node) }
  if (name !== undefined) draft.name = name
  c.functions.push(draft)
  const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers
  if (modifiers?.some((m) => m.kind === ts.SyntaxKind.AsyncKeyword)) draft.async = true
  if ((node as ts.FunctionExpression).asteriskToken) draft.generator = true
  if (node.kind === ts.SyntaxKind.ArrowFunction) draft.arrow = true
  const outer = c.current
  c.current = id
  const parameters = (node.parameters ?? []).filter((p) => (p.name as ts.Identifier).text !== 'this')
  draft.params = parameters.map((p) => parameter(c, p))
  const types = parameters.map((p) => typeName(c, p.type))
  if (types.some((t) => t !== null)) draft.types = types
  // `constructor(private db: Db)` declares and sets a field.
  for (const p of parameters) if (isProperty(c, p)) draft.body.push(fieldFromParameter(c, p))
  if (node.body && ts.isBlock(node.body)) {
    const found = directives(c, node.body.statements)
    if (found.length > 0) draft.directives = found
    draft.body.push(...c.statements(node.body.statements))
  } else if (node.body) {
    const value = c.expression(node.body)
    draft.body.push({ k: 'return', value, l: c.line(node.body), ...(value.e ? { e: value.e } : {}) })
  }
  c.current = outer
  return id
}

/** The directive prologue: leading string literals that stand alone. */
export function directives(c: Lowering, statements: readonly ts.Statement[]): string[] {
  const found: string[] = []
  for (const s of statements) {
    if (!c.ts.isExpressionStatement(s) || !c.ts.isStringLiteral(s.expression)) break
    found.push(s.expression.text)
  }
  return found
}

function parameter(c: Lowering, p: ts.ParameterDeclaration): Pattern {
  const pattern = c.pattern(p.name, p.initializer)
  return p.dotDotDotToken ? { k: 'rest', to: pattern } : pattern
}

function typeName(c: Lowering, type: ts.TypeNode | undefined): string | null {
  if (!type || !c.ts.isTypeReferenceNode(type)) return null
  const name = type.typeName
  return c.ts.isIdentifier(name) ? name.text : `${c.ts.isIdentifier(name.left) ? name.left.text : ''}.${name.right.text}`
}

function isProperty(c: Lowering, p: ts.ParameterDeclaration): boolean {
  const K = c.ts.SyntaxKind
  return (
    p.modifiers?.some((m) => m.kind === K.PrivateKeyword || m.kind === K.PublicKeyword || m.kind === K.ProtectedKeyword || m.kind === K.ReadonlyKeyword) ??
    false
  )
}

function fieldFromParameter(c: Lowering, p: ts.ParameterDeclaration): Stmt {
  const l = c.line(p)
  const name = (p.name as ts.Identifier).text
  return { k: 'expr', expr: { k: 'assign', op: '=', to: { k: 'expr', expr: { k: 'mem', of: { k: 'this', l }, name, l } }, value: { k: 'id', name, l }, l }, l }
}
