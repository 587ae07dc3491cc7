import type { Term } from './predicate.ts'

/** Whether an equation of terms ties two different things to each other. */
export function connectable(terms: readonly Term[]): boolean {
  return new Set(terms.map(nodeOf).filter(Boolean)).size > 1
}

/** What a term stands for in the graph: an instance of a table, an argument, the caller; empty for all that ties nothing. */
export function nodeOf(term: Term): string {
  if (term.t === 'column') return `i${term.instance}`
  if (term.t === 'argument') return `a${term.name}`
  if (term.t === 'caller') return term.part === 'user' ? 'editable' : term.part === 'role' || term.part === 'database-role' ? '' : 'caller'
  return ''
}

/** Which tables, arguments and the caller a way equates with each other. */
export class Graph {
  readonly #edges = new Map<string, Set<string>>()

  connect(nodes: readonly string[]): void {
    const distinct = [...new Set(nodes)].filter(Boolean)
    for (const a of distinct) {
      const set = this.#edges.get(a) ?? new Set()
      for (const b of distinct) set.add(b)
      this.#edges.set(a, set)
    }
  }

  reach(from: string): Set<string> {
    const seen = new Set([from])
    const queue = [from]
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const next of this.#edges.get(at) ?? []) {
        if (seen.has(next)) continue
        seen.add(next)
        queue.push(next)
      }
    }
    return seen
  }
}
