import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { lazily } from '../../lib/memo/lazy.ts'
import { sharedLibraries } from '../../lib/shared-libraries.ts'
import { type Boundaries, boundariesOfThisMachine } from './boundaries.ts'

export interface LaunchOptions {
  /** The program; a file of this package. */
  readonly entry: URL
  readonly args?: readonly string[]
  /** Files and folders that it reads beside the package, in the words of Node's `--allow-fs-read`. */
  readonly reads?: readonly string[]
  readonly writes?: readonly string[]
  /** Whether it starts processes of its own: the parent of a sandbox does. */
  readonly parent?: boolean
  readonly worker?: boolean
  readonly heapMiB?: number
  /** Those of this machine when absent. */
  readonly boundaries?: Boundaries
}

/** A process that holds nothing of this one. */
export interface Isolated {
  readonly child: ChildProcess
  /** The only way in and out; descriptor 3 of the other side. */
  readonly channel: Duplex
  /** The last of what it wrote to its error output. */
  readonly lastWords: () => string
  /** Resident bytes of the program, as the kernel counts them; undefined where it does not say. */
  readonly residentBytes: () => number | undefined
  end(): void
}

/** Below it lie the sources or the build. */
const PACKAGE = realpathSync(fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../' : '../../../../', import.meta.url)))

/** Where packages lie: where Node looks for them, which an installation may fill with links, and where these lead. */
const packages = lazily((): readonly string[] => {
  const end = `${sep}node_modules${sep}`
  const one = realpathSync(createRequire(import.meta.url).resolve('valibot'))
  const asked = (createRequire(import.meta.url).resolve.paths('valibot') ?? []).filter((folder) => existsSync(folder)).map((folder) => `${folder}${sep}`)
  return [...new Set([one.slice(0, one.indexOf(end) + end.length), ...asked])]
})

/**
 * Starts a program with an empty environment, no descriptor but one channel, and the strictest flags and namespaces that work here. Node's
 * permissions are no boundary against code that already runs in the process; they make the way there longer.
 */
export function launchIsolated(options: LaunchOptions): Isolated {
  const { wrapper } = options.boundaries ?? boundariesOfThisMachine()
  const [program = '', ...args] = [...wrapper, process.execPath, ...flags(options), fileURLToPath(options.entry), ...(options.args ?? [])]
  const child = spawn(program, args, { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'pipe', process.platform === 'win32' ? 'overlapped' : 'pipe'] })
  let words = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-MAX_WORDS)
  })
  // Its exit is heard by whoever talks to it; writing to a process that is gone is no error of ours.
  child.on('error', () => undefined)
  const channel = child.stdio[3] as Duplex
  channel.on('error', () => undefined)
  return {
    child,
    channel,
    lastWords: () => words.trim(),
    residentBytes: residentBytesOf(child.pid, wrapper.includes('--fork')),
    end: () => void child.kill('SIGKILL'),
  }
}

const MAX_WORDS = 2000

/** What a parent of sandboxes looks for, beside Node itself, to put them into namespaces or under another user. */
const TOOLS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].flatMap((folder) => ['unshare', 'mount', 'mkdir', 'setpriv', 'sh'].map((name) => `${folder}/${name}`))

/**
 * The files of this package that programs are made of, never its whole folder: a checkout also holds `.env`, and by default the data folder with
 * the key of the App.
 */
function ofPackage(entry: URL): string[] {
  return [...['src', 'dist', 'schema'].map((folder) => join(PACKAGE, folder, '*')), join(PACKAGE, 'package.json'), join(dirname(fileURLToPath(entry)), '*')]
}

function flags({ entry, reads = [], writes = [], parent, worker, heapMiB }: LaunchOptions): string[] {
  return [
    '--permission',
    ...[
      ...ofPackage(entry),
      ...packages().map((folder) => `${folder}*`),
      '/proc/self/fd*',
      ...(parent ? [process.execPath, ...TOOLS, ...sharedLibraries()] : []),
      ...reads,
    ].map((path) => `--allow-fs-read=${path}`),
    ...writes.map((path) => `--allow-fs-write=${path}`),
    ...(parent ? ['--allow-child-process'] : []),
    ...(worker ? ['--allow-worker'] : []),
    ...(heapMiB ? [`--max-old-space-size=${heapMiB}`] : []),
    '--disallow-code-generation-from-strings',
    '--disable-sigusr1',
    '--no-warnings',
  ]
}

/** `unshare --fork` stays as the parent of the program, whose id is looked for once. */
function residentBytesOf(started: number | undefined, forks: boolean): () => number | undefined {
  let pid = forks ? undefined : started
  return () => {
    if (started === undefined || process.platform !== 'linux') return undefined
    pid ??= childOf(started)
    return pid === undefined ? undefined : residentBytes(pid)
  }
}

function residentBytes(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    return undefined
  }
}

const PAGE_BYTES = 4096

function childOf(parent: number): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
