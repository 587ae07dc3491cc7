import type { Octokit } from '@octokit/rest'
import type { GitHubApi } from './client.ts'
import { isStatus } from './errors.ts'

/** What a job of the App may do: names and levels as in GitHub's `app-permissions`. */
export type JobPermissions = Readonly<Record<string, 'read' | 'write'>>

/** The jobs of the App, each with the least that its requests need (test/app/permissions.test.ts holds app.yml to their sum). */
export const JOB_PERMISSIONS = {
  /** Reads the code and writes the run, the summary comment and the suggestions. */
  audit: { metadata: 'read', contents: 'read', checks: 'write', pull_requests: 'write' },
  /** Looks up which branch or pull request a commit belongs to. */
  lookUp: { metadata: 'read', contents: 'read', pull_requests: 'read' },
  /** Concludes a run. */
  conclude: { metadata: 'read', checks: 'write' },
  /** Answers a command in a conversation. */
  answer: { metadata: 'read', pull_requests: 'write' },
  /** Lists repositories and their open pull requests; the only job that is not narrowed to one repository. */
  list: { metadata: 'read', pull_requests: 'read' },
} as const satisfies Readonly<Record<string, JobPermissions>>

export type Job = keyof typeof JOB_PERMISSIONS

/** What a token is for: an installation, the job, and the repository that the job is about. */
export interface TokenScope {
  readonly installation: number
  readonly job: Job
  /** Id of the repository; every repository of the installation for `list`. */
  readonly repository?: number
}

interface AuthOptions {
  readonly type?: string
  readonly refresh?: boolean
}

type RequestFunction = ((endpoint: object) => Promise<unknown>) & {
  readonly endpoint: { merge(route: unknown, parameters: unknown): { headers: Record<string, string> } }
}

/**
 * A client whose tokens are narrowed to one repository and one job: what leaks from it opens nothing else. Tokens are cached by `app`, its
 * scope included, and renewed when they end. An installation whose owner has not accepted all permissions of app.yml yet gets a token with
 * those that it has, for the repository alone.
 */
export function installationClient(app: Pick<GitHubApi, 'auth'>, Client: new (options: object) => unknown, scope: TokenScope): GitHubApi {
  const narrow = {
    type: 'installation',
    installationId: scope.installation,
    ...(scope.repository === undefined ? {} : { repositoryIds: [scope.repository] }),
  }
  let notGranted = false
  const issue = async (refresh: boolean): Promise<{ token: string }> => {
    const ask = (permissions?: JobPermissions) => app.auth({ ...narrow, ...(permissions ? { permissions } : {}), refresh }) as Promise<{ token: string }>
    if (notGranted) return ask()
    try {
      return await ask(JOB_PERMISSIONS[scope.job])
    } catch (error) {
      if (!isStatus(error, 422) || scope.repository === undefined) throw error
      const answer = await ask()
      notGranted = true
      return answer
    }
  }
  const auth = async (options: AuthOptions = {}) => issue(options.refresh ?? false)
  const hook = async (request: RequestFunction, route: unknown, parameters: unknown) => {
    const endpoint = request.endpoint.merge(route, parameters)
    endpoint.headers['authorization'] = `token ${(await auth()).token}`
    return request(endpoint)
  }
  return new Client({ authStrategy: () => Object.assign(auth, { hook }) }) as Octokit
}
