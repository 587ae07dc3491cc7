import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GitHubServer } from './github/server.ts'

export interface AppProcessOptions {
  readonly github: GitHubServer
  readonly dataDir: string
  readonly port: number
  /** Variables added to the environment; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The App as an operator starts it: a process of its own, against an Enterprise Server at the local GitHub's address. */
export class AppProcess {
  readonly url: string
  readonly child: ChildProcess
  #output = ''

  constructor({ github, dataDir, port, env }: AppProcessOptions) {
    this.url = `http://127.0.0.1:${port}`
    const all = {
      PATH: process.env['PATH'],
      APP_ID: String(github.appId),
      PRIVATE_KEY: github.privateKey,
      WEBHOOK_SECRET: github.webhookSecret,
      GHE_HOST: new URL(github.url).host,
      GHE_PROTOCOL: 'http',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      NO_SMEE_SETUP: 'true',
      ...env,
    }
    this.child = spawn(process.execPath, ['src/main.ts'], {
      env: Object.fromEntries(Object.entries(all).filter((e): e is [string, string] => e[1] !== undefined)),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Whatever ends the tests or the bench must not leave it behind.
    const end = () => this.child.kill('SIGKILL')
    process.once('exit', end)
    this.child.once('exit', () => process.off('exit', end))
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-MAX_OUTPUT)
      })
  }

  /** What it wrote, the last part of it when there is much. */
  get output(): string {
    return this.#output
  }

  get webhookUrl(): string {
    return `${this.url}/api/github/webhooks`
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Whether a path answers with 200. */
  answers(path: string): Promise<boolean> {
    return fetch(`${this.url}${path}`).then(
      (r) => r.status === 200,
      () => false,
    )
  }

  /** Resolves when webhooks can be stored; throws with what the process wrote when it ends before. */
  async ready(): Promise<this> {
    await until('the start', () => this.answers('/readyz'), this, 300_000)
    return this
  }

  /** Ends it without warning, as a machine that is switched off. */
  async kill(): Promise<void> {
    if (!this.running) return
    const gone = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await gone
  }

  /** Ends it as an orchestrator does; gives the exit status. */
  async stop(): Promise<number | null> {
    if (this.running) {
      const gone = once(this.child, 'exit')
      this.child.kill('SIGTERM')
      await gone
    }
    return this.child.exitCode
  }
}

const MAX_OUTPUT = 1 << 20

/** Waits for something that a process brings about. Throws with what the process wrote when it does not come, or when the process ends. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, app?: AppProcess, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) {
    if (await holds()) return
    if (app && !app.running) break
  }
  throw new Error(`${what} did not happen\n${app?.output ?? ''}`)
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
