import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../../facts/javascript.ts'

/** Where a module throws while it is loaded because a secret is missing: `if (!process.env.WEBHOOK_SECRET) throw …` in its own body. */
type Refusal = 'always' | 'in production'

const STAGE_VARIABLE = /prod|_ENV$|^(is_?)?dev(elopment)?$|stage|staging/i

/** When loading a webhook's file, or the helper that reads its secret, fails without the variable; undefined when neither does. */
export function refusesToStart(path: string, variable: string | undefined, sources: ReadonlyMap<string, JavaScriptFacts>): Refusal | undefined {
  const body = sources.get(path)?.functions[0]?.body
  const own = body && search(body, (name) => (variable ? name === variable : /SECRET/i.test(name)), false)
  return own ?? (variable && isDemanded(variable, sources) ? 'always' : undefined)
}

/** `getEnv('STRIPE_WEBHOOK_SECRET')` of a helper that reads by the name it is given and throws when nothing is there. */
function isDemanded(variable: string, sources: ReadonlyMap<string, JavaScriptFacts>): boolean {
  const helpers = new Set([...sources.values()].flatMap((f) => f.functions.flatMap((fn) => (fn.name && demandsByName(fn) ? [fn.name] : []))))
  if (!helpers.size) return false
  return [...sources.values()].some((file) =>
    file.functions.some((fn) => nodesOf(fn.body).some((n) => n.k === 'call' && n.fn.k === 'id' && helpers.has(n.fn.name) && isText(n.args[0], variable))),
  )
}

function demandsByName(fn: FunctionIR): boolean {
  const [first] = fn.params
  if (first?.k !== 'name' || !fn.body.some((s) => s.k === 'if' && s.then.some((t) => t.k === 'throw'))) return false
  const nodes = nodesOf(fn.body)
  return nodes.some((n) => n.k === 'mem' && n.name === 'env') && nodes.some((n) => n.k === 'idx' && n.index.k === 'id' && n.index.name === first.name)
}

const isText = (e: Expr | undefined, text: string): boolean => e?.k === 'lit' && e.v === text

function search(body: readonly Stmt[], asked: (name: string) => boolean, staged: boolean): Refusal | undefined {
  for (const s of body) {
    if (s.k !== 'if') continue
    const names = namesIn(s.test)
    if (names.some(asked) && s.then.some((t) => t.k === 'throw')) return staged || names.some((n) => STAGE_VARIABLE.test(n)) ? 'in production' : 'always'
    const found = search(s.then, asked, staged || names.some((n) => STAGE_VARIABLE.test(n)))
    if (found) return found
  }
  return undefined
}

/** Identifiers and members of an expression. */
const namesIn = (e: Expr): string[] => nodesOf(e).flatMap((n) => (n.k === 'id' || n.k === 'mem' ? [n.name] : []))

/** Expressions anywhere in a piece of code. */
function nodesOf(root: Expr | readonly Stmt[]): Expr[] {
  const found: Expr[] = []
  const queue: unknown[] = [root]
  for (const node of queue) {
    if (!node || typeof node !== 'object') continue
    if (typeof (node as { k?: unknown }).k === 'string') found.push(node as Expr)
    queue.push(...Object.values(node))
  }
  return found
}
