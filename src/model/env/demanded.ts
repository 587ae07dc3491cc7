import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { together, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { steady } from '../../lib/memo/stable-reference.ts'
import { calleeText, childrenOf, expressions, exprsOf, statements } from '../frameworks/walk.ts'
import { envNameOf } from './code-reads.ts'

const SECRET_VARIABLE_NAME = /^[A-Z][A-Z0-9_]*(?:KEY|SECRET|TOKEN|PASS|PASSWORD|PIN)[A-Z0-9_]*$/

/**
 * Variables that some code asks for before it goes on: by their name in a list or a schema (`required: ['ADMIN_KEY']`, `z.object({ ADMIN_KEY: … })`), or
 * with an exception where they are missing.
 */
const demandedIn = collectByCodeFile((_, js: JavaScriptFacts) => unlessEmpty([...new Set(js.functions.flatMap(demandsOf))].sort()))

function demandsOf(fn: FunctionIR): string[] {
  const named = expressions(fn).flatMap((e) => {
    if (e.k === 'obj') return e.props.flatMap((p) => (p.key !== undefined && SECRET_VARIABLE_NAME.test(p.key) && !readsItself(p.value) ? [p.key] : []))
    if (e.k === 'arr') return e.items.flatMap((x) => (x?.k === 'lit' ? nameIn(x) : []))
    return e.k === 'call' && envNameOf(e) === undefined ? e.args.flatMap(nameIn) : []
  })
  return [...named, ...statements(fn.body).flatMap((s) => (s.k === 'if' && s.then.some(stops) ? readIn(s.test) : []))]
}

const nameIn = (e: Expr): string[] => (e.k === 'lit' && typeof e.v === 'string' && SECRET_VARIABLE_NAME.test(e.v) ? [e.v] : [])

/** `{ ADMIN_KEY: process.env.ADMIN_KEY }` hands on what may be missing. */
const readsItself = (e: Expr): boolean => envNameOf(e) !== undefined || (e.k === 'logic' && envNameOf(e.a) !== undefined)

const stops = (s: Stmt): boolean => s.k === 'throw' || exprsOf(s).some((e) => e.k === 'call' && /(?:^|\.)exit$/.test(calleeText(e.fn)))

function readIn(e: Expr): string[] {
  const name = envNameOf(e)
  return name === undefined ? childrenOf(e).flatMap(readIn) : [name]
}

const sameAsBefore = steady<readonly string[]>()

/** The variables that an application does not go on without, of those that look like secrets. */
export const demandedVariables = (files: ReadonlyMap<string, JavaScriptFacts>): readonly string[] =>
  sameAsBefore([...new Set(together(demandedIn(files)))].sort())
