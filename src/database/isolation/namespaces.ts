import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sharedLibraries } from '../../lib/shared-libraries.ts'
import { type Command, tool, unprivileged } from './commands.ts'
import { readablePaths } from './readable.ts'

/** Where the private root is put together: a folder that every Linux has and that no program is installed in. Seen by the sandbox alone. */
const ROOT = '/sys'

/** Bytes and files of the private root itself: mount points and nothing else. */
const ROOT_LIMITS = 'size=1m,nr_inodes=4k,mode=755,nosuid,nodev'

/** `nobody`, inside the namespace. */
const NOBODY = '65534'

/**
 * The command in user, process, network, mount, IPC and UTS namespaces of its own: no network but a loopback that is down, no other process, and a root
 * that holds what the sandbox reads, read-only. The first user namespace may mount; the second, in which the command runs, has no capability.
 * Everything in it ends with the process that is started. Undefined where util-linux is missing.
 */
export function inNamespaces(command: Command, files: readonly string[]): Command | undefined {
  const unshare = tool('unshare')
  const sh = tool('sh')
  const [mkdir, mount] = [tool('mkdir'), tool('mount')]
  const quiet = unprivileged()
  if (!unshare || !sh || !mkdir || !mount || !quiet) return undefined
  const inner = [unshare, '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, `--root=${ROOT}`, '--wd=/', '--', command.file, ...command.args]
  const outer = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--net', '--ipc', '--uts', '--mount', '--propagation', 'private', '--']
  const script = `${privateRoot(mkdir, mount, [...readablePaths(), ...files])}\nunset PWD OLDPWD\nexec "$@"`
  return { file: quiet.file, args: [...quiet.args, unshare, ...outer, sh, '-c', script, 'sandbox', ...inner] }
}

/** Shell commands that mount the root. Few processes, because a replay waits for them: one `mount` reads a table. */
function privateRoot(mkdir: string, mount: string, data: readonly string[]): string {
  const mounts = [
    ...[process.execPath, ...sharedLibraries()].map((path) => ({ path, options: 'bind,ro,nosuid,nodev' })),
    ...data.map((path) => ({ path, options: 'bind,ro,nosuid,nodev,noexec' })),
  ].filter(({ path }) => existsSync(path))
  const isFolder = (path: string) => statSync(path).isDirectory()
  const folders = new Set(['/proc', ...mounts.map(({ path }) => (isFolder(path) ? path : dirname(path)))])
  const table = mounts.map(({ path, options }) => `${escaped(path)} ${escaped(ROOT + path)} none ${options} 0 0\n`).join('')
  const proc = (more: string) => `${mount} -t proc -o ro,nosuid,nodev,noexec${more} proc ${ROOT}/proc`
  return [
    'set -e',
    `${mount} -t tmpfs -o ${ROOT_LIMITS} sandbox ${ROOT}`,
    `${mkdir} -p ${[...folders].map((path) => quoted(ROOT + path)).join(' ')}`,
    ...mounts.filter(({ path }) => !isFolder(path)).map(({ path }) => `: > ${quoted(ROOT + path)}`),
    `printf '%s' ${quoted(table)} > ${ROOT}/mounts`,
    `${mount} -a -T ${ROOT}/mounts`,
    // The sandbox's own processes alone where the kernel can show them alone (Linux 5.8).
    `${proc(',subset=pid')} 2>/dev/null || ${proc('')}`,
    `${mount} -o remount,ro,${ROOT_LIMITS} ${ROOT}`,
  ].join('\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** As fstab(5) wants it. */
const escaped = (path: string) => path.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
