/** Offsets of a text to 1-based lines. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = lineStarts(text)
  return (offset) => lineAt(starts, offset)
}

/** Where each line of a text starts. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  return starts
}

/** The 1-based line of an offset, given where each line starts. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= offset) low = middle
    else high = middle - 1
  }
  return low + 1
}
