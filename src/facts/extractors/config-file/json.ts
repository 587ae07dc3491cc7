import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { lineFinder } from '../../../lib/line-finder.ts'
import type { ConfigReading } from './config-reading.ts'

/** Brackets below this depth are not followed: no configuration nests so deep, and the parser recurses. */
export const MAX_DEPTH = 200

/** JSON with comments and trailing commas. */
export function readJson(text: string): ConfigReading {
  if (nesting(text) > MAX_DEPTH) return { data: undefined, lines: {}, problems: [{ line: 1, message: `is nested deeper than ${MAX_DEPTH} levels` }] }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const lineOf = lineFinder(text)
  const lines: Record<string, number> = {}
  if (root) walk(root, '', lineOf, lines)
  const problems = errors.slice(0, 1).map((e) => ({ line: lineOf(e.offset), message: 'is not valid JSON' }))
  return { data: root ? getNodeValue(root) : undefined, lines, problems }
}

function walk(node: Node, path: string, lineOf: (offset: number) => number, lines: Record<string, number>): void {
  if (node.type === 'object') {
    for (const property of node.children ?? []) {
      const [key, value] = property.children ?? []
      if (!key) continue
      const at = path ? `${path}.${key.value}` : String(key.value)
      lines[at] = lineOf(key.offset)
      if (value) walk(value, at, lineOf, lines)
    }
  } else if (node.type === 'array') {
    node.children?.forEach((child, i) => {
      const at = path ? `${path}.${i}` : String(i)
      lines[at] = lineOf(child.offset)
      walk(child, at, lineOf, lines)
    })
  }
}

/** The deepest nesting of brackets, strings not told apart: an upper bound. */
export function nesting(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 91 || c === 123) deepest = Math.max(deepest, ++depth)
    else if (c === 93 || c === 125) depth--
  }
  return deepest
}
