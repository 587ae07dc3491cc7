/**
 * Makes a pure function remember its last answer for each object, for as long as the object lives and what else it is given is the same. What it
 * returns must not be changed by anybody.
 */
export function rememberFor<Key extends object, Ground extends readonly unknown[], Answer>(
  compute: (key: Key, ...ground: Ground) => Answer,
): (key: Key, ...ground: Ground) => Answer {
  const known = new WeakMap<Key, { readonly ground: Ground; readonly answer: Answer }>()
  return (key, ...ground) => {
    const before = known.get(key)
    if (before?.ground.every((g, i) => g === ground[i])) return before.answer
    const answer = compute(key, ...ground)
    known.set(key, { ground, answer })
    return answer
  }
}
