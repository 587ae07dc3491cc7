import { createServer } from 'node:net'
import type { Logger } from 'pino'
import { Probot, ProbotOctokit, Server } from 'probot'
import { app } from '../app.ts'
import { sweepClones } from '../platform/github/bare-clone.ts'
import { type GitHubApi, withPatience } from '../platform/github/client.ts'
import { installationClient, type TokenScope } from '../platform/github/installation-client.ts'
import { openStore, type Store } from '../store/store.ts'
import { storeProblem } from '../store/store-problem.ts'
import { limitBodies } from './body-limit.ts'
import { refreshCommits } from './fulfil.ts'
import { operationHandler } from './http.ts'
import { Metrics } from './metrics.ts'
import { Runner } from './runner.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { ReconcileLimits } from './sweep-options.ts'
import { resumeUnfinished, sweep } from './sweeper.ts'

export interface StartOptions {
  readonly appId: number
  readonly privateKey: string
  readonly webhookSecret: string
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly baseUrl: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly webhookPath?: string
  readonly dataDir: string
  readonly databaseUrl?: string
  readonly concurrency: number
  readonly ports: RunnerOptions['ports']
  readonly log: Logger
  readonly patience?: number
  readonly backoffMs?: number
  readonly timeoutMs?: number
  /** Seconds between sweeps; 0 switches them off. */
  readonly sweepSeconds?: number
  /** Requests that one sweep spends on looking for pull requests without a verdict. */
  readonly reconcileLimits?: ReconcileLimits
}

export interface RunningApp {
  readonly url: string
  readonly store: Store
  /** Takes no more webhooks, lets running audits end, and closes the store. */
  stop(graceMs?: number): Promise<void>
  /** One sweep now. */
  sweep(): Promise<void>
}

/** Seconds between the sweeps of processes that start one after the other. */
const START_SWEEP_SECONDS = 60

/** Milliseconds between looks for stored wishes without a job and for runs that do not show what counts. */
const RESUME_MS = 15_000

/** Starts the App: store, queue, sweeper and HTTP server. Throws one readable sentence when it cannot. */
export async function startApp(options: StartOptions): Promise<RunningApp> {
  const { log } = options
  const store = await openStore({
    dataDir: options.dataDir,
    ...(options.databaseUrl ? { databaseUrl: options.databaseUrl } : {}),
    concurrency: options.concurrency,
    onError: (err) => log.warn({ err }, storeProblem(err)),
  })
  try {
    return await startServer(options, store)
  } catch (error) {
    await store.close(1000)
    throw error
  }
}

