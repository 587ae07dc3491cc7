/** A word with its indefinite article, by how its first letter sounds in English: `a user`, `an admin`, `an hour`. */
export function withArticle(word: string): string {
  return `${/^(?:[ai]|e(?!u)|o(?!ne\b|nce\b)|u(?!ni|s[ei]|ti|rl)|hour|honest|heir)/i.test(word) ? 'an' : 'a'} ${word}`
}
