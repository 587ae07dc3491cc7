import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobSha } from '../../source/source.ts'
import { type ArchiveLimits, unpackArchive } from '../isolated/unpack-archive.ts'
import { blobSha } from './blobs.ts'
import type { GitHubApi } from './client.ts'
import type { RepositoryRef } from './repository-ref.ts'

const ARCHIVE_LIMITS: ArchiveLimits = { file: 8 << 20, unpacked: 2 * 2 ** 30, entries: 500_000 }

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
 * Downloads a commit's archive, has it unpacked elsewhere, and spools its files by content. What the archive leaves out or rewrites (`export-ignore`, `export-subst`,
 * submodules, links) is simply not there under its SHA and is read one by one afterwards.
 */
export async function spoolArchive(
  api: GitHubApi,
  ref: RepositoryRef,
  commit: string,
  spool: BlobSpool,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<void> {
  const { data } = await api.request('GET /repos/{owner}/{repo}/tarball/{ref}', {
    owner: ref.owner,
    repo: ref.name,
    ref: commit,
    request: { parseSuccessResponseBody: false },
  })
  for await (const bytes of unpackArchive(data as unknown as ReadableStream<Uint8Array>, limits)) await spool.put(bytes)
}
