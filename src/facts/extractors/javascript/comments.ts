import type { ts } from 'ts-morph'
import type { CommentFact } from '../../javascript.ts'
import { findStarts } from '../../secrets/starts.ts'
import type { Lowering } from './lowering.ts'

const COMMENT_MARKER = /prelaunch-ignore|\b(?:TODO|FIXME|HACK|XXX|DEBUG)\b/y
const MAX_TEXT = 200
const MAX_COMMENTS = 500

/** Comments that speak to the audit or mark unfinished work. */
export function findComments(c: Lowering, original: string): CommentFact[] {
  const found: CommentFact[] = []
  for (const index of findStarts(original).remarks) {
    COMMENT_MARKER.lastIndex = index
    const marker = COMMENT_MARKER.exec(original)?.[0]
    if (!marker) continue
    if (found.length >= MAX_COMMENTS) break
    const inScript = c.text.startsWith(marker, index)
    if (inScript ? inToken(c, index) : !inMarkupComment(original, index)) continue
    const l = c.lineOf(index)
    if (found.at(-1)?.l === l) continue
    found.push({ text: commentText(c, original, index), l })
  }
  return found
}

/** True inside an identifier, a literal or JSX text; between tokens there are only comments. */
function inToken(c: Lowering, position: number): boolean {
  let node: ts.Node = c.file
  for (;;) {
    let inner: ts.Node | undefined
    // Missing nodes of a recovered parse are empty and hold nothing.
    c.ts.forEachChild(node, (child) => {
      if (child.pos <= position && position < child.end) inner = child
      return inner
    })
    if (!inner) break
    node = inner
  }
  if (node === c.file || node.kind === c.K.EndOfFileToken) return false
  let leaf = true
  c.ts.forEachChild(node, () => {
    leaf = false
    return true
  })
  return (
    leaf &&
    node.kind !== c.K.Block &&
    node.kind !== c.K.ModuleBlock &&
    node.kind !== c.K.JsxExpression &&
    node.kind !== c.K.ObjectLiteralExpression &&
    c.start(node) <= position
  )
}

function inMarkupComment(text: string, position: number): boolean {
  const open = text.lastIndexOf('<!--', position)
  return open !== -1 && text.indexOf('-->', open) >= position
}

function commentText(c: Lowering, text: string, position: number): string {
  const lineStart = text.lastIndexOf('\n', position - 1) + 1
  const lineEnd = text.indexOf('\n', position)
  let start = lineStart
  for (const open of ['//', '/*', '<!--', '#']) {
    const i = text.lastIndexOf(open, position)
    if (i >= lineStart && i + open.length > start) start = i + open.length
  }
  const end = lineEnd === -1 ? text.length : lineEnd
  const secret = c.secrets.find((s) => s.start < end && s.end > start)
  const raw = secret ? text.slice(start, Math.max(start, secret.start)) + secret.redacted : text.slice(start, Math.min(end, start + MAX_TEXT + 50))
  return raw
    .replace(/\*\/.*$|-->.*$/, '')
    .replace(/^[\s*/]+/, '')
    .trim()
    .slice(0, MAX_TEXT)
}
