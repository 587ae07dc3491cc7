/** Something about files, by path. */
export type ByFile<T> = ReadonlyMap<string, T>

/** How files came out of other ones: those that differ, gone ones included. */
interface Step {
  readonly before: ByFile<unknown>
  readonly changed: readonly string[]
}

const steps = new WeakMap<ByFile<unknown>, Step>()

/**
 * What of `now` is the same as before: the earlier object itself when nothing differs; otherwise `now`, of which it is known from here on what
 * differs. One step back is kept, never more.
 */
export function following<T>(before: ByFile<T> | undefined, now: ByFile<T>): ByFile<T> {
  if (!before || before === now) return now
  const changed: string[] = []
  for (const [path, facts] of now) if (before.get(path) !== facts) changed.push(path)
  for (const path of before.keys()) if (!now.has(path)) changed.push(path)
  if (!changed.length) return before
  link(before, now, changed)
  return now
}

/** The paths that differ between two lists of files, as far as one was made from the other; undefined when that is not known. */
export function changedBetween(before: ByFile<unknown>, now: ByFile<unknown>): readonly string[] | undefined {
  if (before === now) return []
  const step = steps.get(now)
  return step?.before === before ? step.changed : undefined
}

/**
 * Makes a pure question that is put to each file of a list cost what changed since the list before: the answers by path, in the order of the list,
 * without those that are undefined. Where no answer changed it is the same object. Nobody may change what is returned.
 */
export function collectByFile<Facts extends object, Answer>(ask: Ask<Facts, Answer>): (files: ByFile<Facts>) => ByFile<Answer> {
  const known = new WeakMap<ByFile<Facts>, ByFile<Answer>>()
  return (files) => {
    let answers = known.get(files)
    if (!answers) {
      const step = steps.get(files)
      const before = step && known.get(step.before as ByFile<Facts>)
      answers = before ? askAgain(ask, before, step.changed, files) : askAll(ask, files)
      known.set(files, answers)
    }
    return answers
  }
}

/**
 * Pure questions that are put to each file of one kind. A file can be asked all of them as soon as its own facts are there (`askAhead`), while those
 * of other files are still waited for: `collect` makes a collection as `collectByFile` does, which then finds the answers.
 */
export class QuestionsByFile<Facts extends object> {
  readonly #questions: Ask<Facts, unknown>[] = []
  /** For each file the answers in the order of the questions; they are given to one list of files. */
  readonly #answered = new WeakMap<Facts, { readonly path: string; readonly answers: unknown[] }>()

  collect<Answer>(ask: Ask<Facts, Answer>): (files: ByFile<Facts>) => ByFile<Answer> {
    const number = this.#questions.push(ask) - 1
    return collectByFile((path, facts) => {
      const ahead = this.#answered.get(facts)
      // equal files at two places share their facts, and a question may look at the path
      return ahead?.path === path ? (ahead.answers[number] as Answer | undefined) : ask(path, facts)
    })
  }

  askAhead(path: string, facts: Facts): void {
    if (!this.#answered.has(facts)) this.#answered.set(facts, { path, answers: this.#questions.map((ask) => ask(path, facts)) })
  }
}

/** The list, or nothing for an empty one: what most files answer is not kept. */
export const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length ? list : undefined)

/** What the files of a list say, one after the other. */
export const together = <T>(answers: ByFile<readonly T[]>): T[] => [...answers.values()].flat()

type Ask<Facts, Answer> = (path: string, facts: Facts) => Answer | undefined

function askAll<Facts, Answer>(ask: Ask<Facts, Answer>, files: ByFile<Facts>): ByFile<Answer> {
  const answers = new Map<string, Answer>()
  for (const [path, facts] of files) {
    const answer = ask(path, facts)
    if (answer !== undefined) answers.set(path, answer)
  }
  return answers
}

function askAgain<Facts, Answer>(ask: Ask<Facts, Answer>, before: ByFile<Answer>, paths: readonly string[], files: ByFile<Facts>): ByFile<Answer> {
  const different = new Map<string, Answer | undefined>()
  for (const path of paths) {
    const facts = files.get(path)
    const answer = facts === undefined ? undefined : ask(path, facts)
    if (answer !== before.get(path)) different.set(path, answer)
  }
  if (!different.size) return before
  let answers = new Map(before)
  let added = false
  for (const [path, answer] of different) {
    if (answer === undefined) answers.delete(path)
    else {
      added ||= !before.has(path)
      answers.set(path, answer)
    }
  }
  if (added) answers = inOrderOf(files, answers)
  link(before, answers, [...different.keys()])
  return answers
}

function inOrderOf<Answer>(files: ByFile<unknown>, answers: ReadonlyMap<string, Answer>): Map<string, Answer> {
  const sorted = new Map<string, Answer>()
  for (const path of files.keys()) {
    const answer = answers.get(path)
    if (answer !== undefined) sorted.set(path, answer)
  }
  return sorted
}

function link(before: ByFile<unknown>, now: ByFile<unknown>, changed: readonly string[]): void {
  steps.set(now, { before, changed })
  steps.delete(before)
}
