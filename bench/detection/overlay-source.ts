import { createHash } from 'node:crypto'
import type { Blob, History, Snapshot, Source } from '../../src/source/source.ts'

/** The commit that stands for the changed tree. */
export const CHANGED = 'changed'

/** A source whose `changed` commit is another commit with some files replaced (or removed: undefined). */
export class OverlaySource implements Source {
  private readonly inner: Source
  private readonly base: string
  private readonly changes: ReadonlyMap<string, string | undefined>
  private readonly contents = new Map<string, Uint8Array>()

  constructor(inner: Source, base: string, changes: ReadonlyMap<string, string | undefined>) {
    this.inner = inner
    this.base = base
    this.changes = changes
  }

  async snapshot(commit: string): Promise<Snapshot> {
    if (commit !== CHANGED) return this.inner.snapshot(commit)
    const before = await this.inner.snapshot(this.base)
    const blobs = new Map(before.blobs.map((b) => [b.path, b]))
    for (const [path, text] of this.changes) {
      if (text === undefined) blobs.delete(path)
      else {
        const bytes = new TextEncoder().encode(text)
        const sha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
        this.contents.set(sha, bytes)
        blobs.set(path, { path, sha, size: bytes.length, mode: 'file' } satisfies Blob)
      }
    }
    return { ...before, commit: CHANGED, blobs: [...blobs.values()] }
  }

  async read(shas: readonly string[]): Promise<Map<string, Uint8Array>> {
    const own = shas.filter((s) => this.contents.has(s))
    const read = await this.inner.read(shas.filter((s) => !this.contents.has(s)))
    for (const s of own) read.set(s, this.contents.get(s) as Uint8Array)
    return read
  }

  history(commit: string, wanted: (path: string) => boolean): Promise<History> {
    return this.inner.history(commit === CHANGED ? this.base : commit, wanted)
  }

  async mergeBase(base: string): Promise<string | undefined> {
    return base
  }
}
