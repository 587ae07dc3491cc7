/** A range of lines in a file of the repository. Lines are 1-based; `endLine` is inclusive and defaults to `line`. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly endLine?: number
}

/** Another place that belongs to the same cause, and what it is. */
export interface RelatedPlace extends Place {
  readonly subject?: string
  readonly what: string
}

/** Orders places by path (code units, so the order does not depend on a locale), then by line. */
export function comparePlaces(a: Place, b: Place): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line
}

/** The place and so many lines after it. */
export function linesFrom(at: Place, more: number): { readonly path: string; readonly line: number; readonly endLine: number } {
  return { path: at.path, line: at.line, endLine: at.line + more }
}

/** Whether a place begins within the lines of another one. */
export function isWithin(at: Place, { path, line, endLine = line }: Place): boolean {
  return at.path === path && at.line >= line && at.line <= endLine
}
