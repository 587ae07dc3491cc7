import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RepositoryRef } from './repository-ref.ts'

const FETCH_TIMEOUT_MS = 90_000

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

  private constructor(dir: string, url: string, temporary: boolean) {
    this.dir = dir
    this.#url = url
    this.#temporary = temporary
  }

  static async open(ref: RepositoryRef, root: string | undefined): Promise<BareClone> {
    const dir = root ? join(root, `${ref.id}.git`) : await mkdtemp(join(tmpdir(), 'prelaunch-git-'))
    if (root) await mkdir(dir, { recursive: true })
    return new BareClone(dir, ref.cloneUrl, !root)
  }

  /** Brings the commits and everything that they reach. Throws when git, the transport or the time does not allow it. */
  async fetch(commits: readonly string[], token: string, signal?: AbortSignal): Promise<void> {
    const before = locks.get(this.dir) ?? Promise.resolve()
    const run = before.catch(() => {}).then(() => this.#fetch(commits, token, signal))
    locks.set(this.dir, run)
    try {
      await run
    } finally {
      if (locks.get(this.dir) === run) locks.delete(this.dir)
    }
  }

  async #fetch(commits: readonly string[], token: string, signal?: AbortSignal): Promise<void> {
    if (!existsSync(join(this.dir, 'config.prelaunch'))) await this.#initialise(signal)
    // A ref is written after its objects, so its file says that a commit is whole.
    const missing = commits.filter((commit) => !existsSync(join(this.dir, 'refs', 'prelaunch', commit)))
    if (!missing.length) return
    // Refs keep what was fetched and tell the server at the next fetch what is here already.
    const refspecs = missing.map((commit) => `+${commit}:refs/prelaunch/${commit}`)
    const authorization = `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
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
    await writeFile(join(this.dir, 'config.prelaunch'), '1')
  }

  async close(): Promise<void> {
    if (this.#temporary) await rm(this.dir, { recursive: true, force: true })
  }
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
