import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { parse } from 'yaml'
import { defaultPorts } from '../../../src/app/ports.ts'
import type { RunnerOptions } from '../../../src/app/runner-options.ts'
import { type RunningApp, type StartOptions, startApp } from '../../../src/app/start.ts'
import { GitHubServer } from './server.ts'
import type { CheckRun, Repo } from './state.ts'

/** What app.yml asks for. */
export const MANIFEST = parse(readFileSync(new URL('../../../app.yml', import.meta.url), 'utf8')) as {
  default_permissions: Record<string, string>
  default_events: string[]
}

export interface Stage {
  readonly github: GitHubServer
  readonly app: RunningApp
  readonly dataDir: string
  /** Resolves when every webhook was answered and no audit waits or runs. */
  settled(): Promise<void>
  /** Does something of which no webhook ever comes: not failed deliveries, which GitHub would list, but none at all. */
  unnoticed<T>(act: () => T): Promise<T>
  /** Ends the App and starts it again on the same data. */
  restart(changes?: Partial<StartOptions>): Promise<RunningApp>
  stop(): Promise<void>
}

export interface StageOptions {
  readonly log?: Logger
  readonly ports?: Partial<RunnerOptions['ports']>
  readonly gitHttp?: boolean
  readonly app?: Partial<StartOptions>
  readonly port?: number
}

/** A local GitHub and the whole App beside it, over real HTTP on loopback. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const github = await new GitHubServer({
    permissions: MANIFEST.default_permissions,
    events: MANIFEST.default_events,
    ...(options.gitHttp === undefined ? {} : { gitHttp: options.gitHttp }),
    ...(options.port ? { port: options.port } : {}),
  }).start()
  const ports = defaultPorts(github.url)
  const dataDir = await mkdtemp(join(tmpdir(), 'prelaunch-data-'))
  const start = (changes: Partial<StartOptions> = {}) =>
    startApp({
      appId: github.appId,
      privateKey: github.privateKey,
      webhookSecret: github.webhookSecret,
      baseUrl: github.url,
      host: '127.0.0.1',
      port: 0,
      dataDir,
      concurrency: 2,
      ports: { ...ports, ...options.ports },
      log: options.log ?? pino({ level: 'silent' }),
      sweepSeconds: 0,
      backoffMs: 10,
      ...options.app,
      ...changes,
    })
  const stage = {
    github,
    app: await start(),
    dataDir,
    settled: async () => {
      for (let quiet = 0; quiet < 3; ) {
        await github.webhooks.settled()
        const { waiting, active } = await stage.app.store.queue.depth()
        quiet = waiting + active === 0 ? quiet + 1 : 0
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    unnoticed: async <T>(act: () => T): Promise<T> => {
      const { url } = github.webhooks
      github.webhooks.url = undefined
      const result = act()
      await stage.settled()
      github.webhooks.deliveries.length = 0
      github.webhooks.url = url
      return result
    },
    restart: async (changes: Partial<StartOptions> = {}) => {
      await stage.app.stop(500)
      stage.app = await start(changes)
      github.webhooks.url = `${stage.app.url}/api/github/webhooks`
      return stage.app
    },
    stop: async () => {
      await stage.app.stop(500)
      await ports.close()
      await github.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  github.webhooks.url = `${stage.app.url}/api/github/webhooks`
  return stage
}

/** The newest check run on a commit. */
export function latestRun(github: GitHubServer, repo: Repo, sha: string): CheckRun | undefined {
  return github.checkRuns.findLast((r) => r.repo === repo && r.headSha === sha)
}
