/** `1 finding`, `2 findings`; words with another plural bring it along (`policy`, `policies`). */
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`
