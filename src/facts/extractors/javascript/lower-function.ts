import type { ts } from 'ts-morph'
import type { FunctionId, Pattern, Stmt } from '../../javascript.ts'
import type { FunctionDraft, Lowering } from './lowering.ts'

/** Lowers a function into the file's list and returns its id. */
export function lowerFunction(c: Lowering, node: ts.SignatureDeclaration & { body?: ts.Node }, name?: string): FunctionId {
  const { K } = c
  const id = c.functions.length
  const draft: FunctionDraft = { id, params: [], body: [], parent: c.current, l: c.line(node), e: c.endLine(node) }
  if (name !== undefined) draft.name = name
  c.functions.push(draft)
  const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers
  if (modifiers?.some((m) => m.kind === K.AsyncKeyword)) draft.async = true
  if ((node as ts.FunctionExpression).asteriskToken) draft.generator = true
  if (node.kind === K.ArrowFunction) draft.arrow = true
  const outer = c.current
  c.current = id
  if (node.parameters?.length) parameters(c, node.parameters, draft)
  const { body } = node
  if (body?.kind === K.Block) {
    const { statements } = body as ts.Block
    const found = directives(c, statements)
    if (found.length > 0) draft.directives = found
    const lowered = c.statements(statements)
    draft.body = draft.body.length > 0 ? [...draft.body, ...lowered] : lowered
  } else if (body) {
    const value = c.expression(body)
    const l = c.line(body)
    draft.body = [value.e ? { k: 'return', value, l, e: value.e } : { k: 'return', value, l }]
  }
  c.current = outer
  return id
}

/** The directive prologue: leading string literals that stand alone. */
export function directives(c: Lowering, statements: readonly ts.Statement[]): string[] {
  const found: string[] = []
  for (const s of statements) {
    const literal = s.kind === c.K.ExpressionStatement ? (s as ts.ExpressionStatement).expression : undefined
    if (literal?.kind !== c.K.StringLiteral) break
    found.push((literal as ts.StringLiteral).text)
  }
  return found
}

function parameters(c: Lowering, all: readonly ts.ParameterDeclaration[], draft: FunctionDraft): void {
  const nodes = all.filter((p) => (p.name as ts.Identifier).text !== 'this')
  draft.params = nodes.map((p) => parameter(c, p))
  const types = nodes.map((p) => typeName(c, p.type))
  if (types.some((t) => t !== null)) draft.types = types
  // `constructor(private db: Db)` declares and sets a field.
  for (const p of nodes) if (p.modifiers && isProperty(c, p)) draft.body.push(fieldFromParameter(c, p))
}

function parameter(c: Lowering, p: ts.ParameterDeclaration): Pattern {
  const pattern = c.pattern(p.name, p.initializer)
  return p.dotDotDotToken ? { k: 'rest', to: pattern } : pattern
}

function typeName(c: Lowering, type: ts.TypeNode | undefined): string | null {
  if (type?.kind !== c.K.TypeReference) return null
  const name = (type as ts.TypeReferenceNode).typeName
  return name.kind === c.K.Identifier ? name.text : `${name.left.kind === c.K.Identifier ? name.left.text : ''}.${name.right.text}`
}

function isProperty(c: Lowering, p: ts.ParameterDeclaration): boolean {
  const { K } = c
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
