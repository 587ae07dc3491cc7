import type { ts } from 'ts-morph'
import { lineAt } from '../../../lib/line-finder.ts'
import type { ExportFact, Expr, FunctionId, FunctionIR, ImportFact, Pattern, Stmt } from '../../javascript.ts'
import type { SecretSpan } from '../../secrets/detect.ts'
import type { TypeScript } from './typescript.ts'

/** Levels of nesting that are lowered; what is deeper becomes `opaque` and the file gets a problem. */
export const MAX_DEPTH = 500

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type FunctionDraft = Mutable<FunctionIR> & { body: Stmt[] }

/** The state of lowering one file, and the entry points by which its parts call each other. */
export interface Lowering {
  readonly ts: TypeScript
  readonly file: ts.SourceFile
  readonly text: string
  readonly functions: FunctionDraft[]
  readonly imports: Mutable<ImportFact>[]
  readonly exports: ExportFact[]
  readonly secrets: readonly SecretSpan[]
  /** Names that some expression reads: an import without a reader is erased by every TypeScript compiler. */
  readonly read: Set<string>
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
  /** Line of the first character of a node (comments before it left out), 1-based. */
  line(node: ts.Node): number
  endLine(node: ts.Node): number
  start(node: ts.Node): number
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

/** Positions to lines. Nodes are visited nearly in order, so the last answer is tried first. */
export function lineFinder(starts: readonly number[]): (position: number) => number {
  let last = 0
  return (position) => {
    if ((starts[last] as number) <= position) {
      const next = starts[last + 1]
      if (next === undefined || position < next) return last + 1
      const after = starts[last + 2]
      if (after === undefined || position < after) return ++last + 1
    }
    const line = lineAt(starts, position)
    last = line - 1
    return line
  }
}
