import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Problem } from '../../facts.ts'
import type { ConfigReading } from './config-reading.ts'
import { nesting as flowNesting, MAX_DEPTH } from './json.ts'

/** An alias may stand for this many nodes in all; more is an attack on the reader. */
const MAX_ALIASES = 200
const MAX_DOCUMENTS = 100

/** YAML 1.2 with merge keys. Several documents become an array of documents, their paths begin with the position. */
export function readYaml(text: string): ConfigReading {
  if (flowNesting(text) > MAX_DEPTH || /(?:[-?:] {1,4}){200}/.test(text))
    return { data: undefined, lines: {}, problems: [{ line: 1, message: `is nested deeper than ${MAX_DEPTH} levels` }] }
  const counter = new LineCounter()
  const problems: Problem[] = []
  const parsed = parseAllDocuments(text, { lineCounter: counter, merge: true, prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
  const documents = (Array.isArray(parsed) ? (parsed as Document[]) : []).slice(0, MAX_DOCUMENTS)
  const lines: Record<string, number> = {}
  const data: unknown[] = []
  documents.forEach((document, i) => {
    const error = document.errors[0]
    if (error) problems.push({ line: counter.linePos(error.pos[0]).line, message: 'is not valid YAML' })
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
      if (holdsItself(value, new Set(), new Set())) throw new Error('an alias stands for what holds it')
      data.push(value)
    } catch {
      problems.push({ line: 1, message: 'has aliases that expand without bound' })
      data.push(undefined)
    }
    walk(document.contents, documents.length > 1 ? String(i) : '', counter, lines, 0)
  })
  return { data: documents.length > 1 ? data : data[0], lines, problems: problems.slice(0, 3) }
}

function holdsItself(value: unknown, above: Set<object>, done: Set<object>): boolean {
  if (value === null || typeof value !== 'object' || done.has(value)) return false
  if (above.has(value)) return true
  above.add(value)
  const found = Object.values(value).some((inner) => holdsItself(inner, above, done))
  above.delete(value)
  done.add(value)
  return found
}

function walk(node: unknown, path: string, counter: LineCounter, lines: Record<string, number>, depth: number): void {
  if (depth > 100 || isAlias(node)) return
  if (isMap(node)) {
    for (const pair of node.items) {
      if (!isPair(pair) || !isScalar(pair.key)) continue
      const at = path ? `${path}.${String(pair.key.value)}` : String(pair.key.value)
      if (pair.key.range) lines[at] = counter.linePos(pair.key.range[0]).line
      walk(pair.value, at, counter, lines, depth + 1)
    }
  } else if (isSeq(node)) {
    node.items.forEach((item, i) => {
      const at = path ? `${path}.${i}` : String(i)
      const range = (item as { range?: [number, number, number] | null } | null)?.range
      if (range) lines[at] = counter.linePos(range[0]).line
      walk(item, at, counter, lines, depth + 1)
    })
  }
}
