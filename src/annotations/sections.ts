import { bytes } from '../lib/escape-markdown.ts'

/** A part of a document that is shown whole or not at all. */
export interface Section {
  /** For the line that says what was left out. */
  readonly name: string
  readonly text: string
  /** The greatest goes first when there is no room; 0 stays always. */
  readonly expendable: number
  /** Shorter text of the same content, tried before the section is dropped. */
  readonly short?: string
}

/** Joins sections within a number of bytes: the least important are shortened, then left out, each whole; the last line says which and, with `seeMore`, where they are. */
export function fitInto(sections: readonly Section[], max: number, seeMore: string): string {
  const present = sections.filter((s) => s.text)
  const text = new Map(present.map((s) => [s, s.text]))
  const left: string[] = []
  const join = () => {
    const note = left.length ? `\n\n_Left out for size: ${left.join(', ')}. ${seeMore}_` : ''
    return [...text.values()].join('\n\n') + note
  }
  const candidates = [...present].filter((s) => s.expendable > 0).sort((a, b) => b.expendable - a.expendable)
  for (const section of candidates) {
    if (bytes(join()) <= max) break
    if (section.short) text.set(section, section.short)
  }
  for (const section of candidates) {
    if (bytes(join()) <= max) break
    text.delete(section)
    left.push(section.name)
  }
  return join()
}
