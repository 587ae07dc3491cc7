import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = '/usr/lib/postgresql'

/** The folder of a PostgreSQL server's programs, when one is installed. */
export function postgresBin(): string | undefined {
  if (!existsSync(ROOT)) return undefined
  const newest = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a))[0]
  return newest && join(ROOT, newest, 'bin')
}

/** The number of the user, or of the group, that the server's package makes. */
const idOf = (which: '-u' | '-g'): number => Number(execFileSync('id', [which, 'postgres']))

/** A PostgreSQL server of its own on a loopback port, in a temporary folder. */
export async function startPostgres(): Promise<{ url: string; stop(): void }> {
  const bin = postgresBin()
  if (!bin) throw new Error('no PostgreSQL server is installed')
  const dir = mkdtempSync(join(tmpdir(), 'prelaunch-pg-'))
  const port = await freePort()
  // The server refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (owner.uid !== undefined) chownSync(dir, owner.uid, owner.gid)
  const run = (program: string, ...args: string[]) => execFileSync(join(bin, program), args, { stdio: 'ignore', cwd: dir, ...owner })
  const data = join(dir, 'data')
  run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync')
  run(
    'pg_ctl',
    '-D',
    data,
    '-o',
    `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${dir} -c fsync=off`,
    '-w',
    '-l',
    join(dir, 'log'),
    'start',
  )
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => {
      run('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
