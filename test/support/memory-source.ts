import { createHash } from 'node:crypto'
import { type Blob, type History, type Snapshot, type Source, SourceError } from '../../src/source/source.ts'

/** The content of a file; a string is UTF-8. */
export type Content = string | Uint8Array

/** A repository that exists in memory only: named snapshots, oldest first. */
export class MemorySource implements Source {
  private readonly commits: readonly { readonly name: string; readonly files: Readonly<Record<string, Content>> }[]
  private readonly contents = new Map<string, Uint8Array>()
  private readonly authors: readonly string[]

  constructor(commits: readonly { name: string; files: Readonly<Record<string, Content>> }[], authors: readonly string[] = []) {
    this.commits = commits
    this.authors = authors
    for (const c of commits) for (const content of Object.values(c.files)) this.contents.set(shaOf(content), bytesOf(content))
  }

  async snapshot(commit: string): Promise<Snapshot> {
    const found = this.commits.find((c) => c.name === commit)
    if (!found) throw new SourceError(`no commit ${commit}`)
    const blobs = Object.entries(found.files).map(([path, content]): Blob => ({ path, sha: shaOf(content), size: bytesOf(content).length, mode: 'file' }))
    return { commit, blobs, complete: true }
  }

  async read(shas: readonly string[]): Promise<Map<string, Uint8Array>> {
    return new Map(shas.flatMap((sha) => (this.contents.has(sha) ? [[sha, this.contents.get(sha) as Uint8Array] as const] : [])))
  }

  async history(commit: string, wanted: (path: string) => boolean): Promise<History> {
    const until = this.commits.findIndex((c) => c.name === commit)
    const versions = new Map<string, { path: string; sha: string; commit: string }>()
    for (const c of this.commits.slice(0, until + 1))
      for (const [path, content] of Object.entries(c.files))
        if (wanted(path)) versions.set(`${path} ${shaOf(content)}`, { path, sha: shaOf(content), commit: c.name })
    return { commits: until + 1, complete: true, files: [...versions.values()], authors: this.authors }
  }

  async mergeBase(base: string): Promise<string | undefined> {
    return base
  }
}

function bytesOf(content: Content): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

/** The SHA-1 that git gives the content. */
export function shaOf(content: Content): string {
  const bytes = bytesOf(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
