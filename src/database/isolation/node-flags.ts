import { readablePaths } from './readable.ts'

/** A replay is over before optimised WebAssembly would pay: the baseline compiler alone takes half the processor time. */
const ENGINE = ['--no-warnings', '--liftoff-only']

/** What Node offers to hold a process: reads by name, no writes, no child processes, no addons, no code from strings, no inspector by signal. */
const CONFINEMENT = ['--permission', '--allow-worker', '--disallow-code-generation-from-strings', '--disable-sigusr1', '--no-addons']

/** Arguments of Node for the sandbox's process, which may read its own program and the files that are named. */
export function nodeFlags(confined: boolean, files: readonly string[]): string[] {
  if (!confined) return ENGINE
  return [...ENGINE, ...CONFINEMENT, ...[...readablePaths(), ...files].map((path) => `--allow-fs-read=${path}`)]
}
