import type { Place } from '../../lib/place.ts'

/** A value import from one file to another, at a line. */
export interface Edge {
  readonly to: string
  readonly line: number
}

/** Files reached from a set of entries, each with the file and line that reached it first. */
export type Reached = ReadonlyMap<string, { readonly from: string; readonly line: number } | null>

/** Breadth first, so that the first way to a file is a shortest one. `edges` may stop the walk by giving none. */
export function reach(entries: readonly string[], edges: (path: string) => readonly Edge[], enter: (path: string, from: string) => boolean): Reached {
  const reached = new Map<string, { from: string; line: number } | null>()
  let frontier: string[] = []
  for (const entry of entries) {
    if (reached.has(entry)) continue
    reached.set(entry, null)
    frontier.push(entry)
  }
  while (frontier.length > 0) {
    const next: string[] = []
    for (const from of frontier) {
      for (const { to, line } of edges(from)) {
        if (reached.has(to) || !enter(to, from)) continue
        reached.set(to, { from, line })
        next.push(to)
      }
    }
    frontier = next
  }
  return reached
}

/** The way from an entry to a path: the files, entry first, and the import statements between them. */
export function chain(reached: Reached, path: string): { files: string[]; imports: Place[] } | undefined {
  if (!reached.has(path)) return undefined
  const files = [path]
  const imports: Place[] = []
  for (let at = reached.get(path); at; at = reached.get(at.from)) {
    files.unshift(at.from)
    imports.unshift({ path: at.from, line: at.line })
  }
  return { files, imports }
}
