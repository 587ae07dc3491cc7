import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const CLI = resolve('src/cli.ts')

export interface CliRun {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Calls the command line as a process of its own, in a folder. */
export async function runCli(cwd: string, ...args: string[]): Promise<CliRun> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr]: [string[], string[]] = [[], []]
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece.toString()))
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece.toString()))
  const [status] = (await once(child, 'close')) as [number]
  return { status, stdout: stdout.join(''), stderr: stderr.join('') }
}
