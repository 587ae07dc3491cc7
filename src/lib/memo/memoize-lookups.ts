/** Questions that an answer may put to what stands around its object, each by one key: a file by its path, a function by its name. */
export type Lookups = Readonly<Record<string, (key: string) => unknown>>

interface Lookup {
  readonly question: string
  readonly key: string
  readonly found: unknown
}

/**
 * Makes a function remember its last answer for each object, like `rememberFor`, where it looks up things around the object that may be others the
 * next time: the answer holds while the ground is the same and each look-up finds what it found. What the look-ups find is compared by identity, and
 * nothing may look up anything after the function has answered.
 */
export function rememberLookups<Key extends object, Around extends Lookups, Ground extends readonly unknown[], Answer>(
  compute: (key: Key, around: Around, ...ground: Ground) => Answer,
): (key: Key, around: Around, ...ground: Ground) => Answer {
  const known = new WeakMap<Key, { readonly ground: Ground; readonly asked: readonly Lookup[]; readonly answer: Answer }>()
  return (key, around, ...ground) => {
    const before = known.get(key)
    if (before?.ground.every((g, i) => g === ground[i]) && before.asked.every((a) => around[a.question]?.(a.key) === a.found)) return before.answer
    const asked: Lookup[] = []
    const noting = Object.fromEntries(
      Object.entries(around).map(([question, ask]) => [
        question,
        (of: string) => {
          const found = ask(of)
          asked.push({ question, key: of, found })
          return found
        },
      ]),
    ) as unknown as Around
    const answer = compute(key, noting, ...ground)
    known.set(key, { ground, asked, answer })
    return answer
  }
}
