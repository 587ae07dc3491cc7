import { object, Scope, type Val } from '../domain/abstract-value.ts'
import { keyOf } from '../domain/structural-hash.ts'
import type { Interpreter, TryFrame } from '../interpreter.ts'
import type { Otherwise } from '../types.ts'
import type { Completion } from './completion.ts'
import { UNKNOWN_ERROR_WORD } from './error-text.ts'

/** The words of an error, which a handler repeats and hardly ever looks at: some text, never empty. */
const ERROR_TEXT: Val = { v: 'text', parts: [UNKNOWN_ERROR_WORD, { v: 'const', value: ' ' }, UNKNOWN_ERROR_WORD] }
/** A text with a space is for people: `Workspace not found.`, not `not_found`. */
const isWords = (val: Val): boolean => val.v === 'const' && typeof val.value === 'string' && /\s/.test(val.value)

/**
 * What the handler of a `try` answers for each value that is thrown in it, found by running it (`handle`) without keeping anything. Errors of one kind that
 * differ in their words alone are answered alike, unless the handler asks what the words are.
 */
export function answersOf(it: Interpreter, tries: TryFrame[], depth: number, handle: (thrown: Val) => Completion): (thrown: Val) => Otherwise {
  const answers = new Map<number, Otherwise>()
  const askedForWords = new Set<number>()
  const ask = (key: number, thrown: Val): Otherwise => {
    // while it runs, for what it throws itself
    answers.set(key, { ends: true, how: 'throw' })
    const answer: Otherwise = { ...dryRun(it, tries, depth, () => handle(thrown)), thrown: true }
    answers.set(key, answer)
    return answer
  }
  return (thrown) => {
    const wordless = withoutWords(thrown)
    const kind = keyOf(contentOf(wordless))
    if (wordless !== thrown && !askedForWords.has(kind)) {
      const known = answers.get(kind)
      if (known) return known
      const before = it.wordsAsked
      const answer = ask(kind, wordless)
      if (it.wordsAsked === before) return answer
      askedForWords.add(kind)
    }
    const key = wordless === thrown ? kind : keyOf(contentOf(thrown))
    return answers.get(key) ?? ask(key, thrown)
  }
}

/** An error without its words. */
function withoutWords(thrown: Val): Val {
  if (thrown.v === 'object' && Object.values(thrown.props).some(isWords))
    return { ...thrown, props: Object.fromEntries(Object.entries(thrown.props).map(([name, value]) => [name, isWords(value) ? ERROR_TEXT : value])) }
  if (thrown.v !== 'instance' || ![...thrown.fields.vars.values()].some(isWords)) return thrown
  const fields = new Scope(thrown.fields.path, thrown.fields.parent)
  for (const [name, value] of thrown.fields.vars) fields.vars.set(name, isWords(value) ? ERROR_TEXT : value)
  return { ...thrown, fields }
}

/** Instances with the same fields are as good as one. */
const contentOf = (thrown: Val): Val => (thrown.v === 'instance' ? object({ 'instance of': thrown.of, ...Object.fromEntries(thrown.fields.vars) }) : thrown)

/** What a handler answers, found by running it without keeping anything. */
function dryRun(it: Interpreter, tries: TryFrame[], depth: number, run: () => Completion): Otherwise {
  const steps = it.steps.length
  const returns = it.frames.map((f) => f.returns.length)
  const { tries: current, lastEnd } = it
  const frames = it.frames.splice(depth)
  const open = it.frames.map((f) => f.open)
  for (const f of it.frames) f.open = []
  it.tries = tries
  it.asking++
  const state = it.branch(undefined, run)
  it.asking--
  it.frames.forEach((f, i) => {
    f.open = open[i] as typeof f.open
  })
  it.frames.push(...frames)
  it.tries = current
  it.lastEnd = lastEnd
  it.steps.length = steps
  it.frames.forEach((f, i) => {
    f.returns.length = Math.min(f.returns.length, returns[i] as number)
  })
  return state.end?.kind === 'return' || state.end?.kind === 'throw' ? state.how : { ends: false }
}
