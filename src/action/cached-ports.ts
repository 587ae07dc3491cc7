import { isDatabaseResult } from '../database/answer/believed.ts'
import type { Database } from '../database/database.ts'
import { isLasting, replayDigest } from '../database/sandbox-database.ts'
import type { Extraction } from '../facts/facts.ts'
import type { FactsCache } from '../facts/gather.ts'
import { packFacts, replayCache, unpackFacts } from '../store/facts-store.ts'
import type { FactsFile } from './facts-file.ts'

/** Facts of an earlier run. What is damaged is extracted again. */
export const fileFactsCache = (kept: FactsFile): FactsCache => ({
  get: async (keys) => new Map([...(await kept.get(keys))].flatMap(([key, value]) => unpacked(key, value))),
  put: (entries) => kept.put(packFacts(entries)),
})

/** A database whose replays of earlier runs are kept: a change that leaves the SQL alone starts no sandbox. */
export function cachedReplays(database: Required<Database>, kept: FactsFile): Required<Database> {
  const cache = replayCache(kept)
  // Beginning early is for runs that find nothing: which replay is meant is known only when the code has been read.
  const isCold = kept.size === 0
  return {
    begin: (input) => {
      if (isCold) database.begin(input)
    },
    warm: () => database.warm(),
    rest: () => database.rest(),
    close: () => database.close(),
    replay: async (input) => {
      const digest = replayDigest(input)
      const known = await cache.get(digest).catch(() => undefined)
      if (isDatabaseResult(known)) return known
      const result = await database.replay(input)
      if (isLasting(result)) await cache.put(digest, result)
      return result
    },
  }
}

function unpacked(key: string, value: string): [string, Extraction][] {
  try {
    return [...unpackFacts(new Map([[key, value]]))]
  } catch {
    return []
  }
}
