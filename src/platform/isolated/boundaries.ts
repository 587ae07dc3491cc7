import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lazily } from '../../lib/memo/lazy.ts'

/** What the kernel of this machine keeps a process from, beyond its empty environment and Node's own permissions. */
export interface Boundaries {
  /** The program and arguments that a command is started with; empty where the system allows none of it. */
  readonly wrapper: readonly string[]
  /** No interface but an unconnected loopback. */
  readonly network: boolean
  /** Sees and signals its own processes only; all of them end with it. */
  readonly processes: boolean
  /** Its own user namespace: what other processes hold in memory and environment is closed to it, also under the same user id. */
  readonly user: boolean
}

const USER_NAMESPACE_FLAGS = ['--user', '--map-root-user']
const NETWORK_NAMESPACE_FLAGS = ['--net']
const PROCESSES = ['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']

/** From the strictest on; containers mostly refuse a new /proc, some every namespace. */
const LADDER: readonly Omit<Boundaries, 'wrapper'>[] = [
  { user: true, network: true, processes: true },
  { user: true, network: true, processes: false },
  { user: false, network: true, processes: true },
  { user: false, network: true, processes: false },
]

/** Tried once in each process: starting `true` behind each wrapper takes a few milliseconds. */
export const boundariesOfThisMachine = lazily((): Boundaries => {
  const none: Boundaries = { wrapper: [], user: false, network: false, processes: false }
  const unshare = process.platform === 'linux' ? UNSHARE.find((path) => existsSync(path)) : undefined
  if (!unshare) return none
  for (const held of LADDER) {
    const wrapper = [
      unshare,
      ...(held.user ? USER_NAMESPACE_FLAGS : []),
      ...(held.network ? NETWORK_NAMESPACE_FLAGS : []),
      ...(held.processes ? PROCESSES : []),
      '--',
    ]
    const [program = '', ...args] = [...wrapper, TRUE.find((path) => existsSync(path)) ?? process.execPath, '--version']
    if (spawnSync(program, args, { env: {}, stdio: 'ignore', timeout: 10_000 }).status === 0) return { ...held, wrapper }
  }
  return none
})

const TRUE = ['/bin/true', '/usr/bin/true']
const UNSHARE = ['/usr/bin/unshare', '/bin/unshare', '/usr/sbin/unshare', '/sbin/unshare']

/** The boundaries in words, for the log. */
export function describeBoundaries({ network, processes, user }: Boundaries): { readonly holds: readonly string[]; readonly missing: readonly string[] } {
  const layers: readonly (readonly [string, boolean])[] = [
    ['empty environment', true],
    ['no inherited descriptors', true],
    ['Node permissions: named files only', true],
    ['no code from strings, no inspector by signal', true],
    ['no network', network],
    ['own process namespace', processes],
    ['own user namespace', user],
  ]
  return { holds: layers.flatMap(([name, held]) => (held ? [name] : [])), missing: layers.flatMap(([name, held]) => (held ? [] : [name])) }
}
