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
]
const MAX_OUTPUT = 1 << 30

/** Runs git and gives its standard output. Throws `GitError` with git's own first line when it fails. */
export async function git(dir: string, args: readonly string[], input?: string): Promise<Buffer> {
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
    const out: Buffer[] = []
    let size = 0
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_OUTPUT) child.kill('SIGKILL')
      else out.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (err.length < 4000) err += chunk.toString()
    })
    child.on('error', (error) => reject(new GitError((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'git is not installed' : error.message)))
    child.on('close', (code) => (code === 0 ? resolve(Buffer.concat(out)) : reject(new GitError(err.split('\n')[0]?.slice(0, 300) || `git ${args[0]} failed`))))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
  })
}
