import { cleanLine } from '../lib/clean-text.ts'

/** The first sentence of a text on one line; what is longer than `max` characters ends with an ellipsis. */
export function firstSentence(text: string, max: number): string {
  const [first = ''] = cleanLine(text, Number.POSITIVE_INFINITY).split(/(?<=[.!?])\s+/, 1)
  return first.length > max
    ? `${first
        .slice(0, max - 1)
        .trimEnd()
        .toWellFormed()}…`
    : first
}
