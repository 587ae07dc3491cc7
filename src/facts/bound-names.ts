import type { Pattern } from './javascript.ts'

/** Every name that a binding pattern declares: `{ a, b: [c], ...d }` gives `a`, `c`, `d`. */
export function boundNames(pattern: Pattern): string[] {
  switch (pattern.k) {
    case 'name':
      return [pattern.name]
    case 'object':
      return [...pattern.props.flatMap((p) => boundNames(p.to)), ...(pattern.rest ? [pattern.rest] : [])]
    case 'array':
      return [...pattern.items.flatMap((p) => (p ? boundNames(p) : [])), ...(pattern.rest ? [pattern.rest] : [])]
    case 'rest':
      return boundNames(pattern.to)
    case 'expr':
      return []
  }
}
