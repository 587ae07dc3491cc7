import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

/** One parsed file of `src`; `path` is relative to the repository, with slashes. */
export interface SourceFile {
  readonly path: string
  readonly tree: ts.SourceFile
  /** Paths of the files that it imports or re-exports from, types included. */
  readonly imports: readonly string[]
}

/** Parses every TypeScript file below `root/src`, without resolving types: a second for a thousand files. */
export function readSourceFiles(root: string): SourceFile[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
}

/** One file from its text. */
export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  return { path, tree, imports: importsOf(path, tree) }
}

/** `import`, `export ... from` and `import('...')` in a value or a type, of relative paths only. */
function importsOf(path: string, tree: ts.SourceFile): string[] {
  const found = new Set<string>()
  visit(tree, (node) => {
    const named = specifierOf(node)
    if (named?.startsWith('.')) found.add(normalize(join(dirname(path), named)).replaceAll('\\', '/'))
  })
  return [...found]
}

function specifierOf(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier))
    return node.moduleSpecifier.text
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) return node.argument.literal.text
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [named] = node.arguments
    return named && ts.isStringLiteral(named) ? named.text : undefined
  }
  return undefined
}

/** Calls `take` for a node and everything below it, parents first. */
export function visit(node: ts.Node, take: (node: ts.Node) => void): void {
  take(node)
  node.forEachChild((child) => visit(child, take))
}

/** `src/a/b.ts:12` */
export function placeOf(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
}
