import type { Extraction } from '../../src/facts/facts.ts'
import type { FactsCache } from '../../src/facts/gather.ts'

/** Facts kept in memory, for benches that audit one repository many times. */
export class MemoryCache implements FactsCache {
  private readonly facts = new Map<string, Extraction>()

  async get(keys: readonly string[]): Promise<ReadonlyMap<string, Extraction>> {
    return new Map(keys.flatMap((k) => (this.facts.has(k) ? [[k, this.facts.get(k) as Extraction] as const] : [])))
  }

  async put(entries: ReadonlyMap<string, Extraction>): Promise<void> {
    for (const [k, v] of entries) this.facts.set(k, v)
  }
}
