/** Which stage a test of the code asks for. What only runs in development (`http://localhost`) is not what users get, and must not be taken for it. */
import type { Expr, Stmt } from '../../facts/javascript.ts'
import { blocksOf, calleeText, stringOf } from '../frameworks/walk.ts'

/** Which stage a test asks for: `NODE_ENV === 'development'`, `import.meta.env.DEV`, `hostname === 'localhost'`. */
export function stageTest(test: Expr): 'development' | 'production' | undefined {
  if (test.k === 'un' && test.op === '!') {
    const inner = stageTest(test.of)
    return inner && (inner === 'development' ? 'production' : 'development')
  }
  if (test.k === 'logic' && test.op === '&&') return stageTest(test.a) ?? stageTest(test.b)
  if (test.k === 'mem' || test.k === 'id') {
    const name = calleeText(test)
    if (/\.env\.DEV$|^__DEV__$|^dev$|(?:^|\.)(?:is_?Dev(?:elopment)?|isLocal|isLocalhost)$/i.test(name)) return 'development'
    if (/\.env\.PROD$|(?:^|\.)is_?Prod(?:uction)?$/i.test(name)) return 'production'
  }
  if (test.k === 'bin' && /^[!=]==?$/.test(test.op)) {
    const value = stringOf(test.b) ?? stringOf(test.a)
    const name = calleeText(stringOf(test.b) === undefined ? test.b : test.a)
    if (value === undefined || !/(NODE_ENV|VERCEL_ENV|APP_ENV|\.MODE|ENVIRONMENT|hostname|host)$/i.test(name)) return undefined
    const is = /^(development|dev|local|localhost|test|127\.0\.0\.1)$/.test(value) ? 'development' : value === 'production' ? 'production' : undefined
    if (!is) return undefined
    return test.op.startsWith('!') ? (is === 'development' ? 'production' : 'development') : is
  }
  if (test.k === 'call' && test.fn.k === 'mem' && test.fn.name === 'includes' && /^(localhost|127\.0\.0\.1)$/.test(stringOf(test.args[0]) ?? ''))
    return 'development'
  return undefined
}

/** Statements, those left out that run in development only. */
export function* outsideDevelopment(body: readonly Stmt[]): Generator<Stmt> {
  for (const s of body) {
    yield s
    if (s.k === 'if') {
      const stage = stageTest(s.test)
      if (stage !== 'development') yield* outsideDevelopment(s.then)
      if (stage !== 'production') yield* outsideDevelopment(s.else ?? [])
    } else for (const b of blocksOf(s)) yield* outsideDevelopment(b)
  }
}

/** Whether a test asks whether the code runs in a browser. */
export function isBrowserTest(test: Expr): boolean {
  return [...subTests(test)].some((t) => t.k === 'un' && t.op === 'typeof' && calleeText(t.of) === 'window')
}

/** A test with the parts of which `&&`, `||` and comparisons put it together. */
function* subTests(e: Expr): Generator<Expr> {
  yield e
  if (e.k === 'bin' || e.k === 'logic') {
    yield* subTests(e.a)
    yield* subTests(e.b)
  }
}
