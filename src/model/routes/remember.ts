import { isDeepStrictEqual } from 'node:util'
import type { AccessMatrix } from '../../database/database.ts'
import type { JavaScriptFacts } from '../../facts/javascript.ts'
import type { SchemaModel } from '../app-model.ts'
import { fuelFor } from '../behaviour/analyse.ts'
import type { Program } from '../behaviour/program.ts'
import { exportsOf, Reads, textOf, undeclared } from '../behaviour/reads.ts'

/** One following of code: how much it could take and how much it took. Within both, another limit would have made no difference. */
interface Run {
  readonly limit: number
  readonly cost: number
}

interface Remembered {
  /** What was asked, to be sure that it is the same. */
  readonly of: unknown
  readonly answer: unknown
  readonly runs: readonly Run[]
}

/** What was found out about the entries of an application, and everything that it rests on. */
export interface RoutesMemory {
  readonly javascript: ReadonlyMap<string, JavaScriptFacts>
  readonly tables: SchemaModel['tables']
  readonly access: AccessMatrix
  readonly reads: Reads
  readonly answers: ReadonlyMap<string, Remembered>
}

/** What routes rest on beside the code. */
export interface Ground extends Pick<RoutesMemory, 'javascript' | 'tables' | 'access'> {
  readonly resolve: Program['resolve']
  readonly autoImport: Program['autoImport']
}

/** Answers questions about entries from memory where nothing changed that the answer rests on. */
export class Recollection {
  readonly reads = new Reads()
  readonly #ground: Ground
  readonly #before: RoutesMemory | undefined
  readonly #changed: ReadonlySet<string>
  readonly #answers = new Map<string, Remembered>()

  constructor(ground: Ground, memory: RoutesMemory | undefined) {
    const same = memory && isDeepStrictEqual(memory.tables, ground.tables) && isDeepStrictEqual(memory.access, ground.access)
    this.#ground = ground
    this.#before = same ? memory : undefined
    this.#changed = this.#before ? affected(this.#before, ground) : new Set()
    if (this.#before) keepReads(this.#before.reads, this.reads, this.#changed)
  }

  /** The answer for an entry known by `name` and equal to `of`; `compute` follows code with the budget of `program`. */
  answer<T>(name: string, of: unknown, program: Program, compute: (follow: <R>(run: () => R) => R) => T): T {
    const known = this.#before?.answers.get(name)
    if (known && !this.#changed.has(name) && isDeepStrictEqual(known.of, of)) {
      const left = afford(known.runs, program.budget.left)
      if (left !== undefined) {
        program.budget.left = left
        this.#answers.set(name, known)
        return known.answer as T
      }
    }
    const runs: Run[] = []
    this.reads.files.delete(name)
    const answer = this.reads.by(name, () =>
      compute((run) => {
        const { left } = program.budget
        const result = run()
        runs.push({ limit: fuelFor(left), cost: left - program.budget.left })
        return result
      }),
    )
    this.#answers.set(name, { of, answer, runs })
    return answer
  }

  /** What the next audit may start from. */
  memory(): RoutesMemory {
    const { javascript, tables, access } = this.#ground
    return { javascript, tables, access, reads: this.reads, answers: this.#answers }
  }
}

/** What is left of the budget after runs that would go as they went before; undefined when one of them would not. */
function afford(runs: readonly Run[], budget: number): number | undefined {
  let left = budget
  for (const { limit, cost } of runs) {
    const now = fuelFor(left)
    if (now !== limit && cost >= Math.min(now, limit)) return undefined
    left -= cost
  }
  return left
}

/** Everybody whose proof no longer holds: readers of changed files, directly or through modules that they met. */
function affected({ javascript: before, reads }: RoutesMemory, { javascript: now, resolve, autoImport }: Ground): ReadonlySet<string> {
  const found = new Set<string>(reads.entangled)
  const meaning = (from: string, specifier: string) => {
    const name = undeclared(specifier)
    return name === undefined ? resolve(from, specifier) : textOf(autoImport(from, name))
  }
  const touch = (path: string) => {
    found.add(path)
    if (!sameExports(before.get(path), now.get(path))) found.add(exportsOf(path))
  }
  for (const [path, facts] of before) if (now.get(path) !== facts) touch(path)
  for (const path of now.keys()) if (!before.has(path)) touch(path)
  for (const [from, specifiers] of reads.resolved)
    if (!found.has(from)) for (const [specifier, target] of specifiers) if (meaning(from, specifier) !== target) found.add(from)
  const readersOf = new Map<string, string[]>()
  for (const [reader, files] of reads.files)
    for (const file of files) {
      const readers = readersOf.get(file)
      if (readers) readers.push(reader)
      else readersOf.set(file, [reader])
    }
  // A set is walked to its end while it grows.
  for (const file of found) for (const reader of readersOf.get(file) ?? []) found.add(reader)
  return found
}

/** Whether a file exports the same names from the same places; what their values are is another question. */
function sameExports(a: JavaScriptFacts | undefined, b: JavaScriptFacts | undefined): boolean {
  if (!a || !b || a.exports.length !== b.exports.length) return false
  return a.exports.every((e, i) => {
    const other = b.exports[i] as typeof e
    return e.name === other.name && e.from === other.from && e.imported === other.imported && e.local === other.local && !e.value === !other.value
  })
}

/** What was read for answers that stay; what changed is read again by whoever needs it. */
function keepReads(from: Reads, to: Reads, changed: ReadonlySet<string>): void {
  for (const [reader, files] of from.files) if (!changed.has(reader)) to.files.set(reader, files)
  for (const [path, specifiers] of from.resolved) to.resolved.set(path, changed.has(path) ? new Map() : specifiers)
}
