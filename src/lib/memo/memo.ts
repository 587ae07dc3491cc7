/** Asks for each name once, for as long as whoever asks lives. */
export function memo<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return (name) => {
    if (known.has(name)) return known.get(name) as T
    const value = compute(name)
    known.set(name, value)
    return value
  }
}
