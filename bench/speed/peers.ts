import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A tool that people would use instead, and how it is called on a folder. Its findings are not compared here, only what it takes. */
export interface Peer {
  readonly name: string
  /** Its program below the folder of installed peers. */
  readonly program: string
  args(dir: string, peers: string): readonly string[]
}

/** Programs that end with another status than 0 have found something; those that print nothing in that case did not run. */
export const PEERS: readonly Peer[] = [
  {
    name: 'ESLint, security plug-in',
    program: 'node_modules/eslint/bin/eslint.js',
    args: (dir, peers) => ['--no-config-lookup', '--config', join(peers, 'eslint.config.mjs'), '--no-inline-config', '--format', 'json', dir],
  },
  { name: 'ship-safe', program: 'node_modules/ship-safe/cli/bin/ship-safe.js', args: (dir) => ['scan', dir, '--json'] },
  { name: 'react-doctor', program: 'node_modules/react-doctor/bin/react-doctor.js', args: (dir) => [dir] },
  // not in the registry: built from their repositories into the same folder
  { name: 'rlsgate', program: 'rlsgate/dist/cli.js', args: (dir) => ['scan', dir] },
  { name: 'prodguard', program: 'prodguard/dist/cli.js', args: (dir) => ['scan', dir] },
]

/** Whether a peer is installed there. */
export const installed = (peer: Peer, folder: string | undefined): folder is string => folder !== undefined && existsSync(join(folder, peer.program))
