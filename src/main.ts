import { run } from 'probot'
import { createLog } from './app/log.ts'
import { defaultPorts } from './app/ports.ts'
import { readSettings, SettingsError } from './app/settings.ts'
import { startApp } from './app/start.ts'
import { sandboxLayers } from './platform/local/database.ts'

// Node opens its inspector on SIGUSR1, and through it runs any code: not even where the program was started without --disable-sigusr1.
process.on('SIGUSR1', () => undefined)

const log = createLog()

try {
  process.loadEnvFile?.()
} catch {
  // There is no .env file; the environment stands as it is.
}

try {
  const settings = readSettings(process.env)
  if (!settings.credentials) {
    if (process.env['NODE_ENV'] === 'production')
      throw new SettingsError(
        'APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH) are missing. Start once without NODE_ENV=production to register the App in the browser, then set them.',
      )
    // Probot's set-up page registers the App from app.yml and writes .env.
    await run(() => {}, { env: process.env, log })
  } else {
    const ports = defaultPorts(settings.credentials.baseUrl, settings.supabaseToken, settings.sandboxSocket)
    const app = await startApp({ ...settings, ...settings.credentials, ports, log })
    log.info(
      { url: app.url, store: settings.databaseUrl ? 'PostgreSQL' : `embedded in ${settings.dataDir}`, github: settings.credentials.baseUrl },
      'Prelaunch runs',
    )
    log.info({ sandbox: await sandboxLayers(settings.sandboxSocket) }, 'layers around the SQL sandbox')
    let stopping = false
    const stop = (signal: string) => {
      if (stopping) return
      stopping = true
      log.info({ signal }, 'stopping: running audits may end first')
      app.stop().then(
        async () => {
          await ports.close()
          process.exit(0)
        },
        (err) => {
          log.error({ err }, 'the stop was not clean; unfinished audits are resumed at the next start')
          process.exit(1)
        },
      )
    }
    process.once('SIGTERM', () => stop('SIGTERM'))
    process.once('SIGINT', () => stop('SIGINT'))
  }
} catch (error) {
  // What the operator has to mend, in a sentence; a stack would bury it.
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
