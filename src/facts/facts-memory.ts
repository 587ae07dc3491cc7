import { type ByFile, following } from '../lib/memo/collect-by-file.ts'
import { EXTRACTORS } from './extractors/index.ts'
import type { Extraction, FactKind, FactsIndex } from './facts.ts'
import type { FactsCache } from './gather.ts'

/** Audits for which facts are kept that none of them asked for: several pull requests are worked on at a time, each with its own versions of files. */
const PATIENCE = 8

/**
 * Facts of the last audits of one repository, as objects: the same content is the same object, by which whoever computes with facts knows what he
 * has seen. `over` puts it before a store; `forgetUnused` is told that an audit has ended.
 */
export class FactsMemory {
  readonly #known = new Map<string, { readonly extraction: Extraction; used: number }>()
  #audits = 0
  #last: ReadonlyMap<FactKind, ByFile<unknown>> = new Map()

  over(store: FactsCache | undefined): FactsCache {
    return {
      get: async (keys) => {
        const found = new Map<string, Extraction>()
        const missing: string[] = []
        for (const key of keys) {
          const known = this.#known.get(key)
          if (!known) missing.push(key)
          else {
            known.used = this.#audits
            found.set(key, known.extraction)
          }
        }
        if (store && missing.length)
          for (const [key, extraction] of await store.get(missing)) {
            this.#known.set(key, { extraction, used: this.#audits })
            found.set(key, extraction)
          }
        return found
      },
      put: async (entries) => {
        for (const [key, extraction] of entries) this.#known.set(key, { extraction, used: this.#audits })
        await store?.put(entries)
      },
    }
  }

  /** The same facts; what did not change since the commit before is the same list, and of other lists it is known which files differ. */
  following(facts: FactsIndex): FactsIndex {
    const byKind = new Map<FactKind, ByFile<unknown>>()
    for (const { kind } of EXTRACTORS) byKind.set(kind, following(this.#last.get(kind), facts.of(kind)))
    this.#last = byKind
    return { of: (kind) => byKind.get(kind) as never }
  }

  forgetUnused(): void {
    this.#audits++
    for (const [key, { used }] of this.#known) if (used < this.#audits - PATIENCE) this.#known.delete(key)
  }
}
