import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A running process as the kernel shows it. */
export interface Shown {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All processes below one, on Linux. */
export function descendants(pid: number): Shown[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (shown(Number(name)) ?? []) : []))
  const below = (parent: number): Shown[] => all.filter((p) => p.parent === parent).flatMap((p) => [p, ...below(p.pid)])
  return below(pid)
}

/** The environment that a process was started with. */
export function environmentOf(pid: number): string {
  return readFileSync(`/proc/${pid}/environ`, 'utf8')
}

/** The sockets and pipes that a process holds, by the names of the kernel. */
export function channelsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return /^(socket|pipe):/.test(target) ? [target] : []
    } catch {
      return []
    }
  })
}

function shown(pid: number): Shown | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return { pid, parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }
  } catch {
    return undefined
  }
}

/** Whether a process is the program itself, and not what starts it in namespaces of its own. */
export const isNode = ({ command }: Pick<Shown, 'command'>): boolean => /^\S*node(?:\s|$)/.test(command)
