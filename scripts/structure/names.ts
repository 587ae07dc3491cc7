import ts from 'typescript'
import type { SourceFile } from './source-files.ts'

/** Names of exported functions that two or more files define, each with its files. Re-exports define nothing. */
export function functionNamesakes(files: readonly SourceFile[]): Map<string, string[]> {
  const definitions = files.flatMap((file) =>
    file.tree.statements.flatMap((s) => exportedFunctions(s).map((name) => ({ name, text: file.path, path: file.path }))),
  )
  return sharedNames(definitions)
}

/** Names of constants at the top of two or more files that stand for different word lists, expressions or tables. Numbers and plain strings may share a name. */
export function ambiguousConstants(files: readonly SourceFile[]): Map<string, string[]> {
  return sharedNames(files.flatMap((file) => file.tree.statements.flatMap((s) => constants(s).map((c) => ({ ...c, path: file.path })))))
}

interface Definition {
  readonly name: string
  readonly text: string
  readonly path: string
}

function sharedNames(definitions: readonly Definition[]): Map<string, string[]> {
  const shared = [...Map.groupBy(definitions, (d) => d.name)].filter(([, all]) => new Set(all.map((d) => d.text)).size > 1)
  return new Map(shared.map(([name, all]): [string, string[]] => [name, [...new Set(all.map((d) => d.path))].sort()]).filter(([, paths]) => paths.length > 1))
}

function exportedFunctions(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement)) return isExported(statement) && statement.name ? [statement.name.text] : []
  if (!ts.isVariableStatement(statement) || !isExported(statement)) return []
  return statement.declarationList.declarations.flatMap((d) => (d.initializer && isFunction(d.initializer) && ts.isIdentifier(d.name) ? [d.name.text] : []))
}

function constants(statement: ts.Statement): { name: string; text: string }[] {
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap((d) =>
    d.initializer && ts.isIdentifier(d.name) && /^[A-Z][A-Z0-9_]*$/.test(d.name.text) && isTable(d.initializer)
      ? [{ name: d.name.text, text: d.initializer.getText().replace(/\s+/g, ' ') }]
      : [],
  )
}

function isTable(node: ts.Expression): boolean {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return isTable(node.expression)
  if (ts.isNewExpression(node)) return /^(?:Set|Map|RegExp)$/.test(node.expression.getText())
  return ts.isRegularExpressionLiteral(node) || ts.isArrayLiteralExpression(node) || ts.isObjectLiteralExpression(node) || ts.isTemplateExpression(node)
}

function isFunction(node: ts.Expression): boolean {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node)
}

function isExported(node: ts.FunctionDeclaration | ts.VariableStatement): boolean {
  return node.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword) ?? false
}
