import type { ts } from 'ts-morph'
import { lineAt, lineStarts } from '../../../lib/line-finder.ts'
import type { Problem } from '../../facts.ts'
import type { ExportFact, Expr, FunctionId, JavaScriptFacts, Pattern, Stmt } from '../../javascript.ts'
import type { SecretSpan } from '../../secrets/detect.ts'
import { SYNTAX_ERROR } from '../../syntax-error.ts'
import { findComments } from './comments.ts'
import { eraseUnreadImports, importedNames } from './imports.ts'
import { errorsAreInert } from './inert-errors.ts'
import { lowerExpression } from './lower-expression.ts'
import { directives, lowerFunction } from './lower-function.ts'
import { lowerPattern } from './lower-pattern.ts'
import { lowerBody, lowerStatements } from './lower-statement.ts'
import { type FunctionDraft, type ImportDraft, type Lowering, MAX_DEPTH } from './lowering.ts'
import { sweepSecrets } from './sweep-secrets.ts'
import { typescript } from './typescript.ts'

export type Dialect = 'ts' | 'tsx' | 'js'

export interface LowerOptions {
  readonly dialect: Dialect
  readonly secrets: readonly SecretSpan[]
  /** True where the compiler erases imports that no expression reads: TypeScript files without a template. */
  readonly erasesUnread: boolean
  /** The text before blanking, for comments outside the scripts. */
  readonly original: string
}

/** Parses one file and lowers it. Syntax errors are recovered from and reported as problems. */
export function lower(text: string, options: LowerOptions): { facts: JavaScriptFacts; problems: readonly Problem[] } {
  const ts = typescript()
  const kind = options.dialect === 'ts' ? ts.ScriptKind.TS : options.dialect === 'tsx' ? ts.ScriptKind.TSX : ts.ScriptKind.JSX
  const file = ts.createSourceFile(
    `f.${options.dialect}`,
    text,
    { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
    false,
    kind,
  )
  const c = new FileLowering(file, options.secrets)
  const body = c.functions[0] as FunctionDraft
  body.e = c.lineOf(text.length)
  if (options.erasesUnread) importedNames(c, file.statements)
  const found = directives(c, file.statements)
  body.body = c.statements(file.statements)
  if (options.erasesUnread && !c.decorated && c.tooDeepAt === undefined) eraseUnreadImports(c)
  const facts: JavaScriptFacts = {
    directives: found,
    imports: c.imports,
    exports: c.exports,
    functions: c.functions,
    comments: findComments(c, options.original),
  }
  return { facts: options.secrets.length > 0 ? sweepSecrets(facts, text, options.secrets) : facts, problems: problems(file, c) }
}

/** What ends a line in JavaScript beside a line feed. */
const BREAKS_OF_THE_LANGUAGE = ['\r', '\u2028', '\u2029']

/** The lowering of one file. A class, because every file then runs through the same methods, compiled once. */
class FileLowering implements Lowering {
  readonly ts = typescript()
  readonly K = this.ts.SyntaxKind
  readonly file: ts.SourceFile
  readonly text: string
  readonly functions: FunctionDraft[] = [{ id: 0, params: [], body: [], l: 1, e: 1 }]
  readonly imports: ImportDraft[] = []
  readonly exports: ExportFact[] = []
  readonly exported = new Set<string>()
  readonly secrets: readonly SecretSpan[]
  readonly unread = new Set<string>()
  current: FunctionId = 0
  depth = 0
  tooDeepAt: number | undefined = undefined
  decorated = false
  readonly #skipTrivia = (this.ts as unknown as { skipTrivia(text: string, position: number): number }).skipTrivia
  readonly #lineStarts: readonly number[]
  #lastLine = 1

  constructor(file: ts.SourceFile, secrets: readonly SecretSpan[]) {
    this.file = file
    this.text = file.text
    this.secrets = secrets
    this.#lineStarts = BREAKS_OF_THE_LANGUAGE.some((c) => file.text.includes(c)) ? file.getLineStarts() : lineStarts(file.text)
  }

  expression(node: ts.Node, name?: string): Expr {
    return lowerExpression(this, node, name)
  }

  statements(nodes: readonly ts.Statement[]): Stmt[] {
    return lowerStatements(this, nodes)
  }

  body(node: ts.Statement): Stmt[] {
    return lowerBody(this, node)
  }

  pattern(node: ts.Node, init?: ts.Expression): Pattern {
    return lowerPattern(this, node, init)
  }

  fn(node: ts.SignatureDeclaration & { body?: ts.Node }, name?: string): FunctionId {
    return lowerFunction(this, node, name)
  }

  reads(name: string): void {
    if (this.unread.has(name)) this.unread.delete(name)
  }

  start(node: ts.Node): number {
    const { text } = this
    let at = node.pos
    let code = text.charCodeAt(at)
    if (code > 47) return at
    while (code === 32 || code === 10) code = text.charCodeAt(++at)
    // Letters, brackets and quotes begin a token; the scanner is for comments, for marks that a merge left and for rare blanks.
    return (code > 63 && code < 124) || code === 34 || code === 39 || code === 40 ? at : this.#skipTrivia(text, at)
  }

  line(node: ts.Node): number {
    return this.lineOf(this.start(node))
  }

  endLine(node: ts.Node): number {
    return this.lineOf(node.end)
  }

  lineOf(position: number): number {
    this.#lastLine = lineNear(this.#lineStarts, this.#lastLine, position)
    return this.#lastLine
  }
}

/** The line of a position. Nodes are visited nearly in order: most are on the line of the one before, or a few below it. */
function lineNear(starts: readonly number[], last: number, position: number): number {
  if ((starts[last - 1] as number) <= position) {
    const end = Math.min(last + 4, starts.length)
    for (let line = last; line < end; line++) if (position < (starts[line] as number)) return line
  }
  return lineAt(starts, position)
}

function problems(file: ts.SourceFile, c: Lowering): Problem[] {
  const found: Problem[] = []
  const errors = (file as unknown as { parseDiagnostics?: readonly { start?: number; messageText: unknown }[] }).parseDiagnostics ?? []
  const first = errors[0]
  if (first && !errorsAreInert(file, errors))
    found.push({
      line: c.lineOf(first.start ?? 0),
      message: `${SYNTAX_ERROR} (${String(typeof first.messageText === 'string' ? first.messageText : 'see the line').slice(0, 80)})`,
    })
  if (c.tooDeepAt !== undefined) found.push({ line: c.tooDeepAt, message: `is nested more than ${MAX_DEPTH} levels deep; what is deeper was not read` })
  return found
}
