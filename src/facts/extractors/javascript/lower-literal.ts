import type { ts } from 'ts-morph'
import type { Expr } from '../../javascript.ts'
import { at, type Lowering } from './lowering.ts'

/** A string literal, redacted where it holds a secret. */
export function stringLiteral(c: Lowering, node: ts.StringLiteral): Expr {
  const hidden = c.secrets.length > 0 ? redacted(c, node, 1, 1) : undefined
  if (hidden) return { k: 'lit', v: hidden.text, secret: hidden.kind, ...at(c, node) }
  const l = c.line(node)
  const e = c.endLine(node)
  return e === l ? { k: 'lit', v: node.text, l } : { k: 'lit', v: node.text, l, e }
}

/** The source of a literal with its secrets cut down to what may be shown; undefined when it holds none. */
function redacted(c: Lowering, node: ts.Node, open: number, close: number): { text: string; kind: string } | undefined {
  const start = c.start(node) + open
  const end = node.end - close
  const inside = c.secrets.filter((s) => s.start < end && s.end > start)
  const first = inside[0]
  if (!first) return undefined
  let text = ''
  let at = start
  for (const s of inside) {
    text += c.text.slice(at, Math.max(at, s.start)) + s.redacted
    at = Math.max(at, s.end)
  }
  return { text: text + c.text.slice(at, Math.max(at, end)), kind: first.kind }
}

/** Lowers a template with holes. */
export function lowerTemplate(c: Lowering, node: ts.TemplateExpression): Expr {
  const l = c.line(node)
  const quasis = [templateText(c, node.head), ...node.templateSpans.map((s) => templateText(c, s.literal))]
  const exprs = node.templateSpans.map((s) => c.expression(s.expression))
  const e = c.endLine(node)
  return e === l ? { k: 'tpl', quasis, exprs, l } : { k: 'tpl', quasis, exprs, l, e }
}

/** The text of a part of a template, which starts with ` or } and ends with ${ or `. */
function templateText(c: Lowering, part: ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail): string {
  const hidden = c.secrets.length > 0 ? redacted(c, part, 1, part.kind === c.K.TemplateTail ? 1 : 2) : undefined
  return hidden?.text ?? part.text
}

/** Lowers a tagged template. */
export function lowerTaggedTemplate(c: Lowering, node: ts.TaggedTemplateExpression): Expr {
  return { k: 'tag', tag: c.expression(node.tag), tpl: asTemplate(c.expression(node.template)), ...at(c, node) }
}

/** A tagged template without holes parses as a literal; consumers want one shape. */
function asTemplate(e: Expr): Expr {
  return e.k === 'lit' ? { k: 'tpl', quasis: [String(e.v)], exprs: [], l: e.l, ...(e.e ? { e: e.e } : {}) } : e
}
