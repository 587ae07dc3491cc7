import type { Extraction } from './facts.ts'
import type { FactsCache } from './gather.ts'

/**
 * Facts of the last audits of one repository, as objects: the same content is the same object, by which whoever computes with facts knows what he
 * has seen. `over` puts it before a store; `forgetUnused` drops what the audits since the last call did not ask for.
 */
export class FactsMemory {
  #kept = new Map<string, Extraction>()
  #used = new Map<string, Extraction>()

  over(store: FactsCache | undefined): FactsCache {
    return {
      get: async (keys) => {
        const found = new Map<string, Extraction>()
        const missing: string[] = []
        for (const key of keys) {
          const known = this.#used.get(key) ?? this.#kept.get(key)
          if (!known) missing.push(key)
          else {
            found.set(key, known)
            this.#used.set(key, known)
          }
        }
        if (store && missing.length)
          for (const [key, extraction] of await store.get(missing)) {
            found.set(key, extraction)
            this.#used.set(key, extraction)
          }
        return found
      },
      put: async (entries) => {
        for (const [key, extraction] of entries) this.#used.set(key, extraction)
        await store?.put(entries)
      },
    }
  }

  forgetUnused(): void {
    this.#kept = this.#used
    this.#used = new Map()
  }
}
