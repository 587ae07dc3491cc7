import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAnswer } from '../answer/believed.ts'
import { preludeSql } from '../sandbox/prelude.ts'
import type { Answer } from '../sandbox/protocol.ts'
import { launchSandbox } from './launch.ts'
import type { Layers } from './layers.ts'
import { SandboxProcess } from './sandbox-process.ts'

/** Raised whenever a template is built in another way. */
const TEMPLATE_VERSION = '4'

const LONGEST_MS = 60_000

let digest: string | undefined

/** Digest of everything that a template is made from: the platform's objects and the engine. */
export function templateDigest(): string {
  digest ??= createHash('sha256').update(TEMPLATE_VERSION).update(preludeSql().join('\0')).update(engineVersion()).digest('hex').slice(0, 16)
  return digest
}

/** Name of the file, by which both sides know that they mean the same template. */
export const templateName = (): string => `database-${templateDigest()}.tar`

/** The template's file in a folder, built now if it is not there; its bytes where the folder cannot be written to. */
export async function templateIn(folder: string, layers: Layers): Promise<string | Buffer> {
  const file = join(folder, templateName())
  try {
    if (statSync(file).size > 0) return file
  } catch {
    // Not built yet.
  }
  const bytes = await build(layers)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const draft = `${file}.${randomUUID()}`
    writeFileSync(draft, bytes, { mode: 0o600 })
    renameSync(draft, file)
    return file
  } catch {
    return bytes
  }
}

async function build(layers: Layers): Promise<Buffer> {
  const sandbox = SandboxProcess.of(await launchSandbox({ layers }))
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new Error('the template took too long to build'))), LONGEST_MS)
    const finish = (then: () => void) => {
      clearTimeout(timer)
      sandbox.listen(undefined)
      sandbox.end()
      then()
    }
    sandbox.listen({
      onAnswer: (value) => {
        const read = readAnswer(value)
        const answer: Answer = 'refused' in read ? { type: 'died', because: `its answer was refused: ${read.refused}` } : read.answer
        if (answer.type === 'template') finish(() => resolve(Buffer.from(answer.base64, 'base64')))
        else if (answer.type === 'died') finish(() => reject(new Error(answer.because)))
      },
      onEnd: (because) => finish(() => reject(new Error(because))),
    })
    sandbox.send({ type: 'build' })
  })
}

function engineVersion(): string {
  try {
    return (JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')), 'utf8')) as { version: string }).version
  } catch {
    return ''
  }
}
