import { createLog } from './log.ts'
import { defaultPorts } from './ports.ts'
import { forgetSecrets } from './secrets.ts'
import { settingsOrSetUp } from './setup/settings-or-set-up.ts'
import { startApp } from './start.ts'

/** The App until a signal ends it. `hidden` says whether its secrets are kept out of what `/proc` shows of it. */
export async function serve(hidden: boolean): Promise<void> {
  const log = createLog()

  try {
    process.loadEnvFile?.()
  } catch {
    // There is no .env file; the environment stands as it is.
  }

  try {
    const settings = await settingsOrSetUp(process.env, log)
    const ports = defaultPorts(settings.credentials.baseUrl, settings.supabaseToken, {
      concurrency: settings.concurrency,
      ...(settings.sandboxSocket ? { sandboxSocket: settings.sandboxSocket } : {}),
      onLayers: (sandbox) => log.info({ sandbox }, 'layers around the SQL sandbox'),
    })
    forgetSecrets(process.env)
    log.info(
      { ...ports.auditors.boundaries(), environment: hidden ? 'not visible to other processes' : 'as this process was started' },
      'repositories are read apart',
    )
    ports.auditors.warm()
    const app = await startApp({ ...settings, ...settings.credentials, ports, log })
    log.info(
      { url: app.url, store: settings.databaseUrl ? 'PostgreSQL' : `embedded in ${settings.dataDir}`, github: settings.credentials.baseUrl },
      'Prelaunch runs',
    )
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
  } catch (error) {
    // What the operator has to mend, in a sentence; a stack would bury it.
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}
