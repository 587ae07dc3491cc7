import { extractorsFor, runExtractor } from '../../../src/facts/extract.ts'
import type { FactKind, FactsIndex } from '../../../src/facts/facts.ts'

/** Facts of files given by name, through the real extractors. */
export function factsOf(files: Readonly<Record<string, string>>): FactsIndex {
  const maps = new Map<FactKind, Map<string, unknown>>()
  for (const path of Object.keys(files).sort())
    for (const extractor of extractorsFor(path)) {
      const extraction = runExtractor(extractor, files[path] as string, path)
      if (!extraction?.facts) continue
      const map = maps.get(extractor.kind) ?? new Map<string, unknown>()
      map.set(path, extraction.facts)
      maps.set(extractor.kind, map)
    }
  return { of: (kind) => (maps.get(kind) ?? new Map()) as never }
}
