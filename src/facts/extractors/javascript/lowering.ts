import type { ts } from 'ts-morph'
import type { ExportFact, Expr, FunctionId, FunctionIR, ImportFact, Pattern, Stmt } from '../../javascript.ts'
import type { SecretSpan } from '../../secrets/detect.ts'
import type { TypeScript } from './typescript.ts'

/** Levels of nesting that are lowered; what is deeper becomes `opaque` and the file gets a problem. */
export const MAX_DEPTH = 500

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type ImportDraft = Mutable<ImportFact>
export type FunctionDraft = Mutable<FunctionIR> & { body: Stmt[] }

/** The state of lowering one file, and the entry points by which its parts call each other. */
export interface Lowering {
  readonly ts: TypeScript
  /** Kinds of nodes. Hot paths compare `node.kind` with these: a guard such as `ts.isBlock` is a getter of a namespace, looked up at each call. */
  readonly K: TypeScript['SyntaxKind']
  readonly file: ts.SourceFile
  readonly text: string
  readonly functions: FunctionDraft[]
  readonly imports: ImportDraft[]
  readonly exports: ExportFact[]
  /** Names that stand for the object that a CommonJS module is. */
  readonly exported: Set<string>
  readonly secrets: readonly SecretSpan[]
  /** Names of imports that no expression has read yet: an import without a reader is erased by every TypeScript compiler. */
  readonly unread: Set<string>
  /** The function whose body is being lowered. */
  current: FunctionId
  depth: number
  /** Line at which nesting went past `MAX_DEPTH`. */
  tooDeepAt: number | undefined
  decorated: boolean
  expression(node: ts.Node, name?: string): Expr
  statements(nodes: readonly ts.Statement[]): Stmt[]
  body(node: ts.Statement): Stmt[]
  pattern(node: ts.Node, init?: ts.Expression): Pattern
  fn(node: ts.SignatureDeclaration & { body?: ts.Node }, name?: string): FunctionId
  /** Line of the first character of a node (comments before it left out), 1-based. Lines are found fastest in the order of the text: this before the node's children, `endLine` after them. */
  line(node: ts.Node): number
  endLine(node: ts.Node): number
  /** 1-based line of a position. */
  lineOf(position: number): number
  start(node: ts.Node): number
  /** An expression reads a name. */
  reads(name: string): void
}

/** A list without the room for more that lists which were added to keep: there are hundreds of thousands, and they live as long as the facts. */
export function exact<T>(list: T[]): T[] {
  return list.length > 0 ? list.slice() : list
}

/**
 * `l` and `e` of a node, `e` left out when it says nothing new. The commonest nodes write the two out in place of spreading them: an object that
 * something is spread into keeps its properties apart from itself, which takes more room and more time.
 */
export function at(c: Lowering, node: ts.Node): { l: number; e?: number } {
  const l = c.line(node)
  const e = c.endLine(node)
  return e === l ? { l } : { l, e }
}
