import type { FunctionIR } from '../../../facts/javascript.ts'
import { constantString, type Val } from '../domain/abstract-value.ts'

const LONGEST = 3000

/**
 * Functions that only write bytes as text or read them back, character by character (`toBase64Url`, `bytesToHex`): the built-in that they stand for.
 * Following their loops would lose what they are given. `text` is the body as JSON.
 */
export function byteEncoding({ params }: FunctionIR, text: string): 'btoa' | 'atob' | 'toString' | undefined {
  if (params.length !== 1 || text.length > LONGEST) return undefined
  const uses = (name: string) => text.includes(`"name":"${name}"`)
  // whoever signs, parses or sends does more than write bytes
  if (/"name":"(?:subtle|crypto|JSON|sign|createHmac|createHash|digest|fetch)"/.test(text)) return undefined
  const oneByOne = ['fromCharCode', 'charCodeAt', 'forEach', 'map', 'reduce', 'from'].some(uses)
  if (uses('btoa')) return oneByOne ? 'btoa' : undefined
  if (uses('atob')) return oneByOne ? 'atob' : undefined
  return uses('padStart') && uses('toString') && uses('join') ? 'toString' : undefined
}

/** `replace(/-/g, '+')` and `replace(/_/g, '/')`: the alphabet of URLs given up, or taken on; what is written in it stays the same. */
export function changesAlphabet([what, by]: readonly Val[]): boolean {
  const from = what?.v === 'call' ? /^regex:\/(.+)\/g?$/.exec(what.name)?.[1]?.replaceAll('\\', '') : constantString(what)
  const to = constantString(by)
  return ALPHABETS.some(([a, b]) => (a === from && b === to) || (b === from && a === to))
}

const ALPHABETS = [
  ['-', '+'],
  ['_', '/'],
] as const

/** `'='.repeat(…)`, `'=='`: what fills bytes that are written as text up to a length. */
export const isPadding = (val: Val): boolean =>
  (val.v === 'const' && typeof val.value === 'string' && /^={1,3}$/.test(val.value)) ||
  (val.v === 'call' && val.name === 'repeat' && constantString(val.args[0]) === '=')
