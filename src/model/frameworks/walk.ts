import type { ClassIR, Expr, FunctionId, FunctionIR, JavaScriptFacts, Pattern, Stmt } from '../../facts/javascript.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'

export { boundNames } from '../../facts/bound-names.ts'

const NO_EXPRESSIONS: readonly Expr[] = []

/** Direct sub-expressions of an expression; functions and classes are not entered. */
export function childrenOf(e: Expr): readonly Expr[] {
  switch (e.k) {
    case 'tpl':
      return e.exprs
    case 'tag':
      return [e.tag, e.tpl]
    case 'mem':
    case 'spread':
    case 'un':
    case 'await':
      return [e.of]
    case 'idx':
      return [e.of, e.index]
    case 'call':
    case 'new':
      return [e.fn, ...e.args]
    case 'import':
      return [e.from]
    case 'obj':
      return e.props.flatMap((p) => (p.computed ? [p.computed, p.value] : [p.value]))
    case 'arr':
    case 'seq':
      return e.items
    case 'bin':
    case 'logic':
      return [e.a, e.b]
    case 'cond':
      return [e.test, e.then, e.else]
    case 'yield':
      return e.of ? [e.of] : NO_EXPRESSIONS
    case 'assign':
      return [...patternExprs(e.to), e.value]
    case 'jsx':
      return [...(typeof e.tag === 'object' && e.tag ? [e.tag] : []), ...e.attrs.map((a) => a.value), ...e.children]
    case 'class':
      return classExprs(e.class)
    default:
      return NO_EXPRESSIONS
  }
}

/** Expressions inside a class that run when it is defined. */
export function classExprs(c: ClassIR): readonly Expr[] {
  return [...(c.extends ? [c.extends] : []), ...c.decorators, ...c.members.flatMap((m) => [...m.decorators, ...(m.value ? [m.value] : [])])]
}

/** Default values and targets inside a pattern. */
export function patternExprs(p: Pattern): readonly Expr[] {
  switch (p.k) {
    case 'name':
      return p.init ? [p.init] : []
    case 'object':
      return [...p.props.flatMap((x) => patternExprs(x.to)), ...(p.init ? [p.init] : [])]
    case 'array':
      return [...p.items.flatMap((x) => (x ? patternExprs(x) : [])), ...(p.init ? [p.init] : [])]
    case 'rest':
      return patternExprs(p.to)
    case 'expr':
      return [p.expr]
  }
}

/** The statements of a body and, down to `nested` levels, of what is not run apart from it: both sides of tests, tries with their handlers, blocks. */
export function eachStatement(body: readonly Stmt[], nested: number, visit: (s: Stmt) => void): void {
  for (const s of body) {
    visit(s)
    if (nested === 0) continue
    const inside =
      s.k === 'if' ? [s.then, s.else] : s.k === 'try' ? [s.body, s.handler] : s.k === 'block' ? [s.body] : s.k === 'switch' ? s.cases.map((c) => c.body) : []
    for (const list of inside) if (list) eachStatement(list, nested - 1, visit)
  }
}

/** Statements directly nested in a statement. */
export function blocksOf(s: Stmt): readonly (readonly Stmt[])[] {
  switch (s.k) {
    case 'if':
      return s.else ? [s.then, s.else] : [s.then]
    case 'try':
      return [s.body, ...(s.handler ? [s.handler] : []), ...(s.finalizer ? [s.finalizer] : [])]
    case 'loop':
      return [...(s.init ? [s.init] : []), s.body]
    case 'switch':
      return s.cases.map((c) => c.body)
    case 'block':
      return [s.body]
    default:
      return []
  }
}

/** Expressions that stand directly in a statement. */
export function exprsOf(s: Stmt): readonly Expr[] {
  switch (s.k) {
    case 'let':
      return [...patternExprs(s.to), ...(s.init ? [s.init] : [])]
    case 'expr':
      return [s.expr]
    case 'return':
      return s.value ? [s.value] : []
    case 'throw':
      return [s.value]
    case 'if':
      return [s.test]
    case 'loop':
      return [s.over, s.test, s.update].filter((x): x is Expr => x !== undefined)
    case 'switch':
      return [s.on, ...s.cases.flatMap((c) => (c.test ? [c.test] : []))]
    case 'class':
      return classExprs(s.class)
    default:
      return []
  }
}

