import { spawn } from 'node:child_process'

/** Git refused or is not there. */
export class GitError extends Error {
  override readonly name = 'GitError'
}

/**
 * A repository's own configuration is untrusted: no hooks, no file-system monitor, no filters, no lazy fetch from a
 * promisor remote, no prompts. Only plumbing that reads objects is called.
 */
const SAFE = [
  '-c',
  'safe.directory=*',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.quotePath=false',
  '-c',
  'protocol.allow=never',
  '-c',
  'log.showSignature=false',
  '-c',
  'log.showRoot=true',
]
const MAX_OUTPUT = 1 << 30

/** Runs git and gives its standard output. Throws `GitError` with git's own first line when it fails. */
export async function git(dir: string, args: readonly string[], input?: string): Promise<Buffer> {
  const out: Buffer[] = []
  let size = 0
  const whole = await streamGit(
    dir,
    args,
    (piece) => {
      size += piece.length
      return size <= MAX_OUTPUT && out.push(piece) > 0
    },
    input,
  )
  if (!whole) throw new GitError(`git ${args[0]} printed more than ${MAX_OUTPUT >> 20} MB`)
  return Buffer.concat(out)
}

/** Runs git and hands over its standard output as it comes, until `take` returns false; tells whether it came to its end. */
export function streamGit(dir: string, args: readonly string[], take: (piece: Buffer) => boolean, input?: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...SAFE, '-C', dir, ...args], {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_NO_LAZY_FETCH: '1',
        GIT_OPTIONAL_LOCKS: '0',
        LC_ALL: 'C',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let wanted = true
    let err = ''
    child.stdout.on('data', (piece: Buffer) => {
      wanted = wanted && take(piece)
      if (!wanted) child.kill('SIGKILL')
    })
    child.stderr.on('data', (piece: Buffer) => {
      if (err.length < 4000) err += piece.toString()
    })
    child.on('error', (error) => reject(new GitError((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'git is not installed' : error.message)))
    child.on('close', (code) => {
      if (code === 0 || !wanted) resolve(wanted)
      else reject(new GitError(err.split('\n')[0]?.slice(0, 300) || `git ${args[0]} failed`))
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
  })
}
