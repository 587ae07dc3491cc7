/** `1 finding`, `2 findings`. */
export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`
