import { fileOf } from '../../behaviour/incremental/file-parts.ts'
import type { Reads } from '../../behaviour/incremental/read-tracking.ts'

/**
 * Who looked at what, the other way round: kept from audit to audit, so that finding out who rests on a change costs what changed. Somebody who no
 * longer looks at a part stays noted until all is noted anew; such a note makes code be followed once more, never once less.
 */
export class Readers {
  readonly #parts = new Map<string, Map<string, Set<string>>>()
  #noted = 0
  #again = 0

  /** The readers of an audit; what was known before is completed by who read anew. */
  static of(reads: Reads, before?: Readers): Readers {
    const known = before && before.#again < before.#noted ? before : undefined
    const readers = known ?? new Readers()
    for (const reader of known ? reads.readAnew : reads.files.keys()) readers.#note(reader, reads.files.get(reader) ?? [], known !== undefined)
    return readers
  }

  #note(reader: string, parts: Iterable<string>, again: boolean): void {
    if (again) this.#again++
    else this.#noted++
    for (const part of parts) {
      const file = fileOf(part)
      let ofFile = this.#parts.get(file)
      if (!ofFile) {
        ofFile = new Map()
        this.#parts.set(file, ofFile)
      }
      const known = ofFile.get(part)
      if (known) known.add(reader)
      else ofFile.set(part, new Set([reader]))
    }
  }

  /** What was looked at of a file. */
  partsOf(file: string): Iterable<string> {
    return this.#parts.get(file)?.keys() ?? []
  }

  readersOf(part: string): Iterable<string> {
    return this.#parts.get(fileOf(part))?.get(part) ?? []
  }
}
