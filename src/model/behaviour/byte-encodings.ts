import type { FunctionIR } from '../../facts/javascript.ts'

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
