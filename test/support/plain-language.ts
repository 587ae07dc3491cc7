import { readFileSync } from 'node:fs'

interface Rules {
  readonly maxWords: number
  /** `phrase` is a regular expression over whole words; `say` what to write instead. */
  readonly forbidden: readonly { readonly phrase: string; readonly say: string }[]
}

const RULES: Rules = JSON.parse(readFileSync(new URL('../data/plain-language.json', import.meta.url), 'utf8'))

/** Sentences of a text for people: Markdown or HTML without its markup, its code and its addresses. */
export function sentencesOf(rendered: string): string[] {
  return rendered
    .replace(/<(?:style|pre|code|title)\b[^>]*>[\s\S]*?<\/(?:style|pre|code|title)>/g, ' x ')
    .replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '')
    .replace(/`[^`\n]*`/g, 'x')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<\/?(?:p|li|h\d|td|th|tr|ul|ol|summary|details|section|div|strong|label|legend|br|sub|header|footer|article)\b[^>]*>/g, '\n')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'x')
    .split(/\n|(?<=[.!?:;])[*_]{0,2}\s+|\s[|·]\s/)
    .map((s) => s.replace(/[*_#>|-]+|\p{Extended_Pictographic}/gu, ' ').trim())
    .filter((s) => /\p{L}/u.test(s))
}

/** What stands for a piece of code: a name in a list is no word to read. */
const CODE = /^\(?x\)?[,.;:]?$/

/** What the rules say against a text, one line for each sentence; empty when it is plain. */
export function complaints(rendered: string, exempt: readonly string[] = []): string[] {
  const sentences = sentencesOf(exempt.reduce((text, part) => text.replaceAll(part, 'x'), rendered))
  return sentences.flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((w) => /\p{L}/u.test(w) && !CODE.test(w)).length
    const phrases = RULES.forbidden.filter((f) => new RegExp(`(?<![\\p{L}])(?:${f.phrase})(?![\\p{L}])`, 'iu').test(sentence))
    return [...(words > RULES.maxWords ? [`${words} words: ${sentence}`] : []), ...phrases.map((f) => `"${f.phrase}" (say: ${f.say}): ${sentence}`)]
  })
}
