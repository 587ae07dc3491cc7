import { plain } from '../lib/escape-markdown.ts'

/** Text made safe to show, of any length: what limits it leaves parts out whole. */
export const safeText = (text: string): string => plain(text, { max: Number.POSITIVE_INFINITY })

/** Code made safe to show, of any length, with its line breaks. */
export const safeCode = (code: string): string => plain(code, { max: Number.POSITIVE_INFINITY, lines: true })

/** The first sentences of a text that fit into `max` characters, and how many are left out. No sentence is cut. */
export function wholeSentences(text: string, max: number): string {
  const safe = safeText(text)
  if (safe.length <= max) return safe
  const sentences = safe.split(/(?<=[.!?])\s+/)
  let kept = ''
  let n = 0
  for (const sentence of sentences) {
    if (kept.length + sentence.length + 1 > max) break
    kept = kept ? `${kept} ${sentence}` : sentence
    n++
  }
  const rest = sentences.length - n
  return `${kept}${kept ? ' ' : ''}(${rest} more ${rest === 1 ? 'sentence stands' : 'sentences stand'} at the finding.)`
}
