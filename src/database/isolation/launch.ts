import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from './commands.ts'
import { confine, confinementOf } from './confinement.ts'
import type { Layers } from './layers.ts'
import { nodeFlags } from './node-flags.ts'
import type { ProcessSettings } from './process-settings.ts'

/** Every descriptor leads nowhere but the one that the process is spoken to on. */
const STDIO: SpawnOptions['stdio'] = ['ignore', 'ignore', 'ignore', 'pipe']

const PROGRAM = fileURLToPath(new URL(`../sandbox/process${extname(import.meta.url)}`, import.meta.url))

/** What a sandbox is started with. */
export interface LaunchOptions {
  readonly layers: Layers
  /** A file that it may read beside its program. */
  readonly template?: string
}

/** Starts the sandbox's process, inside all layers that are switched on and that this system allows. */
export async function launchSandbox({ layers, template }: LaunchOptions): Promise<ChildProcess> {
  const settings: ProcessSettings = { layers: { wasmGate: layers.wasmGate, builtins: layers.builtins }, ...(template ? { template } : {}) }
  return launchProgram(layers, [PROGRAM, JSON.stringify(settings)], template ? [template] : [])
}

/** The same with another program (a file that is among those the sandbox reads, or is named in `files`). */
export async function launchProgram(layers: Layers, args: readonly string[], files: readonly string[]): Promise<ChildProcess> {
  const { by } = await confinementOf(layers)
  const node: Command = { file: process.execPath, args: [...nodeFlags(layers.flags, files), ...args] }
  const { file, args: all } = confine(node, by, files)
  return spawn(file, all, { env: {}, stdio: STDIO, windowsHide: true })
}
