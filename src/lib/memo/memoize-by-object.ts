/**
 * Makes a pure function remember its last answer for each object, for as long as the object lives and what else it is given is the same. What it
 * returns must not be changed by anybody.
 */
export function rememberFor<Key extends object, Ground extends readonly unknown[], Answer>(
  compute: (key: Key, ...ground: Ground) => Answer,
): (key: Key, ...ground: Ground) => Answer {
  // what is asked of millions of values gets no object of its own to remember an answer by
  const alone = new WeakMap<Key, Answer>()
  const known = new WeakMap<Key, { readonly ground: Ground; readonly answer: Answer }>()
  return (key, ...ground) => {
    if (!ground.length) {
      const before = alone.get(key)
      if (before !== undefined || alone.has(key)) return before as Answer
      const answer = compute(key, ...ground)
      alone.set(key, answer)
      return answer
    }
    const before = known.get(key)
    if (before?.ground.every((g, i) => g === ground[i])) return before.answer
    const answer = compute(key, ...ground)
    known.set(key, { ground, answer })
    return answer
  }
}
