import { setTimeout as sleep } from 'node:timers/promises'
import { Octokit } from '@octokit/rest'
import { isAmbiguous, isRateLimit, isTransient, retryAfterSeconds } from './errors.ts'

/** What the App needs of an Octokit: Probot's and @octokit/rest's both have it. */
export type GitHubApi = Pick<Octokit, 'request' | 'graphql' | 'hook' | 'auth'>

export interface ClientOptions {
  /** Ends every request: the audit was superseded or the process stops. */
  readonly signal?: AbortSignal
  /** Seconds that all waiting for GitHub may take together; 120 by default. */
  readonly patience?: number
  /** Milliseconds before one attempt is given up; 30,000 by default. */
  readonly timeoutMs?: number
  /** Milliseconds before the first retry; doubled each time. 1,000 by default. */
  readonly backoffMs?: number
  readonly onRequest?: (route: string, status: number, ms: number) => void
}

interface RequestOptions {
  readonly method: string
  readonly url: string
  request?: { signal?: AbortSignal | undefined; retries?: number }
}

/**
 * Makes an Octokit patient within a budget: GitHub's faults and limits are waited out (Retry-After included) until `patience` is spent,
 * an expired token is renewed once, every attempt has a timeout. A POST whose fate is unknown is never repeated here: its caller looks first.
 */
export function withPatience<T extends GitHubApi>(octokit: T, options: ClientOptions = {}): T {
  let patience = (options.patience ?? 120) * 1000
  octokit.hook.wrap('request', async (request, requestOptions) => {
    const target = requestOptions as unknown as RequestOptions
    let renewed = false
    for (let attempt = 0; ; attempt++) {
      const from = performance.now()
      const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000)
      const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
      target.request = { ...target.request, signal }
      try {
        const response = await request(requestOptions)
        options.onRequest?.(`${target.method} ${target.url}`, response.status, performance.now() - from)
        return response
      } catch (error) {
        const status = (error as { status?: number }).status ?? 0
        options.onRequest?.(`${target.method} ${target.url}`, status, performance.now() - from)
        if (options.signal?.aborted) throw options.signal.reason
        if (status === 401 && !renewed && (await renewToken(octokit))) {
          renewed = true
          continue
        }
        const isQuery = target.url.endsWith('/graphql')
        const safe = target.method !== 'POST' || isQuery || !isAmbiguous(error)
        const wait = isRateLimit(error)
          ? retryAfterSeconds(error) * 1000
          : isTransient(error) && safe
            ? (options.backoffMs ?? 1000) * 2 ** Math.min(attempt, 5)
            : -1
        if (wait < 0 || wait > patience || attempt >= 8) throw error
        patience -= Math.max(wait, 1)
        await sleep(wait, undefined, options.signal ? { signal: options.signal } : {})
      }
    }
  })
  return octokit
}

/** A client for a personal or workflow token, as the command line uses it. */
export function tokenClient(token: string, baseUrl = 'https://api.github.com', options: ClientOptions = {}): Octokit {
  return withPatience(new Octokit({ auth: token, baseUrl, userAgent: 'prelaunch', log: SILENT }), options)
}

/** The installation token in use, for git over HTTPS. */
export async function accessToken(octokit: GitHubApi): Promise<string> {
  const { token } = (await octokit.auth({ type: 'installation' }).catch(() => octokit.auth())) as { token: string }
  return token
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

async function renewToken(octokit: GitHubApi): Promise<boolean> {
  try {
    await octokit.auth({ type: 'installation', refresh: true })
    return true
  } catch {
    return false
  }
}
