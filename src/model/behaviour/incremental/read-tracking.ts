import { keptMap } from '../../../lib/memo/map-by-key.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { fileOf, specifierOf, specifierPart } from './file-parts.ts'

/** A name that is being evaluated. */
interface Name {
  /** Who defines it: a scope, or for exports the path of the file. */
  readonly owner: Scope | string
  readonly name: string
  /** Under what it is noted what the value rests on. */
  readonly reader: string
}

/** How a name that nothing declares stands among the specifiers; frameworks put such names into scope. */
const UNDECLARED = '\0'
export const undeclared = (specifier: string): string | undefined => (specifier.startsWith(UNDECLARED) ? specifier.slice(1) : undefined)

/** How a name that is looked for behind the `export *` of a file stands among the specifiers. */
const STARS = '\u0001'
export const starred = (specifier: string): string | undefined => (specifier.startsWith(STARS) ? specifier.slice(1) : undefined)
/** A specifier that a file really has. */
const isPlain = (specifier: string): boolean => !specifier.startsWith(UNDECLARED) && !specifier.startsWith(STARS)
export const textOfFiles = (files: readonly string[]): string => files.join('\n')

type AutoImport = { readonly path: string; readonly imported: string } | undefined
export const importKey = (found: AutoImport): string | undefined => found && `${found.path} ${found.imported}`

/**
 * What was looked at, and by whom, while code was followed: the proof that what was found out before still holds. Values of modules are evaluated
 * once and shared by all entries, so what an entry rests on is what it looked at itself and what the names looked at that it met.
 */
export class Reads {
  /** What was looked at, by who looked (an entry, or a name of a module): whole files, absent ones included, and parts of files (`file-parts.ts`). */
  readonly files = new Map<string, Set<string>>()
  /** What the specifiers in a file meant. */
  readonly resolved = new Map<string, Map<string, string | undefined>>()
  /** What names meant that nothing in a file declares, or that are looked for behind its `export *`. */
  readonly implied = new Map<string, Map<string, string | undefined>>()
  /** Names whose values need each other: those depend on which was asked for first. */
  readonly entangled = new Set<string>()
  /** Those who looked at something since this was made. */
  readonly readAnew = new Set<string>()
  #reader: Set<string> | undefined
  readonly #names: Name[] = []

  /** Begins another audit: what changed is read again by whoever needs it, and what was read for answers that stay is kept. */
  forget(changed: ReadonlySet<string>): void {
    this.entangled.clear()
    this.readAnew.clear()
    for (const part of changed) {
      this.files.delete(part)
      const specifier = specifierOf(part)
      if (specifier !== undefined) (isPlain(specifier) ? this.resolved : this.implied).get(fileOf(part))?.delete(specifier)
    }
  }

  /** Notes that whoever is at work looks at a whole file. */
  file(path: string): void {
    this.#reader?.add(path)
  }

  /** Notes that whoever is at work looks at a part of a file, or at the value that it has. */
  part(part: string): void {
    this.#reader?.add(part)
  }

  /** Notes a part of a file; nothing for whoever looks at the whole file anyway. */
  partOf<T extends readonly (string | number)[]>(path: string, name: (path: string, ...which: T) => string, ...which: T): void {
    if (this.#reader && !this.#reader.has(path)) this.#reader.add(name(path, ...which))
  }

  /** Notes what a specifier means. */
  specifier<T extends string | undefined>(from: string, specifier: string, target: T): T {
    if (!this.#reader) return target
    this.#reader.add(specifierPart(from, specifier))
    keptMap(isPlain(specifier) ? this.resolved : this.implied, from).set(specifier, target)
    return target
  }

  /** Notes what a name means that nothing declares. */
  autoImport<T extends AutoImport>(from: string, name: string, found: T): T {
    this.specifier(from, UNDECLARED + name, importKey(found))
    return found
  }

  /** Notes which files a name comes from that a file exports with all others. */
  throughStars(from: string, name: string, found: readonly string[]): readonly string[] {
    if (this.#reader) this.specifier(from, STARS + name, textOfFiles(found))
    return found
  }

  /** Runs an entry: what is looked at meanwhile is what it rests on. */
  by<T>(reader: string, run: () => T): T {
    const outer = this.#reader
    const own = this.files.get(reader) ?? new Set()
    this.files.set(reader, own)
    this.readAnew.add(reader)
    this.#reader = own
    try {
      return run()
    } finally {
      this.#reader = outer
    }
  }

  /** Evaluates a name of a module: what is looked at meanwhile is what its value rests on. */
  evaluating<T>(name: Name, run: () => T): T {
    this.part(name.reader)
    this.#names.push(name)
    try {
      return this.by(name.reader, run)
    } finally {
      this.#names.pop()
    }
  }

  /** A name is needed while it is being evaluated. One that needs only itself has the same value wherever evaluation begins. */
  unfinished(owner: Name['owner'], name: string): void {
    const from = this.#names.findLastIndex((n) => n.owner === owner && n.name === name)
    if (from >= this.#names.length - 1) return
    for (const n of this.#names.slice(Math.max(from, 0))) this.entangled.add(n.reader)
  }
}
