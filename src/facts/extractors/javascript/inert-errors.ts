import type { ts } from 'ts-morph'
import { typescript } from './typescript.ts'

/**
 * Whether the statements around every syntax error hold nothing that a program could do: the notice that a command line tool printed
 * behind generated types, a merge's leftover words. Nothing can hide in them, so the file counts as read.
 */
export function errorsAreInert(file: ts.SourceFile, errors: readonly { readonly start?: number }[]): boolean {
  if (errors.length > 200) return false
  const broken = new Set<ts.Statement>()
  for (const { start } of errors) {
    if (start === undefined) return false
    const around = file.statements.filter((s) => s.pos <= start && start <= s.end)
    if (!around.length) return false
    for (const s of around) broken.add(s)
  }
  return [...broken].every((s) => isInert(s, 0))
}

function isInert(node: ts.Node, depth: number): boolean {
  const ts = typescript()
  if (depth > 60) return false
  if (ts.isCallExpression(node) && !ts.isNumericLiteral(node.expression)) return false
  if (ts.isNewExpression(node) && node.arguments?.length) return false
  if (ts.isBinaryExpression(node) && node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment && node.operatorToken.kind <= ts.SyntaxKind.LastAssignment)
    return false
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isExportAssignment(node) || ts.isImportEqualsDeclaration(node)) return false
  if (
    ts.isFunctionLike(node) &&
    !ts.isTypeNode(node) &&
    !ts.isMethodSignature(node) &&
    !ts.isCallSignatureDeclaration(node) &&
    !ts.isIndexSignatureDeclaration(node)
  )
    return false
  if (ts.isClassLike(node) || ts.isTaggedTemplateExpression(node) || ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node))
    return false
  if (ts.isVariableStatement(node)) return false
  let inert = true
  ts.forEachChild(node, (child) => {
    inert &&= isInert(child, depth + 1)
    return undefined
  })
  return inert
}
