import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

type Environment = NodeJS.ProcessEnv

/** Where the environment's secrets wait for the process that takes over. */
const HANDOVER = 'PRELAUNCH_HANDOVER'

const SECRET_VARIABLE = /(^|_)(KEYS?|SECRETS?|TOKENS?|PASSWORD|PASS|PAT|CREDENTIALS?|DSN)(_|$)|PASSWORD$|^(DATABASE|REDIS)_URL$/i
const SECRET_VALUE = /:\/\/[^/\s]*@|-----BEGIN [A-Z ]*PRIVATE KEY/

/** Whether a variable may hold a secret: by its name, or because its value is an address with a password or a key. */
export function isSecretVariable(name: string, value = ''): boolean {
  return SECRET_VARIABLE.test(name) || SECRET_VALUE.test(value)
}

/**
 * Replaces this process by one whose initial environment holds no secret. What a process was started with can be read in `/proc/PID/environ`
 * by every process of the same user for as long as it runs, whatever it deletes from `process.env`. Secrets go through a file that only this
 * user can read and that is deleted when the new process has read it, before anything else is started. The process keeps its id. Returns
 * where that is not possible (Windows, a parent that talks by IPC), or where there is nothing to hide.
 */
export function leaveSecretsBehind(): void {
  const secrets = Object.fromEntries(Object.entries(process.env).filter(([name, value]) => isSecretVariable(name, value)))
  if (process.env[HANDOVER] || !Object.keys(secrets).length || !process.execve || process.send) return
  const file = handOver(secrets)
  if (!file) return
  const others = Object.fromEntries(Object.entries(process.env).filter((e): e is [string, string] => e[1] !== undefined && !(e[0] in secrets)))
  const flags = process.execArgv.includes('--disable-sigusr1') ? process.execArgv : [...process.execArgv, '--disable-sigusr1']
  try {
    process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], { ...others, [HANDOVER]: file })
  } catch {
    rmSync(dirname(file), { recursive: true, force: true })
  }
}

/** Puts what was handed over into `process.env`, which `/proc` does not show. Whether there was anything. */
export function takeSecretsOver(env: Environment = process.env): boolean {
  const file = env[HANDOVER]
  if (!file) return false
  delete env[HANDOVER]
  const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  rmSync(dirname(file), { recursive: true, force: true })
  for (const [name, value] of Object.entries(secrets)) env[name] = value
  return true
}

/** Forgets what the settings were read from. Variables of libpq stay: the driver asks for them at each connection. Proxies as well. */
export function forgetSecrets(env: Environment): void {
  for (const name of Object.keys(env)) if (SECRET_VARIABLE.test(name) && !/^PG/.test(name)) delete env[name]
}

function handOver(secrets: Environment): string | undefined {
  for (const folder of ['/dev/shm', tmpdir()].filter((path) => existsSync(path))) {
    try {
      const file = join(mkdtempSync(join(folder, 'prelaunch-')), 'environment')
      writeFileSync(file, JSON.stringify(secrets), { mode: 0o600, flag: 'wx' })
      return file
    } catch {
      // Not writable here.
    }
  }
  return undefined
}
