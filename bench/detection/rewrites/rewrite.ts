import { ts } from 'ts-morph'

/** One way to write the same program differently. */
export interface Rewrite {
  readonly name: string
  /** The new text of a file, or the texts of several by their paths; undefined where there is nothing to rewrite. */
  readonly rewrite: (path: string, text: string) => string | Readonly<Record<string, string>> | undefined
}

const { factory: f } = ts

export { f, ts }

/** Names that no program has. */
export class Names {
  private count = 0
  next(): ts.Identifier {
    return f.createIdentifier(`rw${++this.count}`)
  }
}

/** What is done to the nodes of one file; children have been rewritten before. Undefined leaves a node as it is. */
export type Visit = (node: ts.Node, names: Names, original: ts.Node) => ts.Node | readonly ts.Statement[] | undefined

/** A rewrite that visits every node of a file, innermost first. */
export function visiting(name: string, visit: Visit): Rewrite {
  return {
    name,
    rewrite(path, text) {
      const file = parse(path, text)
      if (!file) return undefined
      const names = new Names()
      let changed = false
      const { transformed, dispose } = ts.transform(file, [
        (context) => (root) => {
          const go = (node: ts.Node): ts.VisitResult<ts.Node> => {
            const inner = ts.visitEachChild(node, go, context)
            const next = visit(inner, names, node)
            if (next === undefined) return inner
            changed = true
            return next as ts.VisitResult<ts.Node>
          }
          return ts.visitEachChild(root, go, context)
        },
      ])
      const result = changed ? print(transformed[0] as ts.SourceFile) : undefined
      dispose()
      return result
    },
  }
}

/** The file's syntax tree, or undefined where the file does not parse: what is broken stays broken in its own way. */
export function parse(path: string, text: string): ts.SourceFile | undefined {
  if (path.endsWith('.sql')) return undefined
  const kind = /\.tsx$/.test(path) ? ts.ScriptKind.TSX : /\.[cm]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  return (file as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics.length ? undefined : file
}

const printer = ts.createPrinter({ removeComments: false })
export const print = (file: ts.SourceFile): string => printer.printFile(file)

export const constant = (name: string | ts.BindingName, value: ts.Expression): ts.Statement =>
  f.createVariableStatement(undefined, f.createVariableDeclarationList([f.createVariableDeclaration(name, undefined, undefined, value)], ts.NodeFlags.Const))

/** Whether control never goes on behind a statement. */
export function ends(node: ts.Statement | undefined): boolean {
  if (!node) return false
  if (ts.isReturnStatement(node) || ts.isThrowStatement(node)) return true
  return ts.isBlock(node) && ends(node.statements.at(-1))
}

/** A list of statements that is a body of something, with a way to put another list in its place. */
export const isBody = (node: ts.Node): node is ts.Block => ts.isBlock(node)

export const has = (node: { modifiers?: ts.NodeArray<ts.ModifierLike> | undefined }, kind: ts.SyntaxKind): boolean =>
  node.modifiers?.some((m) => m.kind === kind) ?? false

/** Whether something inside, functions of its own left out, uses `this` or `arguments`. */
export function usesThis(node: ts.Node): boolean {
  if (node.kind === ts.SyntaxKind.ThisKeyword || (ts.isIdentifier(node) && node.text === 'arguments')) return true
  if (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isClassLike(node)) return false
  return ts.forEachChild(node, (child) => usesThis(child) || undefined) ?? false
}
