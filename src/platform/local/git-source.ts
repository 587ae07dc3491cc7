import { createHash } from 'node:crypto'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMachineAuthor } from '../../source/authors.ts'
import { type Blob, type BlobSha, type HistoricFile, type History, type Snapshot, type Source, SourceError } from '../../source/source.ts'
import { GitError, git } from './git.ts'

/** Stands for the files as they are on the disk. */
export const WORKING_TREE = 'working tree'

/** Files larger than this are listed but not hashed or read from the working tree: no extractor takes them. */
const MAX_WORKING_FILE = 64 << 20

/** A git repository on this machine: any revision, or its working tree (untracked files that are not ignored included). */
export class GitSource implements Source {
  private readonly dir: string
  /** Where working-tree blobs are on the disk. */
  private readonly onDisk = new Map<BlobSha, string>()

  constructor(dir: string) {
    this.dir = dir
  }

  async snapshot(commit: string): Promise<Snapshot> {
    if (commit === WORKING_TREE) return this.workingTree()
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
    await Promise.all(
      shas.map(async (sha) => {
        const path = this.onDisk.get(sha)
        if (path === undefined) fromGit.push(sha)
        else {
          const bytes = await readFile(path).catch(() => undefined)
          if (bytes) found.set(sha, bytes)
        }
      }),
    )
    if (fromGit.length) parseBatch(await this.try(['cat-file', '--batch'], `${fromGit.join('\n')}\n`), found)
    return found
  }

  async history(commit: string, wanted: (path: string) => boolean): Promise<History> {
    const start = commit === WORKING_TREE ? await this.head() : await this.resolve(commit).catch(() => undefined)
    if (!start) return { commits: 0, complete: true, files: [], authors: [] }
    const [shallow, authors, log] = await Promise.all([
      this.try(['rev-parse', '--is-shallow-repository']),
      this.try(['log', '--format=%ae', start]),
      this.try(['log', '--format=commit %H', '--raw', '--no-abbrev', '--no-renames', '-m', '-z', start, '--', ...ENV_PATHSPECS]),
    ])
    const emails = authors.toString().split('\n').filter(Boolean)
    const isShallow = shallow.toString().trim() === 'true'
    return {
      commits: emails.length,
      complete: !isShallow,
      ...(isShallow ? { because: 'the clone is shallow: older commits are not here' } : {}),
      files: parseRawLog(log.toString(), wanted),
      authors: byFrequency(emails.filter((e) => !isMachineAuthor(e))),
    }
  }

  async mergeBase(base: string, head: string): Promise<string | undefined> {
    const [a, b] = await Promise.all([this.resolve(base), head === WORKING_TREE ? this.head() : this.resolve(head)])
    if (!b) return undefined
    return git(this.dir, ['merge-base', a, b]).then(
      (out) => out.toString().trim() || undefined,
      () => undefined,
    )
  }

  private async workingTree(): Promise<Snapshot> {
    const listing = await this.try(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--full-name', ':/'])
    const paths = [...new Set(listing.toString().split('\0').filter(Boolean))]
    const root = (await this.try(['rev-parse', '--show-toplevel'])).toString().trim()
    return { commit: (await this.head()) ?? WORKING_TREE, blobs: await hashFiles(root, paths, this.onDisk), complete: true }
  }

  private head(): Promise<string | undefined> {
    return git(this.dir, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).then(
      (out) => out.toString().trim(),
      () => undefined,
    )
  }

  private async resolve(revision: string): Promise<string> {
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

  private async try(args: readonly string[], input?: string): Promise<Buffer> {
    try {
      return await git(this.dir, args, input)
    } catch (error) {
      throw new SourceError(error instanceof GitError ? error.message : String(error))
    }
  }
}

/** Every name that `isEnvFile` can accept, for git to narrow the walk. */
const ENV_PATHSPECS = [':(glob,icase)**/.env*', ':(glob,icase)**/*.env', ':(glob,icase)**/.dev.vars*']

function modeOf(mode: string): Blob['mode'] {
  return mode === '120000' ? 'symlink' : mode === '160000' ? 'submodule' : mode === '100755' ? 'executable' : 'file'
}

/** Lists files of a folder as blobs, with the SHA that git would give them. Paths are relative to `root`. */
export async function hashFiles(root: string, paths: readonly string[], onDisk: Map<BlobSha, string>): Promise<Blob[]> {
  const blobs: Blob[] = []
  for (const path of paths) {
    const full = join(root, path)
    const stat = await lstat(full).catch(() => undefined)
    if (!stat) continue
    if (stat.isSymbolicLink()) blobs.push({ path, sha: createHash('sha1').update(path).digest('hex'), size: stat.size, mode: 'symlink' })
    else if (stat.isDirectory()) blobs.push({ path, sha: createHash('sha1').update(path).digest('hex'), size: -1, mode: 'submodule' })
    else if (stat.isFile()) {
      const bytes = stat.size > MAX_WORKING_FILE ? undefined : await readFile(full).catch(() => undefined)
      const sha = bytes ? gitSha(bytes) : createHash('sha1').update(`${path} ${stat.size} ${stat.mtimeMs}`).digest('hex')
      if (bytes) onDisk.set(sha, full)
      blobs.push({ path, sha, size: stat.size, mode: stat.mode & 0o100 ? 'executable' : 'file' })
    }
  }
  return blobs
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

/** Output of `git log --raw -z`: a `commit` record, then pairs of `:mode mode sha sha status` and path. */
function parseRawLog(log: string, wanted: (path: string) => boolean): HistoricFile[] {
  const files = new Map<string, HistoricFile>()
  let commit = ''
  const parts = log.split(/[\0\n]/).filter(Boolean)
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as string
    if (part.startsWith('commit ')) commit = part.slice(7, 47)
    else if (part.startsWith(':')) {
      const [, newMode, , sha, status] = part.split(' ')
      const path = parts[++i] as string
      if (status?.startsWith('D') || newMode === '120000' || newMode === '160000' || !wanted(path)) continue
      const key = `${path}\0${sha}`
      if (!files.has(key)) files.set(key, { path, sha: sha as string, commit })
    }
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.sha < b.sha ? -1 : 1))
}

function byFrequency(values: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const v of values) counts.set(v, (counts.get(v) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([v]) => v)
}