async function startServer(options: StartOptions, store: Store): Promise<RunningApp> {
  const { log } = options
  const Octokit = octokitFor(options.baseUrl)
  const probotOptions = {
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    baseUrl: options.baseUrl,
    log,
    Octokit,
  }
  const server = new Server({
    Probot: Probot.defaults(probotOptions),
    host: options.host,
    port: options.port || (await freePort(options.host)),
    ...(options.webhookPath ? { webhookPath: options.webhookPath } : {}),
    log,
    enableStaticFiles: false,
  })
  const metrics = new Metrics(store)
  let probot: Probot | undefined
  let stopping = false
  const asApp = async () => (await (probot as Probot).auth()) as unknown as GitHubApi
  // The client is made anew for each job: patience is a budget of the job, and Octokit keeps hooks for ever.
  const client = Octokit.defaults({ baseUrl: options.baseUrl, log }) as unknown as new (options: object) => unknown
  const authenticate = async (scope: TokenScope) => installationClient(await asApp(), client, scope)
  const runner = new Runner({
    store,
    installation: authenticate,
    ports: options.ports,
    log,
    onAudit: metrics.audit,
    ...(options.patience === undefined ? {} : { patience: options.patience }),
    ...(options.backoffMs === undefined ? {} : { backoffMs: options.backoffMs }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  })
  // A webhook is answered within ten seconds, whatever GitHub does meanwhile.
  const hurried = { patience: 5, timeoutMs: 8000 }
  const patient = async (scope: TokenScope) => withPatience(await authenticate(scope), hurried)
  const fulfilOptions = { store, runner, installation: patient, log, metrics }
  await server.load(async (loaded, { addHandler }) => {
    probot = loaded
    app(fulfilOptions)(loaded)
    addHandler(operationHandler(store, metrics, () => stopping))
  })
  await resumeUnfinished({ store })
  await store.queue.work((key) => runner.run(key))
  const http = await server.start()
  limitBodies(http)
  // GitHub refuses to wait longer than ten seconds; a slow client must not hold a connection for ever either.
  http.requestTimeout = 30_000
  http.headersTimeout = 15_000
  // Longer than proxies and load balancers keep idle connections (60 s as a rule): closing first would lose what they send at that moment.
  http.keepAliveTimeout = 75_000

  const sweepOptions = {
    ...fulfilOptions,
    app: async () => withPatience(await asApp(), hurried),
    ...(options.reconcileLimits ? { reconcileLimits: options.reconcileLimits } : {}),
  }
  const seconds = options.sweepSeconds ?? 3600
  const sweepWhenDue = (after: number) => {
    store.targets.takeTurn('sweep', after).then(
      (mine) => (mine ? sweep(sweepOptions) : undefined),
      (err) => log.warn({ err }, 'the sweep could not start'),
    )
  }
  const timer = seconds > 0 ? setInterval(() => sweepWhenDue(seconds * 0.9), seconds * 1000) : undefined
  // What was lost while no process ran is looked for at once, and again a moment later, when processes start in a row: the sweep of the
  // one that started before may have ended before this one's webhooks were lost.
  const soon = Math.min(START_SWEEP_SECONDS, seconds * 0.9)
  if (timer) sweepWhenDue(soon)
  const second = timer ? setTimeout(() => sweepWhenDue(soon), (soon + 1) * 1000) : undefined
  // Of this machine alone, so each process keeps its own in bounds.
  const tidy = () => void sweepClones(store.cloneRoot).catch((err) => log.warn({ err }, 'clones could not be tidied'))
  const tidying = seconds > 0 ? setInterval(tidy, 3_600_000) : undefined
  if (tidying) tidy()
  const resume = setInterval(() => {
    resumeUnfinished({ store })
      .then(() => refreshCommits(fulfilOptions))
      .catch((err) => log.warn({ err }, 'what is unfinished could not be looked for; the next minute repeats it'))
  }, RESUME_MS)
  const { port } = http.address() as { port: number }

  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    store,
    sweep: () => sweep(sweepOptions),
    stop: async (graceMs = 20_000) => {
      stopping = true
      clearInterval(timer)
      clearTimeout(second)
      clearInterval(tidying)
      clearInterval(resume)
      http.closeIdleConnections()
      const closed = server.stop()
      setTimeout(() => http.closeAllConnections(), 2000).unref()
      const interrupt = setTimeout(() => runner.interruptAll(), graceMs * 0.8)
      interrupt.unref()
      await closed
      await store.close(graceMs)
      clearTimeout(interrupt)
    },
  }
}

interface InstanceOptions {
  readonly throttle?: object
  readonly retry?: object
  readonly auth?: { readonly request?: { defaults(options: { baseUrl: string }): unknown } }
}

/**
 * Probot's Octokit with two changes, by a function because Probot lays its own options over plain defaults: patience is ours (client.ts: one
 * budget for each audit instead of a fixed number of retries and a second between writes), and tokens are asked for where the API is:
 * Probot's own request would ask api.github.com for the token of an Enterprise Server.
 */
function octokitFor(baseUrl: string): typeof ProbotOctokit {
  return ProbotOctokit.defaults((instance: InstanceOptions) => ({
    ...instance,
    throttle: { ...instance.throttle, enabled: false },
    retry: { ...instance.retry, enabled: false },
    ...(instance.auth?.request ? { auth: { ...instance.auth, request: instance.auth.request.defaults({ baseUrl }) } } : {}),
  })) as typeof ProbotOctokit
}

/** Probot takes port 0 for "not set". */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, host, () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
