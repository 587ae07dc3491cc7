import type { ts } from 'ts-morph'
import type { Problem } from '../../facts.ts'
import type { JavaScriptFacts } from '../../javascript.ts'
import type { SecretSpan } from '../../secrets/detect.ts'
import { SYNTAX_ERROR } from '../../syntax-error.ts'
import { findComments } from './comments.ts'
import { eraseUnreadImports } from './imports.ts'
import { errorsAreInert } from './inert-errors.ts'
import { lowerExpression } from './lower-expression.ts'
import { directives, lowerFunction } from './lower-function.ts'
import { lowerPattern } from './lower-pattern.ts'
import { lowerBody, lowerStatements } from './lower-statement.ts'
import { type Lowering, lineFinder, MAX_DEPTH } from './lowering.ts'
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
  const lineOf = lineFinder(file.getLineStarts())
  const c = lowering(file, options, lineOf)
  c.functions[0]!.e = lineOf(text.length)
  const found = directives(c, file.statements)
  c.functions[0]!.body.push(...c.statements(file.statements))
  if (options.erasesUnread && !c.decorated && c.tooDeepAt === undefined) eraseUnreadImports(c)
  const facts: JavaScriptFacts = {
    directives: found,
    imports: c.imports,
    exports: c.exports,
    functions: c.functions,
    comments: findComments(c, options.original, lineOf),
  }
  return { facts: options.secrets.length > 0 ? sweepSecrets(facts, text, options.secrets) : facts, problems: problems(file, c, lineOf) }
}

function lowering(file: ts.SourceFile, options: LowerOptions, lineOf: (position: number) => number): Lowering {
  const ts = typescript()
  const { text } = file
  const skipTrivia = (ts as unknown as { skipTrivia(text: string, position: number): number }).skipTrivia
  const start = (node: ts.Node): number => {
    const code = text.charCodeAt(node.pos)
    // Most nodes start right where they are or after one blank; the scanner is for line breaks and comments.
    if (code > 47) return node.pos
    if (code === 32) {
      const next = text.charCodeAt(node.pos + 1)
      if (next > 47) return node.pos + 1
    }
    return skipTrivia(text, node.pos)
  }
  const c: Lowering = {
    ts,
    file,
    text,
    functions: [{ id: 0, params: [], body: [], l: 1, e: 1 }],
    imports: [],
    exports: [],
    secrets: options.secrets,
    read: new Set(),
    current: 0,
    depth: 0,
    tooDeepAt: undefined,
    decorated: false,
    start,
    line: (node) => lineOf(start(node)),
    endLine: (node) => lineOf(node.end),
    expression: (node, name) => lowerExpression(c, node, name),
    statements: (nodes) => lowerStatements(c, nodes),
    body: (node) => lowerBody(c, node),
    pattern: (node, init) => lowerPattern(c, node, init),
    fn: (node, name) => lowerFunction(c, node, name),
  }
  return c
}

function problems(file: ts.SourceFile, c: Lowering, lineOf: (position: number) => number): Problem[] {
  const found: Problem[] = []
  const errors = (file as unknown as { parseDiagnostics?: readonly { start?: number; messageText: unknown }[] }).parseDiagnostics ?? []
  const first = errors[0]
  if (first && !errorsAreInert(file, errors))
    found.push({
      line: lineOf(first.start ?? 0),
      message: `${SYNTAX_ERROR} (${String(typeof first.messageText === 'string' ? first.messageText : 'see the line').slice(0, 80)})`,
    })
  if (c.tooDeepAt !== undefined) found.push({ line: c.tooDeepAt, message: `is nested more than ${MAX_DEPTH} levels deep; what is deeper was not read` })
  return found
}
