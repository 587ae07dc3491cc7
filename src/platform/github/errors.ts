/** What Octokit throws, as far as it is looked at. */
interface RequestFailure {
  readonly status?: number
  readonly message?: string
  readonly code?: string
  readonly name?: string
  readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>>; readonly data?: unknown }
}

/** GitHub's primary or secondary rate limit. */
export function isRateLimit(error: unknown): boolean {
  const { status, message = '', response } = error as RequestFailure
  if (status === 429) return true
  if (status !== 403) return false
  const headers = response?.headers ?? {}
  return headers['retry-after'] !== undefined || String(headers['x-ratelimit-remaining']) === '0' || /rate limit/i.test(message)
}

/** How long GitHub asks to wait; a minute when it does not say, as its documentation advises. */
export function retryAfterSeconds(error: unknown, now = Date.now()): number {
  const headers = (error as RequestFailure).response?.headers ?? {}
  const after = Number(headers['retry-after'])
  if (Number.isFinite(after) && headers['retry-after'] !== undefined) return Math.max(0, after)
  const reset = Number(headers['x-ratelimit-reset'])
  if (String(headers['x-ratelimit-remaining']) === '0' && Number.isFinite(reset)) return Math.max(1, Math.ceil(reset - now / 1000))
  return 60
}

/** A fault of the service or the network that a later attempt may not meet. */
export function isTransient(error: unknown): boolean {
  const { status = 0, name } = error as RequestFailure
  return status >= 500 || status === 408 || (status === 0 && name !== 'GraphqlResponseError')
}

/** Whether the request may have been carried out although no answer came. */
export function isAmbiguous(error: unknown): boolean {
  return isTransient(error)
}

export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return statuses.includes((error as RequestFailure).status ?? -1)
}

/** Why GitHub did not give what was asked for, in a sentence for the author of the pull request. */
export function readableReason(error: unknown): string {
  const { status = 0, message = '', name } = error as RequestFailure
  if (isRateLimit(error)) return 'GitHub’s rate limit for this installation is used up. The audit can be re-run when it is restored, within an hour at most.'
  if (status === 401) return 'GitHub did not accept the App’s token. The installation may be suspended.'
  if (status === 403) return `GitHub refused a request: ${oneLine(message)}. The App’s permissions may have been reduced.`
  if (status === 404) return 'GitHub does not show the repository, the commit or the pull request to the App any more.'
  if (status === 409) return 'The repository is empty.'
  if (status === 422) return `GitHub did not accept a request: ${oneLine(message)}`
  if (status >= 500) return `GitHub answered with an error (${status}) and did not recover while the audit waited.`
  if (name === 'TimeoutError' || name === 'AbortError' || (error instanceof Error && name === 'HttpError')) return 'GitHub could not be reached in time.'
  return oneLine(message) || 'The audit failed for an unknown reason.'
}

function oneLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 300)
}
