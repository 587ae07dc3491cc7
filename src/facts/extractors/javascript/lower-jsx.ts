import type { ts } from 'ts-morph'
import type { Expr, ObjectProp } from '../../javascript.ts'
import { at, exact, type Lowering } from './lowering.ts'

/** Lowers JSX elements and fragments; text is dropped. */
export function lowerJsx(c: Lowering, node: ts.JsxElement | ts.JsxSelfClosingElement | ts.JsxFragment): Expr {
  const { K } = c
  if (node.kind === K.JsxFragment) return { k: 'jsx', tag: null, attrs: [], children: children(c, node.children), ...at(c, node) }
  const l = c.line(node)
  const opening = node.kind === K.JsxElement ? node.openingElement : node
  const tag = tagName(c, opening.tagName)
  const attrs: ObjectProp[] = []
  for (const a of opening.attributes.properties) attribute(c, a, attrs)
  const inside = node.kind === K.JsxElement ? children(c, node.children) : []
  const e = c.endLine(node)
  return e === l ? { k: 'jsx', tag, attrs: exact(attrs), children: inside, l } : { k: 'jsx', tag, attrs: exact(attrs), children: inside, l, e }
}

function tagName(c: Lowering, name: ts.JsxTagNameExpression): string | Expr {
  if (name.kind === c.K.JsxNamespacedName) return `${name.namespace.text}:${name.name.text}`
  // Lower-case names are elements of the platform, also `my-element`.
  return name.kind === c.K.Identifier && /^[a-z]/.test(name.text) ? name.text : c.expression(name)
}

/** How something looks decides nothing: half of the text of a user interface is left out by its attributes' names. */
const LOOKS = new Set(
  'className class style d fill stroke strokeWidth strokeLinecap strokeLinejoin fillRule clipRule clipPath viewBox xmlns points cx cy r rx ry x1 x2 y1 y2 transform width height'.split(
    ' ',
  ),
)

function attribute(c: Lowering, node: ts.JsxAttributeLike, out: ObjectProp[]): void {
  const { K } = c
  const l = c.line(node)
  if (node.kind === K.JsxSpreadAttribute) {
    out.push({ spread: true, value: c.expression(node.expression), l })
    return
  }
  const key = node.name.kind === K.Identifier ? node.name.text : `${node.name.namespace.text}:${node.name.name.text}`
  const initializer = node.initializer
  if (LOOKS.has(key)) {
    // Lowered all the same unless it is a plain string: what it reads keeps imports alive.
    if (initializer && initializer.kind !== K.StringLiteral) c.expression(initializer, key)
    return
  }
  out.push({ key, value: initializer ? c.expression(initializer, key) : { k: 'lit', v: true, l }, l })
}

function children(c: Lowering, nodes: readonly ts.JsxChild[]): Expr[] {
  const { K } = c
  const lowered: Expr[] = []
  for (const n of nodes) if (n.kind !== K.JsxText && (n.kind !== K.JsxExpression || n.expression)) lowered.push(c.expression(n))
  return exact(lowered)
}
