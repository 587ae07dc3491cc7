import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PackedFacts } from '../store/facts-store.ts'
import { replaceFile } from './runner-files.ts'

/** Raised when the format of the file changes; a file of another name is not read. */
const FILE = 'facts-1.tsv'
/** Bytes of the file. The cache of a repository holds 10 GB for all of its branches. */
const MAX_BYTES = 200 << 20

/**
 * Facts and replays in one file of a folder, for `actions/cache` to keep between runs. A line is a key, a tab, and the value that `packFacts` makes. What
 * an audit did not ask for is not written again, so that the file does not grow with the history.
 */
export class FactsFile implements PackedFacts {
  readonly #file: string
  readonly #known: ReadonlyMap<string, string>
  readonly #used = new Map<string, string>()
  #isNew = false

  constructor(folder: string) {
    this.#file = join(folder, FILE)
    this.#known = readLines(this.#file)
  }

  /** How many entries an earlier run left. */
  get size(): number {
    return this.#known.size
  }

  async get(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const key of keys) {
      const value = this.#used.get(key) ?? this.#known.get(key)
      if (value === undefined) continue
      this.#used.set(key, value)
      found.set(key, value)
    }
    return found
  }

  async put(entries: ReadonlyMap<string, string>): Promise<void> {
    for (const [key, value] of entries) {
      if (/[\t\r\n]/.test(key)) continue
      this.#used.set(key, value)
      this.#isNew = true
    }
  }

  /** Writes what this run asked for or found out, when that differs from what was read. */
  save(): void {
    if (!this.#isNew && this.#used.size === this.#known.size) return
    const lines: string[] = []
    let bytes = 0
    for (const [key, value] of this.#used) {
      const line = `${key}\t${value}\n`
      bytes += line.length
      if (bytes > MAX_BYTES) break
      lines.push(line)
    }
    replaceFile(this.#file, lines.join(''))
  }
}

/** A file that is missing, too large or of another form holds nothing: everything in it can be found out again. */
function readLines(file: string): ReadonlyMap<string, string> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (!size || size > MAX_BYTES) return new Map()
  const entries = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
  return new Map(entries.flatMap(([key, value, ...more]) => (key && value && !more.length && /^[A-Za-z0-9+/=]+$/.test(value) ? [[key, value] as const] : [])))
}
