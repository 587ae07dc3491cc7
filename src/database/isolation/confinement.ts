import { spawn } from 'node:child_process'
import { asOtherUser, type Command } from './commands.ts'
import type { Layers } from './layers.ts'
import { inNamespaces } from './namespaces.ts'
import { readablePaths } from './readable.ts'

/** What the system itself puts around the process. */
export type Confinement = 'namespaces' | 'otherUser' | 'none'

/** The best that this system allows, and why it is not better. */
export interface Confined {
  readonly by: Confinement
  readonly because?: string
}

const tried = new Map<string, Promise<Confined>>()

/** Tried once for each choice of layers, with a process that does nothing, and remembered as long as this process lives. */
export function confinementOf({ namespaces, otherUser }: Layers): Promise<Confined> {
  const key = `${namespaces} ${otherUser}`
  const known = tried.get(key) ?? tryConfinements(namespaces, otherUser)
  tried.set(key, known)
  return known
}

async function tryConfinements(namespaces: boolean, otherUser: boolean): Promise<Confined> {
  if (process.platform !== 'linux') return { by: 'none', because: `namespaces are a feature of Linux, and this is ${process.platform}` }
  const reasons: string[] = []
  if (namespaces) {
    const refused = await refusal(inNamespaces({ file: process.execPath, args: ['--version'] }, []))
    if (!refused) return { by: 'namespaces' }
    reasons.push(`namespaces: ${refused}`)
  }
  if (otherUser && process.getuid?.() === 0) {
    const refused = await refusal(asOtherUser({ file: process.execPath, args: ['-e', READS_ALL, JSON.stringify(readablePaths())] }))
    if (!refused) return { by: 'otherUser', ...because(reasons) }
    reasons.push(`another user: ${refused}`)
  }
  return { by: 'none', ...because(reasons) }
}

const because = (reasons: readonly string[]) => (reasons.length ? { because: reasons.join('; ') } : {})

/** The sources may lie where only root reads. */
const READS_ALL = "for (const path of JSON.parse(process.argv[1])) require('node:fs').statSync(path)"

/** Why a command does not run; undefined when it does. */
function refusal(command: Command | undefined): Promise<string | undefined> {
  if (!command) return Promise.resolve('unshare, mount or setpriv of util-linux is missing')
  return new Promise((resolve) => {
    const child = spawn(command.file, command.args, { env: {}, stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000, killSignal: 'SIGKILL' })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 500)
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (status) => resolve(status === 0 ? undefined : said.trim().split('\n')[0] || `status ${status}`))
  })
}

/** The command as it is started under a confinement; `files` are those it reads beside the program. */
export function confine(command: Command, by: Confinement, files: readonly string[]): Command {
  if (by === 'namespaces') return inNamespaces(command, files) ?? command
  return by === 'otherUser' ? (asOtherUser(command) ?? command) : command
}
