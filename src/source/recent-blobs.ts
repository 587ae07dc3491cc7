import type { BlobSha, Source } from './source.ts'

/** Bytes kept of what was read; a fix that is stated from the text of a changed file costs no second request then. */
const MAX_KEPT = 16 << 20
const MAX_BLOB = 256 << 10

/** The same source, which remembers the small blobs that it has just read. For one audit: nothing is ever forgotten. */
export function withRecentBlobs(source: Source): Source {
  const kept = new Map<BlobSha, Uint8Array>()
  let size = 0
  return {
    snapshot: (commit) => source.snapshot(commit),
    history: (commit, wanted) => source.history(commit, wanted),
    mergeBase: (base, head) => source.mergeBase(base, head),
    async read(shas) {
      const unknown = shas.filter((sha) => !kept.has(sha))
      const found = unknown.length ? await source.read(unknown) : new Map<BlobSha, Uint8Array>()
      for (const [sha, bytes] of found) {
        if (bytes.length > MAX_BLOB || size + bytes.length > MAX_KEPT) continue
        kept.set(sha, bytes)
        size += bytes.length
      }
      return new Map([...found, ...shas.flatMap((sha) => (kept.has(sha) ? [[sha, kept.get(sha) as Uint8Array] as const] : []))])
    },
  }
}
