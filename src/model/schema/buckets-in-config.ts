import type { FactsIndex } from '../../facts/facts.ts'
import type { BucketInCode } from './buckets-in-code.ts'

/** `[storage.buckets.NAME]` of every `supabase/config.toml`. */
export function bucketsInConfig(facts: FactsIndex): BucketInCode[] {
  const found: BucketInCode[] = []
  for (const [path, file] of facts.of('config-file')) {
    if (!/(^|\/)supabase\/config\.toml$/.test(path)) continue
    const buckets = (file.data as { storage?: { buckets?: unknown } } | undefined)?.storage?.buckets
    if (!buckets || typeof buckets !== 'object') continue
    for (const [name, settings] of Object.entries(buckets)) {
      const open = (settings as { public?: unknown } | null)?.public
      const key = `storage.buckets.${name}`
      found.push({ name, path, line: file.lines[`${key}.public`] ?? file.lines[key] ?? 1, public: open === true })
    }
  }
  return found
}