/** What runs one after the other when nothing goes wrong. */
export const straight = (body: readonly Stmt[]): readonly Stmt[] => body.flatMap((s) => (s.k === 'try' ? straight(s.body) : [s]))

const statementsOf = new WeakMap<readonly Stmt[], readonly Stmt[]>()

/** Every statement of a list, nested ones included, in source order. */
export function statements(body: readonly Stmt[]): readonly Stmt[] {
  let known = statementsOf.get(body)
  if (!known) {
    known = collectStatements(body, [])
    statementsOf.set(body, known)
  }
  return known
}

function collectStatements(body: readonly Stmt[], out: Stmt[]): readonly Stmt[] {
  for (const s of body) {
    out.push(s)
    for (const b of blocksOf(s)) collectStatements(b, out)
  }
  return out
}

/** Every expression below (and with) an expression, outermost first; functions are not entered. */
export const subExpressions = (e: Expr): readonly Expr[] => collectExpressions(e, [])

function collectExpressions(e: Expr, out: Expr[]): Expr[] {
  out.push(e)
  for (const c of childrenOf(e)) collectExpressions(c, out)
  return out
}

/** A dozen slices read every expression of every file: the list of each function is made once and lives as long as its facts. */
const expressionsOf = new WeakMap<FunctionIR, readonly Expr[]>()

/** Every expression that a function's own body evaluates, nested functions left out. */
export function expressions(fn: FunctionIR): readonly Expr[] {
  let known = expressionsOf.get(fn)
  if (!known) {
    const out: Expr[] = []
    for (const p of fn.params) for (const e of patternExprs(p)) collectExpressions(e, out)
    for (const s of statements(fn.body)) for (const e of exprsOf(s)) collectExpressions(e, out)
    known = out
    expressionsOf.set(fn, known)
  }
  return known
}

/** The same, with the functions written inside it. */
export function* expressionsDeep(js: JavaScriptFacts, id: FunctionId): Generator<{ expr: Expr; scope: FunctionId }> {
  const inside = new Set<FunctionId>([id])
  // Parents come before their children only by convention of the extractor; two passes make it certain.
  for (let pass = 0, grew = true; grew && pass < 64; pass++) {
    grew = false
    for (const f of js.functions)
      if (f.parent !== undefined && !inside.has(f.id) && inside.has(f.parent)) {
        inside.add(f.id)
        grew = true
      }
  }
  for (const f of js.functions) if (inside.has(f.id)) for (const expr of expressions(f)) yield { expr, scope: f.id }
}

/** Every call of a file with the function in which it stands. */
export const callsOf = rememberFor((js: JavaScriptFacts): readonly { readonly call: Extract<Expr, { k: 'call' | 'new' }>; readonly fn: FunctionIR }[] =>
  js.functions.flatMap((fn) => expressions(fn).flatMap((e) => (e.k === 'call' || e.k === 'new' ? [{ call: e, fn }] : []))),
)

/** A call by its callee as dotted text, such as `app.use` or `router.route().get`; undefined parts are `?`. */
export function calleeText(e: Expr): string {
  switch (e.k) {
    case 'id':
      return e.name
    case 'this':
      return 'this'
    case 'mem':
      return `${calleeText(e.of)}.${e.name}`
    case 'call':
      return `${calleeText(e.fn)}()`
    case 'await':
      return calleeText(e.of)
    default:
      return '?'
  }
}

/** The text of a string literal or a template without expressions. */
export function stringOf(e: Expr | undefined): string | undefined {
  if (!e) return undefined
  if (e.k === 'lit' && typeof e.v === 'string') return e.v
  if (e.k === 'tpl' && e.exprs.length === 0) return e.quasis[0]
  return undefined
}

/** The strings of a literal or of an array of literals. */
export function stringsOf(e: Expr | undefined): readonly string[] {
  if (!e) return []
  if (e.k === 'arr') return e.items.flatMap((i) => stringsOf(i))
  const s = stringOf(e)
  return s === undefined ? [] : [s]
}

/** The value of a property of an object literal. */
export function propOf(e: Expr | undefined, key: string): Expr | undefined {
  if (e?.k !== 'obj') return undefined
  return e.props.find((p) => p.key === key)?.value
}
