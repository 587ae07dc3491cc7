import type { Expr, FunctionIR } from '../../../facts/javascript.ts'

/**
 * Whether a function walks through its first parameter, calls itself for what is inside and gives all of it back: what cleans every text of a request body
 * (`req.body = sanitizeObject(req.body)`). What comes out has the members that went in. `written` is the body as JSON.
 */
export function copiesThroughout({ name, params, body }: FunctionIR, written: string): boolean {
  const [first] = params
  if (!name || first?.k !== 'name' || written.length > MAX_TEXT || !mentionsItself(written, name)) return false
  return walksThrough(body, first.name)
}

const MAX_TEXT = 20_000

/** By its name (`clean(value)`, `.map(clean)`) or as a method (`this.clean(value)`). */
const mentionsItself = (written: string, name: string): boolean => written.includes(`"name":${JSON.stringify(name)}`)

/** `Object.entries(x)`, `Object.keys(x)`, `for (const key in x)`. */
function walksThrough(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false
  const n = node as { readonly k?: string; readonly how?: string; readonly over?: Expr }
  const isIt = (e: Expr | undefined) => e?.k === 'id' && e.name === name
  if (n.k === 'loop' && n.how === 'in' && isIt(n.over)) return true
  if (n.k === 'call') {
    const { fn, args } = node as Extract<Expr, { k: 'call' }>
    if (fn.k === 'mem' && fn.of.k === 'id' && fn.of.name === 'Object' && /^(?:entries|keys)$/.test(fn.name) && isIt(args[0])) return true
  }
  return Object.values(node).some((part) => walksThrough(part, name))
}
