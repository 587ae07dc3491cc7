import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { childrenOf, expressions, statements, stringOf } from '../frameworks/walk.ts'

/** `process.env.NODE_ENV`, `import.meta.env.MODE`: the build writes its value in, and drops what it rules out. */
const isMode = (e: Expr): boolean => e.k === 'mem' && (e.name === 'NODE_ENV' || e.name === 'MODE')

/** A condition that no production build meets. */
function asksForDevelopment(e: Expr, names: ReadonlySet<string>): boolean {
  if (e.k === 'id') return names.has(e.name)
  if (e.k === 'mem') return e.name === 'DEV'
  if (e.k !== 'bin') return false
  const value = isMode(e.a) ? stringOf(e.b) : isMode(e.b) ? stringOf(e.a) : undefined
  if (value === undefined) return false
  return /^={2,3}$/.test(e.op) ? value !== 'production' : /^!==?$/.test(e.op) && value === 'production'
}

/** Constants of the module that hold such a condition. */
function developmentNames(js: JavaScriptFacts): ReadonlySet<string> {
  const none: ReadonlySet<string> = new Set()
  const top = statements(js.functions[0]?.body ?? [])
  return new Set(top.flatMap((s) => (s.k === 'let' && s.to.k === 'name' && s.init && asksForDevelopment(s.init, none) ? [s.to.name] : [])))
}

/** The expressions of a function that stand beside such a condition: `isDevelopment && password === 'dev'`. */
export function developmentOnly(fn: FunctionIR, js: JavaScriptFacts): ReadonlySet<Expr> {
  const names = developmentNames(js)
  const found = new Set<Expr>()
  const take = (e: Expr): void => {
    found.add(e)
    for (const child of childrenOf(e)) take(child)
  }
  const operands = (e: Expr): readonly Expr[] => (e.k === 'logic' && e.op === '&&' ? [...operands(e.a), ...operands(e.b)] : [e])
  for (const e of expressions(fn)) {
    if (e.k === 'logic' && e.op === '&&' && operands(e).some((x) => asksForDevelopment(x, names))) take(e)
    // `isDevelopment ? [Credentials(…)] : []`
    if (e.k === 'cond' && asksForDevelopment(e.test, names)) take(e.then)
  }
  return found
}

/** What is there for work on somebody's own machine asks where it runs. */
export const asksMode = (fn: FunctionIR): boolean =>
  expressions(fn).some((e) => e.k === 'mem' && (e.name === 'NODE_ENV' || e.name === 'DEV' || e.name === 'VERCEL_ENV'))
