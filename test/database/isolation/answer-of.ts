import { fileURLToPath } from 'node:url'
import { launchProgram } from '../../../src/database/isolation/launch.ts'
import type { Layers } from '../../../src/database/isolation/layers.ts'
import { SandboxProcess } from '../../../src/database/isolation/sandbox-process.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')

/** Starts a program of this folder as the sandbox is started. */
export async function startProbe(layers: Layers, program: string, argument: unknown): Promise<SandboxProcess> {
  return SandboxProcess.of(await launchProgram(layers, [`${HERE}/${program}`, JSON.stringify(argument)], [HERE]))
}

/** What it says first, or why it ended. */
export async function answerOf(layers: Layers, program: string, argument: unknown): Promise<unknown> {
  const sandbox = await startProbe(layers, program, argument)
  const answer = await new Promise((resolve) => sandbox.listen({ onAnswer: resolve, onEnd: (because) => resolve({ because }) }))
  sandbox.end()
  return answer
}
