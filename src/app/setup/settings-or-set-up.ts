import type { Logger } from 'pino'
import { readSettings, type Settings, SettingsError } from '../settings.ts'
import { readAddress } from './address.ts'
import { namesCredentials, requireKeepable, withStoredCredentials } from './credentials-file.ts'
import { startSetUpServer } from './set-up-server.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of an App that is registered. */
export type RegisteredSettings = Settings & Required<Pick<Settings, 'credentials'>>

/**
 * The settings of the App, from the environment and what an earlier set-up stored. Without credentials it shows the set-up page, and
 * resolves when the App is registered. Throws `SettingsError`.
 */
export async function settingsOrSetUp(env: Environment, log: Logger): Promise<RegisteredSettings> {
  const settings = readSettings(withStoredCredentials(env))
  if (isRegistered(settings)) return settings
  if (namesCredentials(env)) throw new SettingsError('APP_ID is missing: it belongs to PRIVATE_KEY. Set both, or neither to register an App in the browser.')
  await setUp(env, settings, log)
  const registered = readSettings(withStoredCredentials(env))
  if (!isRegistered(registered)) throw new SettingsError('The credentials that the set-up stored cannot be read back.')
  return registered
}

function isRegistered(settings: Settings): settings is RegisteredSettings {
  return settings.credentials !== undefined
}

async function setUp(env: Environment, { host, port, dataDir, webhookPath }: Settings, log: Logger): Promise<void> {
  requireKeepable(dataDir)
  const proxy = env['WEBHOOK_PROXY_URL'] ? readAddress(env['WEBHOOK_PROXY_URL']) : undefined
  if (env['WEBHOOK_PROXY_URL'] && !proxy) throw new SettingsError('WEBHOOK_PROXY_URL must be an address such as https://smee.io/abc.')
  const github = env['GHE_HOST'] ? `${env['GHE_PROTOCOL'] || 'https'}://${env['GHE_HOST']}` : undefined
  const server = await startSetUpServer({
    host,
    port,
    dataDir,
    webhookPath: webhookPath ?? '/api/github/webhooks',
    webUrl: github ?? 'https://github.com',
    apiUrl: github ? `${github}/api/v3` : 'https://api.github.com',
    ...(proxy ? { proxy } : {}),
    sameNetwork: github !== undefined,
    log,
  })
  log.info(`Prelaunch is not registered on GitHub yet. Open ${server.url} in a browser (the secret in it is good for this start).`)
  // Process 1 of a container ignores signals that nobody handles.
  const end = () => process.exit(0)
  process.once('SIGTERM', end).once('SIGINT', end)
  await server.done
  process.off('SIGTERM', end).off('SIGINT', end)
}
