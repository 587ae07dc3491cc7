/** Where two texts part, with what stands around it; undefined when they are equal. */
export function firstDifference(a: string, b: string): string | undefined {
  if (a === b) return undefined
  let at = 0
  while (a[at] === b[at]) at++
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 80), at + 160))
  return `…${around(a)} and …${around(b)}`
}
