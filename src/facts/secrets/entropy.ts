/** Shannon entropy of the characters, in bits per character. */
export function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const c of value) counts.set(c, (counts.get(c) ?? 0) + 1)
  let sum = 0
  for (const n of counts.values()) sum -= (n / value.length) * Math.log2(n / value.length)
  return sum
}

/** How much a value could hold at most, judged by its own characters: entropy times length. */
export function bits(value: string): number {
  return value ? entropy(value) * value.length : 0
}
