import { constant, type Val } from './abstract-value.ts'

/** A template literal: constant when all its parts are. */
export function templateLiteral(quasis: readonly string[], exprs: readonly Val[]): Val {
  const [only] = exprs
  // a field of somebody, as a text: `${role}`
  if (only && exprs.length === 1 && (only.v === 'caller' || only.v === 'row') && only.field !== undefined && quasis.every((q) => q === '')) return only
  const parts: Val[] = []
  quasis.forEach((q, i) => {
    if (q) parts.push(constant(q))
    const x = exprs[i]
    if (x) parts.push(x)
  })
  return concatText(parts)
}

/** Concatenation, with neighbouring constants joined. */
export function concatText(parts: readonly Val[]): Val {
  const out: Val[] = []
  for (const p of parts.flatMap((x) => (x.v === 'text' ? x.parts : [x]))) {
    const last = out[out.length - 1]
    if (p.v === 'const' && last?.v === 'const') out[out.length - 1] = constant(String(last.value) + String(p.value))
    else out.push(p.v === 'const' ? constant(String(p.value)) : p)
  }
  if (out.length === 0) return constant('')
  if (out.length === 1 && out[0]?.v === 'const') return out[0]
  return { v: 'text', parts: out }
}
