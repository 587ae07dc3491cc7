import type { DatabaseResult, ReplayInput } from '../database.ts'
import { believed, readAnswer } from './believed.ts'

/** What a message of the sandbox's process comes to: the step under way, the end of the replay, or nothing that its parent has to know. */
export type Heard = { readonly label: string } | { readonly result: DatabaseResult } | { readonly because: string } | undefined

/** Hears a message of the sandbox's process. A result that is not one, or that the SQL cannot have led to, is none: `because` says why. */
export function hear(message: unknown, input: ReplayInput): Heard {
  const read = readAnswer(message)
  if ('refused' in read) return { because: `the answer of the sandbox was refused: ${read.refused}` }
  const { answer } = read
  if (answer.type === 'at') return { label: answer.label }
  if (answer.type === 'died') return { because: answer.because }
  if (answer.type !== 'result') return undefined
  const told = believed(input, answer.result)
  return 'result' in told ? told : { because: `the answer of the sandbox does not follow from the SQL: ${told.refused}` }
}
