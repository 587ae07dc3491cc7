interface Lists<Key, Item> {
  get(key: Key): Item[] | undefined
  set(key: Key, list: Item[]): unknown
}

/** The list that is kept under a key, to be filled by whoever asks: an empty one, kept from now on, where there was none. */
export function keptList<Key, Item>(lists: Lists<Key, Item>, key: Key): Item[] {
  let list = lists.get(key)
  if (!list) {
    list = []
    lists.set(key, list)
  }
  return list
}
