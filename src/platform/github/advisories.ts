import type { Advisory, AdvisoryData } from '../../model/dependencies/advisory.ts'

/** What is known of one `name@version`: its advisories and when they were asked for (ms since 1970). */
export interface CachedAdvisories {
  readonly advisories: readonly Advisory[]
  readonly at: number
}

/** Remembers answers between audits. Implemented by the store; it may forget anything at any time. */
export interface AdvisoryCache {
  packages(keys: readonly string[]): Promise<ReadonlyMap<string, CachedAdvisories>>
  /** The ETag of an earlier request, by its URL. */
  etag(url: string): Promise<string | undefined>
  put(packages: ReadonlyMap<string, CachedAdvisories>, etags: ReadonlyMap<string, string>): Promise<void>
}

export interface AdvisoryOptions {
  /** `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise server. */
  readonly baseUrl?: string
  /** Raises the rate limit; without one 60 requests an hour are allowed. */
  readonly token?: () => Promise<string | undefined>
  readonly cache?: AdvisoryCache
  /** Told of every HTTP request, for the audit's count. */
  readonly onRequest?: (url: string) => void
  readonly now?: () => number
  readonly timeoutMs?: number
}

/** Packages per request that the API allows. */
const MAX_BATCH = 1000
/** How long an answer is taken without asking again. */
const FRESH_MS = 6 * 60 * 60 * 1000
/** Requests that one audit may cost; beyond it the answer would come too late to matter. */
const MAX_REQUESTS = 40
const DEFAULT_TIMEOUT_MS = 5000
/** How long a failure is taken for an outage before the next attempt. */
const OUTAGE_MS = 60_000

/**
 * Asks GitHub's global advisory database which of the packages (`name@version`) are affected. Any failure gives
 * `source: 'none'` with the reason: half an answer would look like a clean bill.
 */
export function githubAdvisories(options: AdvisoryOptions = {}): (packages: readonly string[]) => Promise<AdvisoryData> {
  let outage: { readonly until: number; readonly data: AdvisoryData } | undefined
  const now = options.now ?? Date.now
  return async (packages) => {
    // Base and head of a pull request ask one after the other: one silence is enough.
    if (outage && now() < outage.until) return outage.data
    if (!packages.length) return { source: 'github', advisories: [] }
    try {
      return { source: 'github', advisories: await lookUp([...new Set(packages)].sort(), options) }
    } catch (error) {
      outage = { until: now() + OUTAGE_MS, data: { source: 'none', because: reasonOf(error), advisories: [] } }
      return outage.data
    }
  }
}

async function lookUp(packages: readonly string[], options: AdvisoryOptions): Promise<Advisory[]> {
  const now = (options.now ?? Date.now)()
  const cached = new Map((await options.cache?.packages(packages)) ?? [])
  const due = packages.filter((p) => now - (cached.get(p)?.at ?? Number.NEGATIVE_INFINITY) > FRESH_MS)
  const session = new Session(options)
  const fresh = new Map<string, CachedAdvisories>()
  const etags = new Map<string, string>()
  for (let i = 0, size = MAX_BATCH; i < due.length; ) {
    const batch = due.slice(i, i + size)
    const url = session.urlOf(batch)
    const known = batch.every((p) => cached.has(p)) ? await options.cache?.etag(url) : undefined
    const answer = await session.pages(url, known)
    if (answer === 'too-long') {
      if (size === 1) throw new Error('GitHub refuses the length of a single request')
      size = Math.ceil(size / 2)
      continue
    }
    i += batch.length
    if (answer === 'not-modified') {
      for (const p of batch) fresh.set(p, { advisories: cached.get(p)?.advisories ?? [], at: now })
      continue
    }
    // The answer does not say which version an advisory was found for; every version gets those of its package, and the model compares ranges.
    const byName = Map.groupBy(answer.advisories, (a) => a.package)
    for (const p of batch) fresh.set(p, { advisories: byName.get(p.slice(0, p.indexOf('@', 1))) ?? [], at: now })
    if (answer.etag) etags.set(url, answer.etag)
  }
  if (fresh.size) await options.cache?.put(fresh, etags)
  const all = new Map<string, Advisory>()
  for (const p of packages) for (const a of (fresh.get(p) ?? cached.get(p))?.advisories ?? []) all.set(`${a.id} ${a.package} ${a.vulnerable}`, a)
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, a]) => a)
}

class Session {
  private readonly options: AdvisoryOptions
  private readonly base: string
  private requests = 0

  constructor(options: AdvisoryOptions) {
    this.options = options
    this.base = (options.baseUrl ?? 'https://api.github.com').replace(/(?<!\/)\/+$/, '')
  }

