import { createPrivateKey } from 'node:crypto'
import { getPrivateKey } from '@probot/get-private-key'

/** Settings of the App beyond Probot's own. */
export interface Settings {
  readonly dataDir: string
  readonly databaseUrl?: string
  readonly concurrency: number
  /** Seconds between looks for what webhooks left undone. */
  readonly sweepSeconds: number
  readonly host: string
  readonly port: number
  readonly webhookPath?: string
  /** Reads the settings of hosted projects; `SUPABASE_ACCESS_TOKEN`. */
  readonly supabaseToken?: string
  /** Unix socket of the service that runs the sandboxes; `SANDBOX_SOCKET`. */
  readonly sandboxSocket?: string
  /** Undefined before the App is registered. */
  readonly credentials?: { readonly appId: number; readonly privateKey: string; readonly webhookSecret: string; readonly baseUrl: string }
}

/** Settings that cannot be used; each line is one sentence for the operator. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** Reads the environment. Throws `SettingsError` naming every problem at once. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const problems: string[] = []
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const text = env[name]
    if (!text) return fallback
    const value = Number(text)
    if (!Number.isInteger(value) || value < min || value > max)
      problems.push(`${name} must be a whole number from ${min} to ${max}, but is "${text.slice(0, 40)}".`)
    return value
  }
  const settings: Settings = {
    dataDir: env['DATA_DIR'] || './data',
    ...(env['DATABASE_URL'] ? { databaseUrl: env['DATABASE_URL'] } : {}),
    concurrency: whole('AUDIT_CONCURRENCY', 2, 1, 64),
    sweepSeconds: whole('SWEEP_SECONDS', 3600, 10, 86_400),
    host: env['HOST'] || 'localhost',
    port: whole('PORT', 3000, 1, 65_535),
    ...(env['WEBHOOK_PATH'] ? { webhookPath: env['WEBHOOK_PATH'] } : {}),
    ...(env['SUPABASE_ACCESS_TOKEN'] ? { supabaseToken: env['SUPABASE_ACCESS_TOKEN'] } : {}),
    ...(env['SANDBOX_SOCKET'] ? { sandboxSocket: env['SANDBOX_SOCKET'] } : {}),
  }
  if (env['SANDBOX_SOCKET'] && !env['SANDBOX_SOCKET'].startsWith('/')) problems.push('SANDBOX_SOCKET must be the absolute path of a Unix socket.')
  if (env['DATABASE_URL'] && !/^postgres(ql)?:\/\//.test(env['DATABASE_URL'])) problems.push('DATABASE_URL must begin with postgres:// or postgresql://.')
  if (env['WEBHOOK_PATH'] && !env['WEBHOOK_PATH'].startsWith('/')) problems.push('WEBHOOK_PATH must begin with a slash.')
  if (env['GHE_HOST'] && /[/:]{2}|\/$/.test(env['GHE_HOST']))
    problems.push('GHE_HOST is a host name without https:// and without a path, such as github.example.com.')
  if (env['APP_ID'] && !/^\d+$/.test(env['APP_ID']))
    problems.push(`APP_ID must be the number on the App's settings page, but is "${env['APP_ID'].slice(0, 40)}".`)
  const privateKey = readPrivateKey(env, problems)
  if (privateKey && !isPrivateKey(privateKey))
    problems.push('PRIVATE_KEY is not a private key in PEM format (the .pem file of the App, with line breaks, with \\n, or in base64).')
  if (env['APP_ID'] && !env['WEBHOOK_SECRET'])
    problems.push('WEBHOOK_SECRET is missing: without it anybody could send webhooks. Set the same value here and on the App’s settings page.')
  if (env['APP_ID'] && !privateKey && !problems.length)
    problems.push('PRIVATE_KEY (or PRIVATE_KEY_PATH) is missing: the .pem file generated on the App’s settings page.')
  if (problems.length) throw new SettingsError(problems.join('\n'))
  if (!env['APP_ID'] || !privateKey) return settings
  return {
    ...settings,
    credentials: {
      appId: Number(env['APP_ID']),
      privateKey,
      webhookSecret: env['WEBHOOK_SECRET'] as string,
      baseUrl: env['GHE_HOST'] ? `${env['GHE_PROTOCOL'] || 'https'}://${env['GHE_HOST']}/api/v3` : 'https://api.github.com',
    },
  }
}

/** Probot's own reading: PRIVATE_KEY in any spelling, or the file of PRIVATE_KEY_PATH. */
function readPrivateKey(env: Readonly<Record<string, string | undefined>>, problems: string[]): string | undefined {
  if (!env['PRIVATE_KEY'] && !env['PRIVATE_KEY_PATH']) return undefined
  try {
    return getPrivateKey({ env: env as Record<string, string> }) ?? undefined
  } catch (error) {
    problems.push(`PRIVATE_KEY cannot be read: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown error'}`)
    return undefined
  }
}

/** Whether a text is a private key in PEM format. */
export function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey(text)
    return true
  } catch {
    return false
  }
}
