import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RepositoryRef } from './repository-ref.ts'

const FETCH_TIMEOUT_MS = 90_000
/** Commits and trees of one repository, in bytes; the largest application seen has a tenth. */
const MAX_BYTES = 2 ** 30
const LOOK_EVERY_MS = 500

/** The file that says a clone is set up; its time says when it was last used. */
const MARK = 'config.prelaunch'

/** One fetch at a time per folder: two audits of a repository share it. */
const locks = new Map<string, Promise<unknown>>()

/**
 * A bare repository with commits and trees but no file contents (`--filter=blob:none`): the whole history in two or three requests.
 * Kept between audits under `root`, where a later fetch brings only what is new; without `root` it lives in a temporary folder.
 */
export class BareClone {
  readonly dir: string
  readonly #temporary: boolean
  readonly #url: string
  readonly #maxBytes: number

  private constructor(dir: string, url: string, temporary: boolean, maxBytes: number) {
    this.dir = dir
    this.#url = url
    this.#temporary = temporary
    this.#maxBytes = maxBytes
  }

  static async open(ref: RepositoryRef, root: string | undefined, maxBytes = MAX_BYTES): Promise<BareClone> {
    const dir = root ? join(root, `${ref.id}.git`) : await mkdtemp(join(tmpdir(), 'prelaunch-git-'))
    if (root) await mkdir(dir, { recursive: true })
    return new BareClone(dir, ref.cloneUrl, !root, maxBytes)
  }

