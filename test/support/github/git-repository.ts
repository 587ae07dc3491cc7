import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** What a commit does to one path: text, bytes, a link, a submodule, or null to delete it. */
export type FileChange = string | Buffer | null | { readonly symlink: string } | { readonly submodule: string } | { readonly executable: string }

export interface TreeEntry {
  readonly path: string
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly sha: string
  readonly size?: number
}

const ENV = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' }

/** A real bare git repository, written with fast-import and read with plumbing. */
export class GitRepository {
  readonly dir: string
  #clock = 1_700_000_000

  constructor(dir: string) {
    this.dir = dir
    mkdirSync(dir, { recursive: true })
    execFileSync('git', ['init', '--bare', '--quiet', '--initial-branch=main', dir], { env: ENV })
    this.git('config', 'uploadpack.allowFilter', 'true')
    this.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
    this.git('config', 'http.receivepack', 'true')
    this.git('config', 'gc.auto', '0')
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.dir, ...args], { env: ENV, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
  }

  tryGit(...args: string[]): string | undefined {
    const done = spawnSync('git', ['-C', this.dir, ...args], { env: ENV, encoding: 'utf8', maxBuffer: 1 << 28 })
    return done.status === 0 ? done.stdout.trimEnd() : undefined
  }

  /** Commits changes to a branch and returns the commit. `from` starts the branch elsewhere; `replace` drops the files of the parent. */
  commit(
    branch: string,
    files: Readonly<Record<string, FileChange>>,
    options: { message?: string; author?: string; from?: string; orphan?: boolean; replace?: boolean; merge?: string } = {},
  ): string {
    const parent = options.orphan ? undefined : this.resolve(options.from ?? `refs/heads/${branch}`)
    this.#clock += 60
    const author = `${options.author ?? 'Dev <dev@example.com>'} ${this.#clock} +0000`
    const chunks: Buffer[] = []
    const say = (text: string) => chunks.push(Buffer.from(text))
    const data = (bytes: Buffer) => {
      say(`data ${bytes.length}\n`)
      chunks.push(bytes)
      say('\n')
    }
    say(`commit refs/heads/${branch}\nauthor ${author}\ncommitter ${author}\n`)
    data(Buffer.from(options.message ?? 'Change'))
    if (parent) say(`from ${parent}\n`)
    if (options.merge) say(`merge ${options.merge}\n`)
    if (options.replace) say('deleteall\n')
    for (const [path, change] of Object.entries(files)) {
      const name = quoted(path)
      if (change === null) say(`D ${name}\n`)
      else if (typeof change === 'string' || Buffer.isBuffer(change)) {
        say(`M 100644 inline ${name}\n`)
        data(Buffer.from(change))
      } else if ('symlink' in change) {
        say(`M 120000 inline ${name}\n`)
        data(Buffer.from(change.symlink))
      } else if ('executable' in change) {
        say(`M 100755 inline ${name}\n`)
        data(Buffer.from(change.executable))
      } else say(`M 160000 ${change.submodule} ${name}\n`)
    }
    if (options.orphan) this.tryGit('update-ref', '-d', `refs/heads/${branch}`)
    const done = spawnSync('git', ['-C', this.dir, 'fast-import', '--quiet', '--force'], { env: ENV, input: Buffer.concat(chunks), maxBuffer: 1 << 28 })
    if (done.status !== 0) throw new Error(`git fast-import: ${done.stderr}`)
    return this.resolve(`refs/heads/${branch}`) as string
  }

  /** The object that a name stands for; undefined when there is none. */
  resolve(name: string): string | undefined {
    // `^{object}` makes git look whether a full SHA exists; after a path it would be part of the path.
    return this.tryGit('rev-parse', '--verify', '--quiet', name.includes(':') ? name : `${name}^{object}`)
  }

  branches(): string[] {
    return (this.tryGit('for-each-ref', '--format=%(refname:short)', 'refs/heads') ?? '').split('\n').filter(Boolean)
  }

  type(sha: string): string | undefined {
    return this.tryGit('cat-file', '-t', sha)
  }

  tree(treeish: string, recursive: boolean): TreeEntry[] | undefined {
    const out = this.tryGit('ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), treeish)
    if (out === undefined) return undefined
    return out
      .split('\0')
      .filter(Boolean)
      .map((row) => {
        const [meta = '', path = ''] = [row.slice(0, row.indexOf('\t')), row.slice(row.indexOf('\t') + 1)]
        const [mode = '', type = '', sha = '', size = ''] = meta.split(/ +/)
        return { path, mode, type: type as TreeEntry['type'], sha, ...(type === 'blob' ? { size: Number(size) } : {}) }
      })
  }

  blob(sha: string): Buffer | undefined {
    const done = spawnSync('git', ['-C', this.dir, 'cat-file', 'blob', sha], { env: ENV, maxBuffer: 1 << 28 })
    return done.status === 0 ? done.stdout : undefined
  }

  /** Contents of many blobs in one process. */
  blobs(shas: readonly string[]): Map<string, Buffer> {
    const done = spawnSync('git', ['-C', this.dir, 'cat-file', '--batch'], { env: ENV, input: `${shas.join('\n')}\n`, maxBuffer: 1 << 29 })
    const found = new Map<string, Buffer>()
    let at = 0
    while (at < done.stdout.length) {
      const end = done.stdout.indexOf(10, at)
      const [sha = '', type = '', size = ''] = done.stdout.subarray(at, end).toString().split(' ')
      at = end + 1
      if (type === 'missing') continue
      if (type === 'blob') found.set(sha, done.stdout.subarray(at, at + Number(size)))
      at += Number(size) + 1
    }
    return found
  }

  mergeBase(base: string, head: string): string | undefined {
    return this.tryGit('merge-base', base, head)
  }

  /** A gzipped archive as GitHub makes it: one top folder. */
  archive(commit: string, prefix: string) {
    return spawn('git', ['-C', this.dir, 'archive', '--format=tar.gz', `--prefix=${prefix}/`, commit], { env: ENV, stdio: ['ignore', 'pipe', 'ignore'] }).stdout
  }

  /** Files of the difference with their patch, as the pull request files API shows them. */
  diff(base: string, head: string): { filename: string; status: string; patch: string; sha: string }[] {
    const names = this.git('diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', base, head).split('\0')
    const files = []
    for (let i = 0; i + 1 < names.length; i += 2) {
      const [, , , sha = '', letter = ''] = (names[i] ?? '').split(' ')
      const filename = names[i + 1] ?? ''
      const text = this.git('diff', '--no-renames', base, head, '--', filename)
      const hunk = text.indexOf('\n@@')
      files.push({ filename, status: letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified', patch: hunk < 0 ? '' : text.slice(hunk + 1), sha })
    }
    return files
  }
}

/** A path as fast-import reads it: control characters as octal numbers, which JSON would write as `\\u…`. */
function quoted(path: string): string {
  return JSON.stringify(path).replace(/\\u00([0-9a-f]{2})/g, (_, hex: string) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, '0')}`)
}
