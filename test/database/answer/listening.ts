import { vi } from 'vitest'
import type { Heard } from '../../../src/database/answer/hear.ts'
import type { ToldResult } from '../../../src/database/answer/outcome.ts'
import type { ReplayInput } from '../../../src/database/database.ts'

/** A result as the sandbox's process told it, and the input that it was told for. */
export interface Told {
  readonly input: ReplayInput
  readonly told: ToldResult
}

/** What was told so far, and what is put in the place of the next. */
export const wire: { readonly heard: Told[]; forge: (told: ToldResult) => unknown } = { heard: [], forge: (told) => told }

/** For `vi.mock`: keeps each result as it arrives, or puts a forged one in its place. Imports nothing that needs what is mocked. */
export async function listening(original: () => Promise<{ hear(message: unknown, input: ReplayInput): Heard }>) {
  const { hear } = await original()
  return {
    hear: vi.fn((message: { type: string; result: ToldResult }, input: ReplayInput) => {
      if (message.type !== 'result') return hear(message, input)
      wire.heard.push({ input, told: message.result })
      return hear({ ...message, result: wire.forge(message.result) }, input)
    }),
  }
}
