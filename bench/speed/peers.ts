import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** A tool that people would use instead, and how it is called on a folder. Its findings are not compared here, only what it takes. */
export interface Peer {
  readonly name: string
  /** What must be there, below the folder of installed peers. */
  readonly program: string
  /** The command and its arguments. */
  command(dir: string, peers: string): readonly [string, ...string[]]
}

const node = (program: string, ...args: string[]): readonly [string, ...string[]] => [process.execPath, program, ...args]

/** The first three are packages; the others are clones of their repositories beside them. */
export const PEERS: readonly Peer[] = [
  {
    name: 'ESLint, security plug-in',
    program: 'node_modules/eslint/bin/eslint.js',
    command: (dir, peers) =>
      node(
        join(peers, 'node_modules/eslint/bin/eslint.js'),
        '--no-config-lookup',
        '--config',
        join(peers, 'eslint.config.mjs'),
        '--no-inline-config',
        '--format',
        'json',
        dir,
      ),
  },
  {
    name: 'ship-safe scan',
    program: 'node_modules/ship-safe/cli/bin/ship-safe.js',
    command: (dir, peers) => node(join(peers, 'node_modules/ship-safe/cli/bin/ship-safe.js'), 'scan', dir, '--json'),
  },
  {
    name: 'react-doctor',
    program: 'node_modules/react-doctor/bin/react-doctor.js',
    command: (dir, peers) =>
      node(join(peers, 'node_modules/react-doctor/bin/react-doctor.js'), dir, '--yes', '--no-supply-chain', '--no-cache', '--json', '--json-compact'),
  },
  {
    name: 'rlsgate (github.com/GerardoRdz96/rlsgate)',
    program: 'rlsgate/src/rlsgate/cli.py',
    command: (dir, peers) => ['python3', '-c', RUN_MODULE, join(peers, 'rlsgate/src'), 'scan', dir, '--json'],
  },
  {
    name: 'prodguard (github.com/Felix0731/prodguard)',
    program: 'prodguard/bin/cli.js',
    command: (dir, peers) => node(join(peers, 'prodguard/bin/cli.js'), 'check', dir, '--json'),
  },
]

/** Puts the first argument into the path of modules, since the environment is not the bench's to set. */
const RUN_MODULE = 'import sys; sys.path.insert(0, sys.argv.pop(1)); from rlsgate.cli import main; raise SystemExit(main())'

/** Whether a peer is installed there. */
export const installed = (peer: Peer, folder: string | undefined): folder is string => folder !== undefined && existsSync(join(folder, peer.program))

/** Gives a copy of the files to a function: some peers write into the folder that they scan. */
export async function withCopy<T>(dir: string, use: (copy: string) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), 'prelaunch-peers-'))
  try {
    cpSync(dir, copy, { recursive: true, filter: (path) => !['.git', 'node_modules'].includes(basename(path)) })
    return await use(copy)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
