import type { FactsIndex } from '../../facts/facts.ts'
import type { HostedSettings } from '../../model/auth/hosted-settings.ts'
import { projectRefs } from '../../model/auth/project-refs.ts'

export interface ManagementApiOptions {
  /** A personal access token (`SUPABASE_ACCESS_TOKEN`). Sent to the API only; never logged, never part of an error. */
  readonly token: string
  readonly baseUrl?: string
  readonly timeoutMs?: number
}

/** Reads the authentication settings of the hosted project that the repository names. */
export function hostedSettings(options: ManagementApiOptions): (facts: FactsIndex) => Promise<HostedSettings | undefined> {
  const read = settingsOfProjects(options)
  return (facts) => read(projectRefs(facts))
}

/**
 * Reads the settings of the first of some projects that can be read; each project is asked for once. Undefined when none is named, the
 * token may not read them, or the API is out of reach: then the checks say `unverified`, as without a token.
 */
export function settingsOfProjects(options: ManagementApiOptions): (refs: readonly string[]) => Promise<HostedSettings | undefined> {
  const known = new Map<string, Promise<HostedSettings | undefined>>()
  return async (refs) => {
    for (const ref of refs) {
      const asked = known.get(ref) ?? readAuthConfig(ref, options)
      known.set(ref, asked)
      const settings = await asked
      if (settings) return settings
    }
    return undefined
  }
}

/** `GET /v1/projects/{ref}/config/auth`. */
async function readAuthConfig(ref: string, options: ManagementApiOptions): Promise<HostedSettings | undefined> {
  try {
    const response = await fetch(`${(options.baseUrl ?? 'https://api.supabase.com').replace(/(?<!\/)\/+$/, '')}/v1/projects/${ref}/config/auth`, {
      headers: { authorization: `Bearer ${options.token}`, accept: 'application/json', 'user-agent': 'prelaunch' },
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeoutMs ?? 5000),
    })
    if (!response.ok) {
      await response.body?.cancel()
      return undefined
    }
    return readSettings(ref, await response.json())
  } catch {
    // Out of reach is the same as without a token; the error could carry the request and with it the token.
    return undefined
  }
}

function readSettings(ref: string, body: unknown): HostedSettings | undefined {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return undefined
  const config = body as Record<string, unknown>
  const text = (key: string) => (typeof config[key] === 'string' && config[key] !== '' ? (config[key] as string) : undefined)
  const seconds = (key: string) => (typeof config[key] === 'number' && Number.isFinite(config[key]) ? (config[key] as number) : undefined)
  const siteUrl = text('site_url')
  const mailerOtpExpiry = seconds('mailer_otp_exp')
  const smsOtpExpiry = seconds('sms_otp_exp')
  return {
    projectRef: ref,
    ...(siteUrl ? { siteUrl } : {}),
    redirectUrls: (text('uri_allow_list') ?? '')
      .split(',')
      .map((u) => u.trim())
      .filter(Boolean),
    ...(mailerOtpExpiry === undefined ? {} : { mailerOtpExpiry }),
    ...(smsOtpExpiry === undefined ? {} : { smsOtpExpiry }),
    externalProviders: Object.keys(config)
      .filter((k) => /^external_[a-z0-9_]+_enabled$/.test(k) && config[k] === true)
      .map((k) => k.slice('external_'.length, -'_enabled'.length))
      .filter((name) => name !== 'email' && name !== 'phone' && name !== 'anonymous_users')
      .sort(),
  }
}
