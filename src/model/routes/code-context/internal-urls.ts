import type { JavaScriptFacts } from '../../../facts/javascript.ts'

/** What stands between the slashes, one at the end left out. */
const partsOf = (address: string): readonly string[] => address.replace(/(?<=.)\/$/, '').split('/')

/** The file that writes an address out. */
interface Written {
  readonly path: string
}

interface Node<Item> {
  readonly below: Map<string, Node<Item>>
  /** The parts below that hold `…`: they stand for any parameter. */
  readonly filledIn: Node<Item>[]
  readonly items: { readonly number: number; readonly item: Item }[]
}

const node = <Item>(): Node<Item> => ({ below: new Map(), filledIn: [], items: [] })

/**
 * Addresses of the application itself that its code writes out, with `…` for what is put in, by their parts: each handler asks who writes out its
 * own, and most addresses are those of others.
 */
export class OwnAddresses<Item extends { readonly address: string }> {
  readonly #root = node<Item & Written>()
  #count = 0

  /** `written`: the addresses that one file writes out. */
  constructor(sources: ReadonlyMap<string, JavaScriptFacts>, written: (js: JavaScriptFacts) => readonly Item[]) {
    for (const [path, js] of sources) for (const item of written(js)) this.#add({ ...item, path })
  }

  #add(item: Item & Written): void {
    let at = this.#root
    for (const part of partsOf(item.address)) {
      let next = at.below.get(part)
      if (!next) {
        next = node()
        at.below.set(part, next)
        if (part.includes('…')) at.filledIn.push(next)
      }
      at = next
    }
    at.items.push({ number: this.#count++, item })
  }

  /** What is written under an address of the route, in the order of the files: what is put in takes the place of a parameter, or follows as a query. */
  of(route: string): readonly (Item & Written)[] {
    const parts = route.split('/')
    let reached: ReadonlySet<Node<Item & Written>> = new Set([this.#root])
    for (const [i, part] of parts.entries()) {
      const next = new Set<Node<Item & Written>>()
      for (const { below, filledIn } of reached) {
        const same = below.get(part)
        if (same) next.add(same)
        if (part.startsWith('[')) for (const n of filledIn) next.add(n)
        const asQuery = i === parts.length - 1 ? below.get(`${part}…`) : undefined
        if (asQuery) next.add(asQuery)
      }
      if (!next.size) return []
      reached = next
    }
    const found = [...reached].flatMap((n) => n.items)
    return found.sort((a, b) => a.number - b.number).map((f) => f.item)
  }
}
