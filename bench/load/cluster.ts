import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppProcess, freePort } from '../../test/support/app-process.ts'
import { GitHubServer } from '../../test/support/github/server.ts'
import { MANIFEST } from '../../test/support/github/start-app.ts'
import { startPostgres } from '../../test/support/postgres.ts'

export interface ClusterOptions {
  /** Processes of the App beside each other; more than one needs PostgreSQL. */
  readonly replicas: number
  readonly postgres: boolean
  /** Audits at once in each process. */
  readonly concurrency: number
  /** Milliseconds that GitHub takes longer to answer. */
  readonly latencyMs?: number
}

type Database = Awaited<ReturnType<typeof startPostgres>>

/** A local GitHub and processes of the App that share a store, each as an operator starts it. */
export class Cluster {
  readonly github: GitHubServer
  readonly apps: AppProcess[] = []
  readonly #options: ClusterOptions
  readonly #database: Database | undefined
  readonly #dirs: string[]
  readonly #ports: number[]

  private constructor(options: ClusterOptions, github: GitHubServer, database: Database | undefined, dirs: string[], ports: number[]) {
    this.#options = options
    this.github = github
    this.#database = database
    this.#dirs = dirs
    this.#ports = ports
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const github = await new GitHubServer({ permissions: MANIFEST.default_permissions, events: MANIFEST.default_events }).start()
    github.latencyMs = options.latencyMs ?? 0
    const database = options.postgres ? await startPostgres() : undefined
    const each = Array.from({ length: options.replicas })
    const cluster = new Cluster(
      options,
      github,
      database,
      await Promise.all(each.map(() => mkdtemp(join(tmpdir(), 'prelaunch-load-')))),
      await Promise.all(each.map(freePort)),
    )
    for (let i = 0; i < options.replicas; i++) cluster.launch(i)
    await Promise.all(cluster.apps.map((app) => app.ready()))
    return cluster
  }

  /** Address of the PostgreSQL server that the processes share; undefined with the embedded store. */
  get databaseUrl(): string | undefined {
    return this.#database?.url
  }

  /** Starts a replica, also again after it was killed. */
  launch(replica: number): AppProcess {
    const app = new AppProcess({
      github: this.github,
      dataDir: this.#dirs[replica] as string,
      port: this.#ports[replica] as number,
      env: {
        AUDIT_CONCURRENCY: String(this.#options.concurrency),
        LOG_LEVEL: 'warn',
        SWEEP_SECONDS: '120',
        ...(this.#database ? { DATABASE_URL: this.#database.url } : {}),
      },
    })
    this.apps[replica] = app
    this.github.webhooks.balance(this.apps.map((a) => a.webhookUrl))
    return app
  }

  async stop(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.stop()))
    await this.github.stop()
    this.#database?.stop()
    for (const dir of this.#dirs) await rm(dir, { recursive: true, force: true })
  }
}