  urlOf(batch: readonly string[]): string {
    return `${this.base}/advisories?${new URLSearchParams({ ecosystem: 'npm', per_page: '100', affects: batch.join(',') })}`
  }

  /** Follows the pages of one batch. */
  async pages(first: string, etag: string | undefined): Promise<'too-long' | 'not-modified' | { advisories: Advisory[]; etag?: string }> {
    const advisories: Advisory[] = []
    let tag: string | undefined
    for (let url: string | undefined = first; url; ) {
      const response = await this.get(url, url === first ? etag : undefined)
      if (url === first) {
        if (response.status === 304) return 'not-modified'
        if (response.status === 414 || response.status === 431) return 'too-long'
        tag = response.headers.get('etag') ?? undefined
      }
      if (!response.ok) throw new Error(await refusal(response))
      const body: unknown = await response.json()
      if (!Array.isArray(body)) throw new Error('GitHub answered something that is no list of advisories')
      advisories.push(...body.flatMap(readAdvisory))
      url = this.next(response.headers.get('link'))
    }
    return { advisories, ...(tag ? { etag: tag } : {}) }
  }

  private async get(url: string, etag: string | undefined): Promise<Response> {
    if (++this.requests > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests would be needed`)
    this.options.onRequest?.(url)
    const token = await this.options.token?.()
    return fetch(url, {
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        'user-agent': 'prelaunch',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(etag ? { 'if-none-match': etag } : {}),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    })
  }

  /** The next page, on the same server only: the token goes nowhere else. */
  private next(link: string | null): string | undefined {
    const url = /<([^<>]+)>;\s*rel="next"/.exec(link ?? '')?.[1]
    if (!url) return undefined
    if (!url.startsWith(`${this.base}/`)) throw new Error('GitHub named a next page on another server')
    return url
  }
}

/** One entry per affected range of an npm package; withdrawn advisories and malware reports without severity are left out. */
function readAdvisory(value: unknown): Advisory[] {
  const a = value as {
    ghsa_id?: unknown
    summary?: unknown
    severity?: unknown
    html_url?: unknown
    withdrawn_at?: unknown
    vulnerabilities?:
      | readonly { package?: { ecosystem?: unknown; name?: unknown }; vulnerable_version_range?: unknown; first_patched_version?: unknown }[]
      | null
  }
  const severity = SEVERITY_BY_GITHUB_NAME[String(a?.severity)]
  if (typeof a?.ghsa_id !== 'string' || a.withdrawn_at || !severity || !Array.isArray(a.vulnerabilities)) return []
  return a.vulnerabilities.flatMap((v) => {
    if (v?.package?.ecosystem !== 'npm' || typeof v.package.name !== 'string' || typeof v.vulnerable_version_range !== 'string') return []
    // Older answers wrap the version in an object.
    const patched =
      typeof v.first_patched_version === 'string' ? v.first_patched_version : (v.first_patched_version as { identifier?: unknown } | null)?.identifier
    return [
      {
        id: a.ghsa_id as string,
        package: v.package.name,
        severity,
        summary: String(a.summary ?? '').slice(0, 300),
        vulnerable: v.vulnerable_version_range,
        ...(typeof patched === 'string' && patched ? { fixedIn: patched } : {}),
        url: typeof a.html_url === 'string' ? a.html_url : `https://github.com/advisories/${a.ghsa_id}`,
      },
    ]
  })
}

const SEVERITY_BY_GITHUB_NAME: Readonly<Record<string, Advisory['severity']>> = {
  critical: 'critical',
  high: 'high',
  medium: 'moderate',
  moderate: 'moderate',
  low: 'low',
}

async function refusal(response: Response): Promise<string> {
  await response.body?.cancel()
  if (response.status === 403 || response.status === 429) return 'GitHub refused: its rate limit for this address or token is used up'
  return `GitHub answered ${response.status}`
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'GitHub did not answer in time'
  if (error instanceof TypeError) return 'GitHub is out of reach'
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown error'
}

/** A cache that lasts as long as the process. */
export function memoryAdvisoryCache(): AdvisoryCache {
  const packages = new Map<string, CachedAdvisories>()
  const etags = new Map<string, string>()
  return {
    packages: async (keys) => new Map(keys.flatMap((k) => (packages.has(k) ? [[k, packages.get(k) as CachedAdvisories] as const] : []))),
    etag: async (url) => etags.get(url),
    put: async (newPackages, newEtags) => {
      for (const [k, v] of newPackages) packages.set(k, v)
      for (const [k, v] of newEtags) etags.set(k, v)
    },
  }
}
