import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import type { BlobSha } from '../../source/source.ts'
import { blobSha } from './blobs.ts'
import type { GitHubApi } from './client.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** What is taken from an archive. */
export interface ArchiveLimits {
  /** Files larger than this are not kept: no extractor takes them. */
  readonly file: number
  /** Unpacked bytes after which an archive is given up: a bomb, or not worth it. */
  readonly unpacked: number
  /** Entries after which it is given up: GitHub's own listing ends at a fifth of this. */
  readonly entries: number
}

const LIMITS: ArchiveLimits = { file: 8 << 20, unpacked: 2 * 2 ** 30, entries: 500_000 }

/** Blobs of one archive, spooled to a folder that only this process uses. File names are SHAs: paths of the archive never reach the disk. */
export class BlobSpool {
  readonly #dir: string
  readonly #kept = new Set<BlobSha>()

  private constructor(dir: string) {
    this.#dir = dir
  }

  static async create(): Promise<BlobSpool> {
    return new BlobSpool(await mkdtemp(join(tmpdir(), 'prelaunch-blobs-')))
  }

  has(sha: BlobSha): boolean {
    return this.#kept.has(sha)
  }

  async put(bytes: Uint8Array): Promise<void> {
    const sha = blobSha(bytes)
    if (this.#kept.has(sha)) return
    await writeFile(join(this.#dir, sha), bytes)
    this.#kept.add(sha)
  }

  get(sha: BlobSha): Promise<Uint8Array> {
    return readFile(join(this.#dir, sha))
  }

  async close(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true })
  }
}

/**
 * Downloads a commit's archive and spools its files by content. What the archive leaves out or rewrites (`export-ignore`, `export-subst`,
 * submodules, links) is simply not there under its SHA and is read one by one afterwards.
 */
export async function spoolArchive(api: GitHubApi, ref: RepositoryRef, commit: string, spool: BlobSpool, limits: ArchiveLimits = LIMITS): Promise<void> {
  const { data } = await api.request('GET /repos/{owner}/{repo}/tarball/{ref}', {
    owner: ref.owner,
    repo: ref.name,
    ref: commit,
    request: { parseSuccessResponseBody: false },
  })
  let unpacked = 0
  const entries = extract()
  const download = pipeline(
    Readable.fromWeb(data as never),
    createGunzip(),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        unpacked += chunk.length
        if (unpacked > limits.unpacked) throw new Error('the archive unpacks to too much')
        yield chunk
      }
    },
    entries,
  )
  const kept = (async () => {
    let count = 0
    for await (const entry of entries) {
      if (++count > limits.entries) throw new Error('the archive holds too many files')
      const chunks: Buffer[] = []
      const wanted = entry.header.type === 'file' && (entry.header.size ?? 0) <= limits.file
      for await (const chunk of entry) if (wanted) chunks.push(chunk as Buffer)
      if (wanted) await spool.put(Buffer.concat(chunks))
    }
  })()
  await Promise.all([download, kept])
}
