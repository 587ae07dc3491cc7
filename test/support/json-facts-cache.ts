import type { Extraction } from '../../src/facts/facts.ts'
import type { FactsCache } from '../../src/facts/gather.ts'

/** Facts kept as JSON text, as the store keeps them: what does not survive JSON is lost here too. */
export class JsonFactsCache implements FactsCache {
  readonly #facts = new Map<string, string>()

  async get(keys: readonly string[]): Promise<ReadonlyMap<string, Extraction>> {
    return new Map(
      keys.flatMap((key) => {
        const text = this.#facts.get(key)
        return text === undefined ? [] : [[key, JSON.parse(text) as Extraction] as const]
      }),
    )
  }

  async put(entries: ReadonlyMap<string, Extraction>): Promise<void> {
    for (const [key, value] of entries) this.#facts.set(key, JSON.stringify(value))
  }
}