  /** Brings the commits and everything that they reach. Throws when git, the transport, the time or the size does not allow it. */
  async fetch(commits: readonly string[], token: string, signal?: AbortSignal): Promise<void> {
    await inTurn(this.dir, () => this.#fetch(commits, token, signal))
  }

  async #fetch(commits: readonly string[], token: string, signal?: AbortSignal): Promise<void> {
    const mark = join(this.dir, MARK)
    if (existsSync(mark)) await utimes(mark, new Date(), new Date())
    else {
      await mkdir(this.dir, { recursive: true })
      await this.#initialise(signal)
    }
    // A ref is written after its objects, so its file says that a commit is whole.
    const missing = commits.filter((commit) => !existsSync(join(this.dir, 'refs', 'prelaunch', commit)))
    if (!missing.length) return
    // Refs keep what was fetched and tell the server at the next fetch what is here already.
    const refspecs = missing.map((commit) => `+${commit}:refs/prelaunch/${commit}`)
    const authorization = `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
    await this.#within(signal, (limited) => this.#fetchRefs(refspecs, authorization, limited))
  }

  /** Ends a fetch that grows beyond what may be kept, and forgets what it brought. */
  async #within(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const limit = new AbortController()
    const tooLarge = async () => (await bytesIn(this.dir)) > this.#maxBytes
    const look = setInterval(() => void tooLarge().then((large) => large && limit.abort()), LOOK_EVERY_MS)
    try {
      await run(signal ? AbortSignal.any([signal, limit.signal]) : limit.signal).catch((error: unknown) => {
        if (!limit.signal.aborted) throw error
      })
    } finally {
      clearInterval(look)
    }
    if (!limit.signal.aborted && !(await tooLarge())) return
    await rm(this.dir, { recursive: true, force: true })
    throw new Error(`the history is larger than ${Math.round(this.#maxBytes / 2 ** 20)} MB`)
  }

  async #fetchRefs(refspecs: readonly string[], authorization: string, signal: AbortSignal): Promise<void> {
    await git(
      this.dir,
      [
        '-c',
        'protocol.version=2',
        '-c',
        `remote.origin.url=${this.#url}`,
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--filter=blob:none',
        'origin',
        ...refspecs,
      ],
      // By environment and not by argument: arguments show in the process list.
      { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader', GIT_CONFIG_VALUE_0: authorization },
      signal,
    )
  }

  async #initialise(signal?: AbortSignal): Promise<void> {
    await git(this.dir, ['init', '--bare', '--quiet'], {}, signal)
    const config = [
      '[core]',
      '\trepositoryformatversion = 1',
      '\tbare = true',
      '[extensions]',
      '\tpartialClone = origin',
      '[remote "origin"]',
      `\turl = ${JSON.stringify(this.#url)}`,
      '\tpromisor = true',
      '\tpartialclonefilter = blob:none',
      '[gc]',
      '\tauto = 0',
      '',
    ]
    await writeFile(join(this.dir, 'config'), config.join('\n'))
    await writeFile(join(this.dir, MARK), '1')
  }

  async close(): Promise<void> {
    if (this.#temporary) await rm(this.dir, { recursive: true, force: true })
  }
}

async function inTurn<T>(dir: string, run: () => Promise<T>): Promise<T> {
  const before = locks.get(dir) ?? Promise.resolve()
  const turn = before.catch(() => {}).then(run)
  locks.set(dir, turn)
  try {
    return await turn
  } finally {
    if (locks.get(dir) === turn) locks.delete(dir)
  }
}

/** Deletes the clones of repositories: the App was uninstalled there. */
export async function forgetClones(root: string, repositories: readonly number[]): Promise<void> {
  for (const id of repositories) {
    const dir = join(root, `${id}.git`)
    await inTurn(dir, () => rm(dir, { recursive: true, force: true }))
  }
}

export interface CloneLimits {
  /** Bytes of all clones together; the least recently used go first. */
  readonly maxBytes: number
  /** Days after which a clone that no audit used is deleted. */
  readonly unusedDays: number
  /** Audited commits after which a clone is made anew: each leaves a ref and a pack, and a fresh clone costs less than packing them. */
  readonly maxRefs: number
}

export const DEFAULT_CLONE_LIMITS: CloneLimits = { maxBytes: 5 * 2 ** 30, unusedDays: 30, maxRefs: 1000 }
/** A clone used more recently than this may be in use by an audit. */
const IN_USE_MS = 30 * 60_000

/** Deletes clones that are old, worn or too much. */
export async function sweepClones(root: string, limits: CloneLimits = DEFAULT_CLONE_LIMITS, now = Date.now()): Promise<void> {
  const clones = []
  for (const name of await namesIn(root)) {
    const dir = join(root, name)
    // A clone without its mark was never finished.
    const used = await stat(join(dir, MARK)).then(
      (s) => s.mtimeMs,
      () =>
        stat(dir).then(
          (s) => s.mtimeMs,
          () => now,
        ),
    )
    clones.push({ dir, used, bytes: await bytesIn(dir), refs: (await namesIn(join(dir, 'refs', 'prelaunch'))).length })
  }
  let total = clones.reduce((sum, c) => sum + c.bytes, 0)
  for (const { dir, used, bytes, refs } of clones.sort((a, b) => a.used - b.used)) {
    const age = now - used
    if (age < IN_USE_MS || !(age > limits.unusedDays * 86_400_000 || refs > limits.maxRefs || total > limits.maxBytes)) continue
    await inTurn(dir, () => rm(dir, { recursive: true, force: true }))
    total -= bytes
  }
}

function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => [])
}

async function bytesIn(dir: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (entry.isFile())
      sum += await stat(join(entry.parentPath, entry.name)).then(
        (s) => s.size,
        () => 0,
      )
  }
  return sum
}

/** The network half of git: fixed arguments, no prompts, no hooks, no configuration of the machine, only http(s). */
function git(dir: string, args: readonly string[], env: Record<string, string>, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const proxies = Object.fromEntries(
      ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy', 'SSL_CERT_FILE', 'GIT_SSL_CAINFO'].flatMap((name) =>
        process.env[name] ? [[name, process.env[name] as string]] : [],
      ),
    )
    const child = spawn('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'credential.helper=', '-C', dir, ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ASKPASS: 'true',
        GIT_ALLOW_PROTOCOL: 'http:https',
        LC_ALL: 'C',
        ...proxies,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: FETCH_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      ...(signal ? { signal } : {}),
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (out.length < 1 << 20) out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (err.length < 4000) err += chunk.toString()
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(out.trim()) : reject(new Error(`git ${args[0] === '-c' ? 'fetch' : args[0]} failed: ${err.split('\n')[0]?.slice(0, 200) ?? ''}`)),
    )
  })
}
