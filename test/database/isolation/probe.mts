import { existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs'

/** What the probe is told: where the launcher runs, and what it must not reach. */
export interface Target {
  readonly builtins: boolean
  readonly parent: number
  readonly listener: number
  readonly secretFile: string
}

// JavaScript of an attacker who is already inside the sandbox's process: what does it reach?
const target = JSON.parse(process.argv[2] as string) as Target
if (target.builtins) (await import('../../../src/database/isolation/builtins.ts')).removeBuiltins()

const attempts: Readonly<Record<string, () => unknown>> = {
  // biome-ignore lint/security/noGlobalEval: whether it works is the question
  'run a string as JavaScript': () => globalThis.eval('1'),
  'read the environment of the App': () => readFileSync(`/proc/${target.parent}/environ`).length || fail('empty'),
  'read a file of the App': () => readFileSync(target.secretFile),
  'write a file': () => writeFileSync(`${target.secretFile}.written`, 'x'),
  'send what it knows away': () => fetch(`http://127.0.0.1:${target.listener}/`),
  'signal the App': () => process.kill(target.parent, 0),
  'see other processes': () => existsSync(`/proc/${target.parent}/stat`) || fail('not seen'),
  'start a program': async () => (await import('node:child_process')).execFileSync(process.execPath, ['--version']),
}

function fail(why: string): never {
  throw new Error(why)
}

const results: Record<string, string> = {}
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    await attempt()
    results[name] = 'done'
  } catch (error) {
    results[name] = `stopped: ${(error as Error).message}`
  }
}
writeSync(3, `${JSON.stringify(results)}\n`)
