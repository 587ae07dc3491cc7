import type { Scope, Val } from '../domain/abstract-value.ts'
import { youngest } from '../domain/abstract-value.ts'

/** A variable that a branch wrote, and what it holds at the branch's end. */
export interface Write {
  readonly scope: Scope
  readonly name: string
  readonly value: Val | undefined
}

const NO_WRITES: readonly Write[] = []

/** What a branch wrote to variables that were there before it: enough to take it back. */
export class Journal {
  /** What a branch makes for itself is out of reach of the others: closures keep it. */
  readonly #start = youngest()
  /** That of the branch around this one. */
  readonly #outer: Journal | undefined
  /** Most branches write nothing. */
  #before: Map<Scope, Map<string, Val | undefined>> | undefined

  constructor(outer?: Journal) {
    this.#outer = outer
  }

  /** To be told before a variable is written. */
  note(scope: Scope, name: string): void {
    if (scope.serial > this.#start) return
    this.#before ??= new Map()
    let names = this.#before.get(scope)
    if (!names) {
      names = new Map()
      this.#before.set(scope, names)
    }
    if (!names.has(name)) names.set(name, scope.vars.get(name))
  }

  /** What was written since `from`, a journal around this one, to variables that were there before it: what they hold now. */
  writtenSince(from: Journal): readonly Write[] {
    const writes: Write[] = []
    for (let journal: Journal | undefined = this; journal; journal = journal === from ? undefined : journal.#outer)
      for (const [scope, names] of journal.#before ?? [])
        if (scope.serial <= from.#start)
          for (const name of names.keys())
            if (!writes.some((w) => w.scope === scope && w.name === name)) writes.push({ scope, name, value: scope.vars.get(name) })
    return writes.length ? writes : NO_WRITES
  }

  /** Gives every variable the value that it had, and tells what was written. */
  takeBack(): readonly Write[] {
    if (!this.#before) return NO_WRITES
    const writes: Write[] = []
    for (const [scope, names] of this.#before) {
      for (const [name, old] of names) {
        writes.push({ scope, name, value: scope.vars.get(name) })
        if (old === undefined) scope.vars.delete(name)
        else scope.vars.set(name, old)
      }
    }
    return writes
  }
}
