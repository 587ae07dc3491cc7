import type { Expr, FunctionIR } from '../../../facts/javascript.ts'

const CONSTANT_TIME_COMPARE_NAME =
  /(?:timing|constant|const|fixed)_?(?:time)?_?(?:safe|attack)?_?(?:str(?:ing)?s?_?|bytes?_?)?(?:equals?|eq|compare|comparison)$|(?:safe|secure)_?(?:str(?:ing)?s?_?)?(?:equals?|eq|compare)$/i
const WRITTEN_OUT = /"\^=?"|timingSafeEqual|digest|createHash|createHmac/
const MAX_TEXT = 20_000

/** What a function that is written to compare in constant time compares: its two parameters, or two variables of its own. */
export type Compared = 'parameters' | readonly [string, string]

/**
 * Comparisons in constant time that are written out (a loop of XORs, digests compared): where they end says nothing, what they compare does. They
 * are known by their name and what they are made of; a short function that XORs characters and compares the sum says it without a name. `written` is the body
 * as JSON.
 */
export function comparedInConstantTime({ name, params, body }: FunctionIR, written: string): Compared | undefined {
  const text = written.slice(0, MAX_TEXT)
  const sides = text.length < 4000 && text.includes('"^') && /"op":"===?"/.test(text) ? xored(body) : undefined
  const own = new Set(params.flatMap((p) => (p.k === 'name' ? [p.name] : [])))
  if (params.length === 2 && (sides?.every((s) => own.has(s)) || (!sides && CONSTANT_TIME_COMPARE_NAME.test(name ?? '') && WRITTEN_OUT.test(text))))
    return 'parameters'
  return sides
}

/** The two variables whose characters or bytes are XORed: `a.charCodeAt(i) ^ b.charCodeAt(i)`, `a[i] ^ b[i]`. */
function xored(node: unknown): readonly [string, string] | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  const e = node as Expr
  if (e.k === 'bin' && e.op === '^') {
    const [a, b] = [indexed(e.a), indexed(e.b)]
    if (a !== undefined && b !== undefined && a !== b) return [a, b]
  }
  for (const part of Object.values(node)) {
    const found = xored(part)
    if (found) return found
  }
  return undefined
}

function indexed(e: Expr): string | undefined {
  // `(a[i] ?? 0)`, `a[i]!`
  if (e.k === 'logic') return indexed(e.a)
  if (e.k === 'idx') return e.of.k === 'id' ? e.of.name : undefined
  if (e.k !== 'call' || e.fn.k !== 'mem' || !/^(?:charCodeAt|codePointAt|at)$/.test(e.fn.name)) return undefined
  return e.fn.of.k === 'id' ? e.fn.of.name : undefined
}
