import type { BlobSha, History, Snapshot, Source } from '../../source/source.ts'
import { GitSource } from '../local/git-source.ts'
import { BlobSpool, spoolArchive } from './archive.ts'
import { BareClone } from './bare-clone.ts'
import { readBlobs } from './blobs.ts'
import { accessToken, type GitHubApi } from './client.ts'
import { isStatus } from './errors.ts'
import { graphqlHistory } from './graphql-history.ts'
import type { RepositoryRef } from './repository-ref.ts'
import { listTree } from './tree.ts'

/** Unknown blobs from which one archive is cheaper than batches. */
const ARCHIVE_FROM = 250

/** Listings of commits, kept between audits: a commit's tree never changes. */
export interface SnapshotCache {
  get(commit: string): Promise<Snapshot | undefined>
  put(snapshot: Snapshot): Promise<void>
}

export interface GitHubSourceOptions {
  readonly snapshots?: SnapshotCache
  /** Folder for bare clones that are kept between audits. */
  readonly cloneRoot?: string
  readonly signal?: AbortSignal
  readonly log?: (message: string, detail: unknown) => void
}

/** A repository on GitHub as a source of audits. Call `close` when the audit is over. */
export class GitHubSource implements Source {
  readonly #api: GitHubApi
  readonly #ref: RepositoryRef
  readonly #options: GitHubSourceOptions
  readonly #snapshots = new Map<string, Promise<Snapshot>>()
  readonly #sizes = new Map<BlobSha, number>()
  #latest: Snapshot | undefined
  #spool: BlobSpool | undefined
  #archived = false
  #clone: BareClone | undefined
  #git: Promise<GitSource | undefined> | undefined

  constructor(api: GitHubApi, ref: RepositoryRef, options: GitHubSourceOptions = {}) {
    this.#api = api
    this.#ref = ref
    this.#options = options
  }

  snapshot(commit: string): Promise<Snapshot> {
    const known = this.#snapshots.get(commit)
    if (known) return known
    const loading = this.#load(commit)
    this.#snapshots.set(commit, loading)
    return loading
  }

  async #load(commit: string): Promise<Snapshot> {
    const cached = await this.#options.snapshots?.get(commit)
    const snapshot = cached ?? (await listTree(this.#api, this.#ref, commit))
    for (const blob of snapshot.blobs) this.#sizes.set(blob.sha, blob.size)
    this.#latest = snapshot
    if (!cached && snapshot.complete) await this.#options.snapshots?.put(snapshot)
    return snapshot
  }

  async read(shas: readonly BlobSha[]): Promise<Map<BlobSha, Uint8Array>> {
    if (shas.length >= ARCHIVE_FROM && this.#latest && !this.#archived) await this.#fetchArchive(this.#latest.commit)
    const found = new Map<BlobSha, Uint8Array>()
    const missing: BlobSha[] = []
    for (const sha of shas) {
      if (this.#spool?.has(sha)) found.set(sha, await this.#spool.get(sha))
      else missing.push(sha)
    }
    for (const [sha, bytes] of await readBlobs(this.#api, this.#ref, missing, (sha) => this.#sizes.get(sha) ?? -1)) found.set(sha, bytes)
    return found
  }

  async #fetchArchive(commit: string): Promise<void> {
    this.#archived = true
    this.#spool ??= await BlobSpool.create()
    try {
      await spoolArchive(this.#api, this.#ref, commit, this.#spool)
    } catch (error) {
      this.#options.log?.('the archive could not be read; files are read in batches', error)
    }
  }

  async history(commit: string, wanted: (path: string) => boolean): Promise<History> {
    const git = await this.withCommits([commit])
    if (git) {
      try {
        return await git.history(commit, wanted)
      } catch (error) {
        this.#options.log?.('the history could not be read with git; the API is asked', error)
      }
    }
    const snapshot = await this.snapshot(commit)
    return graphqlHistory(this.#api, this.#ref, commit, applicationFolders(snapshot.blobs.map((b) => b.path)), wanted)
  }

  async mergeBase(base: string, head: string): Promise<string | undefined> {
    const git = await this.withCommits([base, head])
    if (git) {
      const found = await git.mergeBase(base, head).catch(() => undefined)
      if (found) return found
    }
    try {
      const { data } = await this.#api.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
        owner: this.#ref.owner,
        repo: this.#ref.name,
        basehead: `${base}...${head}`,
        per_page: 1,
      })
      return data.merge_base_commit.sha
    } catch (error) {
      // 404 is GitHub's answer for commits without a common ancestor, and for a commit that is gone.
      if (isStatus(error, 404)) return undefined
      throw error
    }
  }

  /** Commits and trees on this machine, through git; undefined when there is no git or its transport is closed. Fetched once per audit when all are named at once. */
  async withCommits(commits: readonly string[]): Promise<GitSource | undefined> {
    const known = await this.#git
    if (this.#git && !known) return undefined
    this.#git = this.#fetchCommits(commits)
    return this.#git
  }

  async #fetchCommits(commits: readonly string[]): Promise<GitSource | undefined> {
    try {
      this.#clone ??= await BareClone.open(this.#ref, this.#options.cloneRoot)
      await this.#clone.fetch(commits, await accessToken(this.#api), this.#options.signal)
      return new GitSource(this.#clone.dir)
    } catch (error) {
      if (this.#options.signal?.aborted) throw error
      this.#options.log?.('git could not fetch; the API is used instead', error)
      return undefined
    }
  }

  async close(): Promise<void> {
    await this.#spool?.close()
    await this.#clone?.close()
  }
}

/** Folders in which env files usually lie: those with a package.json or a `supabase/`, and the latter itself. The shortest come first. */
export function applicationFolders(paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    const manifest = /^(.+)\/package\.json$/.exec(path)?.[1]
    if (manifest && !manifest.includes('node_modules')) folders.add(manifest)
    const [, above, supabase] = /^((?:.+\/)?)(supabase)\//.exec(path) ?? []
    if (supabase)
      for (const folder of [`${above}${supabase}`, `${above}${supabase}/functions`, (above ?? '').replace(/\/$/, '')]) if (folder) folders.add(folder)
  }
  return [...folders].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
}
