import type { Expr, Stmt } from '../../facts/javascript.ts'
import type { Code } from './entry.ts'
import type { Program } from './program.ts'
import { blocksOf, expressionsDeep, stringOf } from './walk.ts'

const METHOD = /^(GET|POST|PUT|PATCH|DELETE)$/

/**
 * The methods that a handler for all methods accepts, when it says so at its top: `if (req.method !== 'POST') return …`
 * or a `switch (req.method)`. Empty when it takes all, or says it in a way that is not understood.
 */
export function methodsTested(program: Program, code: Code | undefined): readonly string[] {
  const fn = code?.k === 'fn' ? program.fn(code.path, code.fn) : handlerInside(program, code)
  if (!fn) return []
  return fromStatements(fn.body)
}

/** The function given to a wrapper, `withAuth(async (req, res) => …)`, or named in it. */
function handlerInside(program: Program, code: Code | undefined) {
  if (code?.k !== 'expr' || code.expr.k !== 'call') return undefined
  for (const arg of [...code.expr.args].reverse()) {
    const m = program.meaning(code.path, code.scope, arg)
    if (m?.k === 'fn') return program.fn(m.path, m.fn)
  }
  return undefined
}

function fromStatements(body: readonly Stmt[]): readonly string[] {
  const equal: string[] = []
  for (const s of body) {
    if (s.k === 'if') {
      const t = comparison(s.test)
      if (t?.op === 'not' && ends(s.then)) return t.methods
      if (t?.op === 'is') {
        equal.push(...t.methods)
        // `if (req.method === 'POST') { … } else …`
        let e = s.else
        while (e?.length === 1 && e[0]?.k === 'if') {
          const inner = comparison(e[0].test)
          if (inner?.op === 'is') equal.push(...inner.methods)
          e = e[0].else
        }
      }
    } else if (s.k === 'switch' && isMethod(s.on)) {
      return [...new Set(s.cases.flatMap((c) => (stringOf(c.test) ?? '').toUpperCase()).filter((m) => METHOD.test(m)))]
    } else if (s.k === 'try') {
      const inner = fromStatements(s.body)
      if (inner.length) return inner
    }
  }
  return [...new Set(equal)]
}

function comparison(test: Expr): { op: 'is' | 'not'; methods: string[] } | undefined {
  if (test.k === 'bin' && /^[!=]==?$/.test(test.op)) {
    const method = isMethod(test.a) ? stringOf(test.b) : isMethod(test.b) ? stringOf(test.a) : undefined
    if (method && METHOD.test(method.toUpperCase())) return { op: test.op.startsWith('!') ? 'not' : 'is', methods: [method.toUpperCase()] }
  }
  if (test.k === 'logic') {
    const a = comparison(test.a)
    const b = comparison(test.b)
    // `method !== 'GET' && method !== 'POST'` refuses all others; `method === 'A' || method === 'B'` takes both.
    if (a && b && a.op === b.op && (a.op === 'not' ? test.op === '&&' : test.op === '||')) return { op: a.op, methods: [...a.methods, ...b.methods] }
  }
  return undefined
}

function isMethod(e: Expr): boolean {
  if (e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'toUpperCase') return isMethod(e.fn.of)
  return (e.k === 'mem' && (e.name === 'method' || e.name === 'httpMethod')) || (e.k === 'id' && e.name === 'method')
}

function ends(body: readonly Stmt[]): boolean {
  return body.some((s) => s.k === 'return' || s.k === 'throw' || blocksOf(s).some((b) => ends(b)))
}

/** True when a function (or one written inside it) compares the request's method with the given one. */
export function comparesMethod(program: Program, path: string, fn: number, method: string): boolean {
  const js = program.js(path)
  if (!js) return false
  for (const { expr } of expressionsDeep(js, fn)) if (expr.k === 'bin' && /^[!=]==?$/.test(expr.op) && comparison(expr)?.methods.includes(method)) return true
  return false
}
