import { isDeepStrictEqual } from 'node:util'

/**
 * Gives the answer of before for as long as a new one says the same, so that what rests on it by identity still holds. One for each question: it
 * keeps the last answer only.
 */
export function steady<Answer>(): (answer: Answer) => Answer {
  let latest: { readonly answer: Answer } | undefined
  return (answer) => {
    if (!latest || !isDeepStrictEqual(latest.answer, answer)) latest = { answer }
    return latest.answer
  }
}
