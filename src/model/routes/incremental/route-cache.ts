import { isDeepStrictEqual } from 'node:util'
import type { AccessMatrix } from '../../../database/database.ts'
import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { fuelFor } from '../../behaviour/analyze.ts'
import { partContent, specifierPart } from '../../behaviour/incremental/file-parts.ts'
import { importKey, Reads, starred, textOfFiles, undeclared } from '../../behaviour/incremental/read-tracking.ts'
import type { Program } from '../../behaviour/modules/program.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { Readers } from './dependents.ts'

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
  /** What stands for all that decides the meaning of specifiers: the same object while they mean the same. */
  readonly meanings: object | undefined
  readonly reads: Reads
  readonly readers: Readers
  readonly answers: ReadonlyMap<string, Remembered>
}

/** What routes rest on beside the code. */
export interface Ground extends Pick<RoutesMemory, 'javascript' | 'tables' | 'access' | 'meanings'> {
  readonly resolve: Program['resolve']
  readonly autoImport: Program['autoImport']
  readonly throughStars: ModulesModel['throughStars']
}

/** Answers questions about entries from memory where nothing changed that the answer rests on. */
export class Recollection {
  readonly reads: Reads
  readonly #ground: Ground
  readonly #before: RoutesMemory | undefined
  readonly #changed: ReadonlySet<string>
  readonly #answers = new Map<string, Remembered>()

  /** Takes over what is remembered: `memory` must not be used by anybody else afterwards. */
  constructor(ground: Ground, memory: RoutesMemory | undefined) {
    const same = memory && isDeepStrictEqual(memory.tables, ground.tables) && isDeepStrictEqual(memory.access, ground.access)
    this.#ground = ground
    this.#before = same ? memory : undefined
    this.#changed = this.#before ? affected(this.#before, ground) : new Set()
    this.reads = this.#before?.reads ?? new Reads()
    this.reads.forget(this.#changed)
  }

  /** What was asked under a name the last time where it equals this: two answers that rest on the same object need not be compared part by part. */
  asBefore<T>(name: string, of: T): T {
    const known = this.#before?.answers.get(name)
    return known && isDeepStrictEqual(known.of, of) ? (known.of as T) : of
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
    const { javascript, tables, access, meanings } = this.#ground
    return { javascript, tables, access, meanings, reads: this.reads, readers: Readers.of(this.reads, this.#before?.readers), answers: this.#answers }
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

/** Everybody whose proof no longer holds: readers of changed files and parts of files, directly or through names that they met. */
function affected(
  { javascript: before, reads, readers, meanings: meaningsBefore }: RoutesMemory,
  { javascript: now, resolve, autoImport, throughStars, meanings }: Ground,
): ReadonlySet<string> {
  const found = new Set<string>(reads.entangled)
  const meaning = (from: string, specifier: string) => {
    const name = undeclared(specifier)
    const behind = starred(specifier)
    if (behind !== undefined) return textOfFiles(throughStars(from, behind))
    return name === undefined ? resolve(from, specifier) : importKey(autoImport(from, name))
  }
  const changed = new Set<string>()
  for (const [path, facts] of before) if (now.get(path) !== facts) changed.add(path)
  for (const path of now.keys()) if (!before.has(path)) changed.add(path)
  for (const path of changed) found.add(path)
  const sameMeanings = meanings !== undefined && meanings === meaningsBefore
  for (const meanings of sameMeanings ? [reads.implied] : [reads.resolved, reads.implied])
    for (const [from, specifiers] of meanings)
      for (const [specifier, target] of specifiers) if (meaning(from, specifier) !== target) found.add(specifierPart(from, specifier))
  for (const path of changed)
    for (const part of readers.partsOf(path))
      if (part !== path && !isDeepStrictEqual(partContent(part, before.get(path)), partContent(part, now.get(path)))) found.add(part)
  // A set is walked to its end while it grows.
  for (const part of found) for (const reader of readers.readersOf(part)) found.add(reader)
  return found
}
