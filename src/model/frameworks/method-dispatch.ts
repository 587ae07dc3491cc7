import type { Expr, FunctionId, FunctionIR, Stmt } from '../../facts/javascript.ts'
import type { Code, Program } from './program.ts'
import { blocksOf, expressionsDeep, stringOf } from './walk.ts'

const METHOD = /^(GET|POST|PUT|PATCH|DELETE)$/

/**
 * The methods that a handler for all methods accepts, when it says so at its top: `if (req.method !== 'POST') return …`
 * or a `switch (req.method)`, there or in the function that it hands its request on to. Empty when it takes all, or says it in a way that is not understood.
 */
export function methodsTested(program: Program, code: Code | undefined): readonly string[] {
  const fn = code?.k === 'fn' ? { path: code.path, fn: code.fn } : handlerInside(program, code)
  return fn ? testedIn(program, fn.path, fn.fn, 0) : []
}

interface Handler {
  readonly path: string
  readonly fn: FunctionId
}

/** The function given to a wrapper, `withAuth(async (req, res) => …)`, or named in it. */
function handlerInside(program: Program, code: Code | undefined): Handler | undefined {
  if (code?.k !== 'expr' || code.expr.k !== 'call') return undefined
  for (const arg of [...code.expr.args].reverse()) {
    const m = program.meaning(code.path, code.scope, arg)
    if (m?.k === 'fn') return { path: m.path, fn: m.fn }
  }
  return undefined
}

function testedIn(program: Program, path: string, id: FunctionId, depth: number): readonly string[] {
  const fn = program.fn(path, id)
  if (!fn || depth > MAX_HANDED_ON) return []
  const here = fromStatements(fn.body, new Map())
  if (here.length) return here
  const next = handedOn(program, path, fn)
  return next ? testedIn(program, next.path, next.fn, depth + 1) : []
}

const MAX_HANDED_ON = 4

/** Where a function does nothing but hand its request on, `return handle(req, res)`, the function that gets it. */
function handedOn(program: Program, path: string, fn: FunctionIR): Handler | undefined {
  const first = fn.params[0]
  const last = fn.body.at(-1)
  if (first?.k !== 'name' || !last || fn.body.some((s) => s.k === 'if' || s.k === 'switch')) return undefined
  let call = last.k === 'return' ? last.value : last.k === 'expr' ? last.expr : undefined
  if (call?.k === 'await') call = call.of
  if (call?.k !== 'call' || !call.args.some((a) => a.k === 'id' && a.name === first.name)) return undefined
  const m = program.meaning(path, fn.id, call.fn)
  return m?.k === 'fn' ? { path: m.path, fn: m.fn } : undefined
}

/** What names stand for in the statements before: `const isPost = req.method === 'POST'`. */
type Named = ReadonlyMap<string, Expr>

function fromStatements(body: readonly Stmt[], outer: Named): readonly string[] {
  const equal: string[] = []
  const named = new Map(outer)
  for (const s of body) {
    if (s.k === 'let') {
      if (s.to.k === 'name' && s.init) named.set(s.to.name, s.init)
    } else if (s.k === 'if') {
      const t = comparison(s.test, named)
      // `if (id) { … } else return res.status(400).end()` stands around what tests the method
      const through = t ? undefined : s.else && ends(s.else) ? s.then : s.else && ends(s.then) ? s.else : undefined
      const inside = through ? fromStatements(through, named) : []
      if (inside.length) return inside
      if (t?.op === 'not' && ends(s.then)) return t.methods
      if (t?.op === 'not' && s.else) equal.push(...t.methods)
      if (t?.op === 'is') {
        equal.push(...t.methods)
        // `if (req.method === 'POST') { … } else …`
        let e = s.else
        while (e?.length === 1 && e[0]?.k === 'if') {
          const inner = comparison(e[0].test, named)
          if (inner?.op === 'is') equal.push(...inner.methods)
          e = e[0].else
        }
      }
    } else if (s.k === 'switch' && isMethod(s.on, named)) {
      return [...new Set(s.cases.flatMap((c) => (stringOf(c.test) ?? '').toUpperCase()).filter((m) => METHOD.test(m)))]
    } else if (s.k === 'try' || s.k === 'block') {
      const inner = fromStatements(s.body, named)
      if (inner.length) return inner
    }
  }
  return [...new Set(equal)]
}

function comparison(test: Expr, named: Named): { op: 'is' | 'not'; methods: string[] } | undefined {
  if (test.k === 'id') {
    const said = named.get(test.name)
    return said && said !== test ? comparison(said, without(named, test.name)) : undefined
  }
  if (test.k === 'un' && test.op === '!') {
    const inner = comparison(test.of, named)
    return inner && { op: inner.op === 'is' ? 'not' : 'is', methods: inner.methods }
  }
  if (test.k === 'bin' && /^[!=]==?$/.test(test.op)) {
    const method = isMethod(test.a, named) ? stringOf(test.b) : isMethod(test.b, named) ? stringOf(test.a) : undefined
    if (method && METHOD.test(method.toUpperCase())) return { op: test.op.startsWith('!') ? 'not' : 'is', methods: [method.toUpperCase()] }
  }
  if (test.k === 'logic') {
    const a = comparison(test.a, named)
    const b = comparison(test.b, named)
    // `method !== 'GET' && method !== 'POST'` refuses all others; `method === 'A' || method === 'B'` takes both.
    if (a && b && a.op === b.op && (a.op === 'not' ? test.op === '&&' : test.op === '||')) return { op: a.op, methods: [...a.methods, ...b.methods] }
  }
  return undefined
}

function isMethod(e: Expr, named: Named): boolean {
  if (e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'toUpperCase') return isMethod(e.fn.of, named)
  if (e.k === 'mem') return e.name === 'method' || e.name === 'httpMethod'
  if (e.k !== 'id') return false
  const said = named.get(e.name)
  return e.name === 'method' || (said !== undefined && isMethod(said, without(named, e.name)))
}

function without(named: Named, name: string): Named {
  const others = new Map(named)
  others.delete(name)
  return others
}

function ends(body: readonly Stmt[]): boolean {
  return body.some((s) => s.k === 'return' || s.k === 'throw' || blocksOf(s).some((b) => ends(b)))
}

const NO_METHODS: Named = new Map()

/** True when a function (or one written inside it) compares the request's method with the given one. */
export function comparesMethod(program: Program, path: string, fn: number, method: string): boolean {
  const js = program.js(path)
  if (!js) return false
  for (const { expr } of expressionsDeep(js, fn))
    if (expr.k === 'bin' && /^[!=]==?$/.test(expr.op) && comparison(expr, NO_METHODS)?.methods.includes(method)) return true
  return false
}
