import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A program by its absolute path, and its arguments. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
}

/** Where the system's own tools are; PATH may name folders that somebody else writes to. */
const SYSTEM_TOOL_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** A tool of the system by its absolute path. */
export function tool(name: string): string | undefined {
  return SYSTEM_TOOL_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** `setpriv` with what it takes away from the command that follows: privileges by set-user-ID files, and a life without its parent. */
export function unprivileged(): Command | undefined {
  const setpriv = tool('setpriv')
  return setpriv ? { file: setpriv, args: ['--no-new-privs', '--pdeathsig', 'KILL', '--'] } : undefined
}

/** First of the user ids that nobody else has on most systems (systemd gives them to services for as long as they run). */
const FREE_IDS = 61_184

/** The command as another user, without groups and capabilities; for a parent that is root. Undefined where util-linux is missing. */
export function asOtherUser({ file, args }: Command): Command | undefined {
  const setpriv = tool('setpriv')
  if (!setpriv || process.getuid?.() !== 0) return undefined
  const id = String(FREE_IDS + (process.pid % 4096))
  const drop = [`--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--pdeathsig', 'KILL']
  return { file: setpriv, args: [...drop, '--', file, ...args] }
}
