import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Blob, type BlobSha, type History, type Snapshot, type Source, SourceError } from '../../source/source.ts'
import { GitError, git, streamGit } from './git.ts'
import { HistoryReader, LOG_ARGUMENTS } from './git-history.ts'

/** Stands for the files as they are on the disk. */
export const WORKING_TREE = 'working tree'

/** Files larger than this are listed but not hashed or read from the working tree: no extractor takes them. */
const MAX_WORKING_FILE = 64 << 20

/** Whether a folder lies in a working tree of git or is itself a bare repository. */
export function isGit(dir: string): boolean {
  if (isBare(dir)) return true
  for (let at = dir; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true
    if (dirname(at) === at) return false
  }
}

/** A repository without files beside it, such as a mirror on a server; `.git` of a working tree is one as well. */
function isBare(dir: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(dir, name))) && !existsSync(join(dir, '.git'))
}

/** A git repository on this machine: any revision, or its working tree as it is when it is first asked for (untracked files that are not ignored included). */
export class GitSource implements Source {
  private readonly dir: string
  /** Where working-tree blobs are on the disk. */
  private readonly onDisk = new Map<BlobSha, string>()
  private tree: Promise<Snapshot> | undefined

  constructor(dir: string) {
    this.dir = dir
  }

  async snapshot(commit: string): Promise<Snapshot> {
    if (commit === WORKING_TREE) {
      this.tree ??= isBare(this.dir) ? this.newestCommit() : this.workingTree()
      return this.tree
    }
    const sha = await this.resolve(commit)
    const listing = await this.try(['ls-tree', '-r', '-z', '-l', '--full-tree', sha])
    const blobs = listing
      .toString()
      .split('\0')
      .filter(Boolean)
      .map((line): Blob => {
        const tab = line.indexOf('\t')
        const [mode, , blob, size] = line.slice(0, tab).split(/\s+/) as [string, string, string, string]
        return { path: line.slice(tab + 1), sha: blob, size: size === '-' ? -1 : Number(size), mode: modeOf(mode) }
      })
    return { commit: sha, blobs, complete: true }
  }

  async read(shas: readonly BlobSha[]): Promise<Map<BlobSha, Uint8Array>> {
    const found = new Map<BlobSha, Uint8Array>()
    const fromGit: BlobSha[] = []
    for (const sha of shas) {
      const path = this.onDisk.get(sha)
      const bytes = path === undefined ? undefined : readOrNothing(path)
      if (path === undefined) fromGit.push(sha)
      else if (bytes) found.set(sha, bytes)
    }
    if (fromGit.length) parseBatch(await this.try(['cat-file', '--batch'], `${fromGit.join('\n')}\n`), found)
    return found
  }

  async history(commit: string, wanted: (path: string) => boolean): Promise<History> {
    const start = commit === WORKING_TREE ? await this.head() : await this.resolve(commit).catch(() => undefined)
    if (!start) return { commits: 0, complete: true, files: [], authors: [] }
    const reader = new HistoryReader(wanted)
    const [shallow] = await Promise.all([
      this.try(['rev-parse', '--is-shallow-repository']),
      orSourceError(streamGit(this.dir, [...LOG_ARGUMENTS, start], (piece) => reader.take(piece))),
    ])
    return reader.history(shallow.toString().trim() === 'true')
  }

  async mergeBase(base: string, head: string): Promise<string | undefined> {
    const [a, b] = await Promise.all([this.resolve(base), head === WORKING_TREE ? this.head() : this.resolve(head)])
    if (!b) return undefined
    return git(this.dir, ['merge-base', a, b]).then(
      (out) => out.toString().trim() || undefined,
      () => undefined,
    )
  }

  /** What stands for the working tree where there is none. */
  private async newestCommit(): Promise<Snapshot> {
    const head = await this.head()
    return head ? this.snapshot(head) : { commit: WORKING_TREE, blobs: [], complete: true }
  }

  private async workingTree(): Promise<Snapshot> {
    const listing = await this.try(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--full-name', ':/'])
    const paths = [...new Set(listing.toString().split('\0').filter(Boolean))]
    const root = (await this.try(['rev-parse', '--show-toplevel'])).toString().trim()
    return { commit: (await this.head()) ?? WORKING_TREE, blobs: hashFiles(root, paths, this.onDisk), complete: true }
  }

  private head(): Promise<string | undefined> {
    return git(this.dir, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).then(
      (out) => out.toString().trim(),
      () => undefined,
    )
  }

  /** The full SHA of the commit that a branch, tag or short SHA names. Throws `SourceError` when there is none. */
  async resolve(revision: string): Promise<string> {
    if (revision.startsWith('-')) throw new SourceError(`${revision} is not a revision`)
    try {
      return (await git(this.dir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]))
        .toString()
        .trim()
        .split('\n')
        .at(-1) as string
    } catch {
      throw new SourceError(`there is no commit "${revision}" in ${this.dir}`)
    }
  }

  private try(args: readonly string[], input?: string): Promise<Buffer> {
    return orSourceError(git(this.dir, args, input))
  }
}

async function orSourceError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new SourceError(error instanceof GitError ? error.message : String(error))
  }
}

function modeOf(mode: string): Blob['mode'] {
  return mode === '120000' ? 'symlink' : mode === '160000' ? 'submodule' : mode === '100755' ? 'executable' : 'file'
}

/**
 * Lists files of a folder as blobs, with the SHA that git would give them. Paths are relative to `root`. Not asynchronous: thousands of
 * small files take ten times as long when each is waited for.
 */
export function hashFiles(root: string, paths: readonly string[], onDisk: Map<BlobSha, string>): Blob[] {
  const blobs: Blob[] = []
  for (const path of paths) {
    const full = join(root, path)
    const stat = statOrNothing(full)
    if (!stat) continue
    if (stat.isSymbolicLink()) blobs.push({ path, sha: createHash('sha1').update(path).digest('hex'), size: stat.size, mode: 'symlink' })
    else if (stat.isDirectory()) blobs.push({ path, sha: createHash('sha1').update(path).digest('hex'), size: -1, mode: 'submodule' })
    else if (stat.isFile()) {
      const bytes = stat.size > MAX_WORKING_FILE ? undefined : readOrNothing(full)
      const sha = bytes ? gitSha(bytes) : createHash('sha1').update(`${path} ${stat.size} ${stat.mtimeMs}`).digest('hex')
      if (bytes) onDisk.set(sha, full)
      blobs.push({ path, sha, size: stat.size, mode: stat.mode & 0o100 ? 'executable' : 'file' })
    }
  }
  return blobs
}

/** The bytes of a file, unless it is gone or must not be read. */
export function readOrNothing(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function statOrNothing(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

function gitSha(bytes: Uint8Array): BlobSha {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** `<sha> blob <size>\n<bytes>\n` repeated; `<sha> missing\n` for what is not there. */
function parseBatch(out: Buffer, into: Map<BlobSha, Uint8Array>): void {
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at)
    if (end === -1) break
    const [sha, type, size] = out.toString('latin1', at, end).split(' ')
    at = end + 1
    if (type !== 'blob' && type !== 'commit' && type !== 'tree' && type !== 'tag') continue
    const length = Number(size)
    if (type === 'blob') into.set(sha as string, out.subarray(at, at + length))
    at += length + 1
  }
}
