import { createHash } from 'node:crypto'
import type { Blob, Snapshot, Source } from '../../src/source/source.ts'

/** Sizes of the pull requests that are measured, in files. */
export const CHANGED: readonly number[] = [1, 10, 100]

const CODE = /\.[cm]?[jt]sx?$/
const NOT_CODE = /(^|\/)(node_modules|dist|build|tests?|__tests__|e2e|fixtures)\/|\.(test|spec|d)\.[cm]?tsx?$/

/**
 * A repository with one commit more: `changed:N:SEED` is its newest commit with a function added to N source files, picked evenly over the tree.
 * Content is in memory, as it is when blobs have been fetched.
 */
export function withChanges(source: Source): Source {
  const written = new Map<string, Uint8Array>()
  const made = new Set<string>()
  return {
    mergeBase: async () => (await source.snapshot('HEAD')).commit,
    history: async (commit, wanted) => source.history(made.has(commit) ? (await source.snapshot('HEAD')).commit : commit, wanted),
    read: async (shas) => {
      const found = new Map(await source.read(shas.filter((s) => !written.has(s))))
      for (const sha of shas) {
        const bytes = written.get(sha)
        if (bytes) found.set(sha, bytes)
      }
      return found
    },
    snapshot: async (commit) => {
      const [, count, seed] = /^changed:(\d+):(\d+)$/.exec(commit) ?? []
      return count === undefined ? source.snapshot(commit) : change(await source.snapshot('HEAD'), Number(count), Number(seed))
    },
  }

  async function change(head: Snapshot, count: number, seed: number): Promise<Snapshot> {
    const files = head.blobs.filter((b) => CODE.test(b.path) && !NOT_CODE.test(b.path) && b.mode === 'file' && b.size < 100_000)
    const step = files.length / count
    const picked = new Set(Array.from({ length: Math.min(count, files.length) }, (_, i) => files[Math.floor((i + 0.37 * seed) * step) % files.length] as Blob))
    const before = await source.read([...picked].map((b) => b.sha))
    const blobs = head.blobs.map((b): Blob => {
      if (!picked.has(b)) return b
      const bytes = Buffer.concat([
        Buffer.from(before.get(b.sha) ?? []),
        Buffer.from(`\nexport function added${seed}(value: string) {\n  return value.trim()\n}\n`),
      ])
      const sha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
      written.set(sha, bytes)
      return { ...b, sha, size: bytes.length }
    })
    const commit = createHash('sha1').update(`${head.commit} ${count} ${seed}`).digest('hex')
    made.add(commit)
    return { ...head, commit, blobs }
  }
}
