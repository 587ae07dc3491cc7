interface Kept<Of, Key, Answer> {
  get(of: Of): Map<Key, Answer> | undefined
  set(of: Of, kept: Map<Key, Answer>): unknown
}

/** The map that a table keeps for an object or a name, which it gets when it is first asked for. */
export function keptMap<Of, Key, Answer>(table: Kept<Of, Key, Answer>, of: Of): Map<Key, Answer> {
  let kept = table.get(of)
  if (!kept) {
    kept = new Map()
    table.set(of, kept)
  }
  return kept
}
