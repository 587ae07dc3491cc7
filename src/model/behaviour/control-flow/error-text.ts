import type { Val } from '../domain/abstract-value.ts'
import { partsOfTest } from './conditions.ts'

/** One unknown word of an error; compared by identity. */
export const UNKNOWN_ERROR_WORD: Val = { v: 'call', name: 'words of an error', args: [] }

/** Whether a test asks for the words of an error. */
export function asksForWords(test: Val, depth = 0): boolean {
  if (test === UNKNOWN_ERROR_WORD) return true
  if (depth > 5) return false
  return (test.v === 'array' ? test.items : partsOfTest(test)).some((x) => asksForWords(x, depth + 1))
}
