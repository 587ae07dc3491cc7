import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { SettingsError } from '../settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What GitHub hands back once when an App is registered. */
export interface AppCredentials {
  readonly appId: number
  /** PEM, as GitHub gives it. */
  readonly privateKey: string
  readonly webhookSecret: string
}

/** Where the set-up keeps the credentials of the App. */
export const credentialsPath = (dataDir: string): string => join(dataDir, 'app.env')

/**
 * Writes the credentials where only this user can read them. The key is in base64: one line without quotes or backslashes, which
 * `docker --env-file`, Compose, systemd and Node read alike. Throws when there is a file already: a key is never overwritten.
 */
export function writeCredentials(dataDir: string, { appId, privateKey, webhookSecret }: AppCredentials): string {
  // Values that some of the readers would take apart (quotes, spaces, a hash sign).
  if (!/^[\w.+/=-]+$/.test(webhookSecret)) throw new Error('GitHub’s webhook secret holds characters that an env file cannot carry')
  const path = credentialsPath(dataDir)
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(
      file,
      [
        '# The credentials of this App on GitHub, written once by the set-up page. Keep them secret, and keep a copy.',
        `APP_ID=${appId}`,
        `PRIVATE_KEY=${Buffer.from(privateKey).toString('base64')}`,
        `WEBHOOK_SECRET=${webhookSecret}`,
        '',
      ].join('\n'),
    )
    fsyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  return path
}

/** The environment, with the credentials of an earlier set-up when it names none itself. Throws `SettingsError` for a file that cannot be read. */
export function withStoredCredentials(env: Environment): Environment {
  if (namesCredentials(env)) return env
  const path = credentialsPath(env['DATA_DIR'] || './data')
  if (!existsSync(path)) return env
  let stored: Environment
  try {
    stored = parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new SettingsError(`${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  }
  const { APP_ID, PRIVATE_KEY, WEBHOOK_SECRET } = stored
  if (!APP_ID || !PRIVATE_KEY || !WEBHOOK_SECRET)
    throw new SettingsError(`${path} does not hold APP_ID, PRIVATE_KEY and WEBHOOK_SECRET. Put them back, or move the file away to register again.`)
  return { ...env, APP_ID, PRIVATE_KEY, WEBHOOK_SECRET }
}

/** Whether the environment speaks of an App that is registered already. */
export function namesCredentials(env: Environment): boolean {
  return Boolean(env['APP_ID'] || env['PRIVATE_KEY'] || env['PRIVATE_KEY_PATH'])
}

/** Makes sure before the registration that what GitHub hands back once can be kept. Throws `SettingsError` otherwise. */
export function requireKeepable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch {
    throw new SettingsError(
      `The data folder ${dataDir} cannot be written, so the set-up could not keep the App's key. Mount a volume there, or choose another folder with DATA_DIR.`,
    )
  }
}
