/** The map that a table keeps for an object, which it gets when it is first asked for. */
export function keptMap<Of extends object, Key, Answer>(table: WeakMap<Of, Map<Key, Answer>>, of: Of): Map<Key, Answer> {
  let kept = table.get(of)
  if (!kept) {
    kept = new Map()
    table.set(of, kept)
  }
  return kept
}
