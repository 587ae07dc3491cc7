import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobSha, History, Snapshot, Source } from '../../source/source.ts'
import { hashFiles, readOrNothing } from './git-source.ts'

const SKIP = new Set(['.git', 'node_modules', '.hg', '.svn'])
const MAX_FILES = 100_000

/** A folder without git: its files as they are when they are first asked for, and no history. */
export class FolderSource implements Source {
  private readonly dir: string
  private readonly onDisk = new Map<BlobSha, string>()
  private tree: Promise<Snapshot> | undefined

  constructor(dir: string) {
    this.dir = dir
  }

  snapshot(): Promise<Snapshot> {
    this.tree ??= this.list()
    return this.tree
  }

  private async list(): Promise<Snapshot> {
    const paths: string[] = []
    const complete = await walk(this.dir, '', paths)
    return {
      commit: 'working tree',
      blobs: hashFiles(this.dir, paths, this.onDisk),
      complete,
      ...(complete ? {} : { incompleteBecause: `the folder holds more than ${MAX_FILES} files` }),
    }
  }

  async read(shas: readonly BlobSha[]): Promise<Map<BlobSha, Uint8Array>> {
    const found = new Map<BlobSha, Uint8Array>()
    for (const sha of shas) {
      const path = this.onDisk.get(sha)
      const bytes = path === undefined ? undefined : readOrNothing(path)
      if (bytes) found.set(sha, bytes)
    }
    return found
  }

  async history(): Promise<History> {
    return { commits: 0, complete: false, because: 'the folder is not a git repository', files: [], authors: [] }
  }

  async mergeBase(): Promise<undefined> {
    return undefined
  }
}

async function walk(root: string, under: string, into: string[]): Promise<boolean> {
  const entries = await readdir(join(root, under), { withFileTypes: true }).catch(() => [])
  for (const e of entries) {
    if (into.length >= MAX_FILES) return false
    const path = under ? `${under}/${e.name}` : e.name
    if (e.isDirectory()) {
      if (!SKIP.has(e.name) && !(await walk(root, path, into))) return false
    } else into.push(path)
  }
  return true
}
