/** The SHA-1 that git gives a blob's content, 40 hexadecimal digits. */
export type BlobSha = string

/** One file of a tree, without its content. `size` is in bytes; unknown sizes are -1. */
export interface Blob {
  readonly path: string
  readonly sha: BlobSha
  readonly size: number
  readonly mode: 'file' | 'executable' | 'symlink' | 'submodule'
}

/** The tree of one commit. `complete` is false when the platform did not hand out the whole listing. */
export interface Snapshot {
  readonly commit: string
  readonly blobs: readonly Blob[]
  readonly complete: boolean
  /** Why the listing is not complete, one sentence. */
  readonly incompleteBecause?: string
}

/** A version of a path somewhere in the history. */
export interface HistoricFile {
  readonly path: string
  readonly sha: BlobSha
  /** The newest commit that wrote this version. */
  readonly commit: string
}

/** What the history shows of the paths asked for. */
export interface History {
  /** Commits looked at. */
  readonly commits: number
  /** False for shallow clones and when a limit was reached. */
  readonly complete: boolean
  readonly because?: string
  readonly files: readonly HistoricFile[]
  /** Distinct e-mail addresses of commit authors, most frequent first, machine addresses (noreply, bots) left out. */
  readonly authors: readonly string[]
}

/** The only way in which content enters the audit. Implemented in `platform/`. */
export interface Source {
  /** The tree of a commit. Throws `SourceError` when the commit cannot be read. */
  snapshot(commit: string): Promise<Snapshot>
  /** Contents by SHA. A blob that cannot be read is absent from the map. */
  read(shas: readonly BlobSha[]): Promise<Map<BlobSha, Uint8Array>>
  /** Every version of every path for which `wanted` holds, reachable from `commit`. */
  history(commit: string, wanted: (path: string) => boolean): Promise<History>
  /** The best common ancestor; undefined when the commits share no history. */
  mergeBase(base: string, head: string): Promise<string | undefined>
}

/** The platform could not give what was asked for; the message is fit for users. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
