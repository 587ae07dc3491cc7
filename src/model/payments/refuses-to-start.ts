import type { Expr, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'

/** Where a module throws while it is loaded because a secret is missing: `if (!process.env.WEBHOOK_SECRET) throw …` in its own body. */
type Refusal = 'always' | 'in production'

const STAGE = /prod|_ENV$|^(is_?)?dev(elopment)?$|stage|staging/i

/** When loading a file fails without the variable; undefined when it loads all the same. */
export function refusesToStart(file: JavaScriptFacts | undefined, variable: string | undefined): Refusal | undefined {
  const body = file?.functions[0]?.body
  return body && search(body, (name) => (variable ? name === variable : /SECRET/i.test(name)), false)
}

function search(body: readonly Stmt[], asked: (name: string) => boolean, staged: boolean): Refusal | undefined {
  for (const s of body) {
    if (s.k !== 'if') continue
    const names = namesIn(s.test)
    if (names.some(asked) && s.then.some((t) => t.k === 'throw')) return staged || names.some((n) => STAGE.test(n)) ? 'in production' : 'always'
    const found = search(s.then, asked, staged || names.some((n) => STAGE.test(n)))
    if (found) return found
  }
  return undefined
}

/** Identifiers, members and variables of the environment in an expression. */
function namesIn(e: Expr): string[] {
  const names: string[] = []
  const queue: unknown[] = [e]
  for (const node of queue) {
    if (!node || typeof node !== 'object') continue
    const { k, name } = node as { k?: string; name?: unknown }
    if ((k === 'id' || k === 'mem') && typeof name === 'string') names.push(name)
    queue.push(...Object.values(node))
  }
  return names
}
