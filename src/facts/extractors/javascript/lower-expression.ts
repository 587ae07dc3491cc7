import type { ts } from 'ts-morph'
import type { Expr, ObjectProp } from '../../javascript.ts'
import { recordDynamicImport, recordRequire } from './imports.ts'
import { lowerClass } from './lower-class.ts'
import { lowerJsx } from './lower-jsx.ts'
import { lowerTaggedTemplate, lowerTemplate, stringLiteral } from './lower-literal.ts'
import { propertyName } from './lower-pattern.ts'
import { at, type Lowering, MAX_DEPTH } from './lowering.ts'
import { type TypeScript, typescript } from './typescript.ts'

type Handler = (c: Lowering, node: never, name?: string) => Expr

let table: (Handler | undefined)[] | undefined

/** Lowers an expression. `name` is what the value gets called by the place where it stands. */
export function lowerExpression(c: Lowering, node: ts.Node, name?: string): Expr {
  table ??= handlers(typescript())
  const handler = table[node.kind]
  if (!handler) return { k: 'opaque', ...at(c, node) }
  if (c.depth >= MAX_DEPTH) {
    c.tooDeepAt ??= c.line(node)
    return { k: 'opaque', l: c.line(node) }
  }
  c.depth++
  const result = handler(c, node as never, name)
  c.depth--
  return result
}

function handlers(ts: TypeScript): (Handler | undefined)[] {
  const K = ts.SyntaxKind
  const list: (Handler | undefined)[] = []
  const on = (kinds: readonly ts.SyntaxKind[], handler: Handler) => {
    for (const k of kinds) list[k] = handler
  }
  const inner = (c: Lowering, node: { expression: ts.Expression } & ts.Node, name?: string) => c.expression(node.expression, name)
  on(
    [
      K.ParenthesizedExpression,
      K.AsExpression,
      K.SatisfiesExpression,
      K.NonNullExpression,
      K.TypeAssertionExpression,
      K.ExpressionWithTypeArguments,
      K.PartiallyEmittedExpression,
    ],
    inner as Handler,
  )
  on([K.Identifier, K.PrivateIdentifier], identifier as Handler)
  on([K.StringLiteral, K.NoSubstitutionTemplateLiteral], stringLiteral as Handler)
  on([K.NumericLiteral], (c: Lowering, node: ts.NumericLiteral) => ({ k: 'lit', v: Number(node.text), l: c.line(node) }))
  on([K.BigIntLiteral], (c: Lowering, node: ts.BigIntLiteral) => ({ k: 'lit', v: node.text, l: c.line(node) }))
  on([K.RegularExpressionLiteral], (c: Lowering, node: ts.RegularExpressionLiteral) => ({ k: 'regex', v: node.text, l: c.line(node) }))
  on([K.TrueKeyword], (c: Lowering, node: ts.Node) => ({ k: 'lit', v: true, l: c.line(node) }))
  on([K.FalseKeyword], (c: Lowering, node: ts.Node) => ({ k: 'lit', v: false, l: c.line(node) }))
  on([K.NullKeyword], (c: Lowering, node: ts.Node) => ({ k: 'lit', v: null, l: c.line(node) }))
  on([K.ThisKeyword], (c: Lowering, node: ts.Node) => ({ k: 'this', l: c.line(node) }))
  on([K.SuperKeyword], (c: Lowering, node: ts.Node) => ({ k: 'super', l: c.line(node) }))
  on([K.TemplateExpression], lowerTemplate as Handler)
  on([K.TaggedTemplateExpression], lowerTaggedTemplate as Handler)
  on([K.PropertyAccessExpression], propertyAccess as Handler)
  on([K.ElementAccessExpression], elementAccess as Handler)
  on([K.CallExpression], call as Handler)
  on([K.NewExpression], newExpression as Handler)
  on([K.MetaProperty], metaProperty as Handler)
  on([K.ArrowFunction, K.FunctionExpression], functionExpression as Handler)
  on([K.ClassExpression], (c: Lowering, node: ts.ClassExpression) => ({ k: 'class', class: lowerClass(c, node), ...at(c, node) }))
  on([K.ObjectLiteralExpression], objectLiteral as Handler)
  on([K.ArrayLiteralExpression], arrayLiteral as Handler)
  on([K.OmittedExpression], (c: Lowering, node: ts.Node) => ({ k: 'lit', l: c.line(node) }))
  on([K.SpreadElement], (c: Lowering, node: ts.SpreadElement) => ({ k: 'spread', of: c.expression(node.expression), l: c.line(node) }))
  on([K.BinaryExpression], binary as Handler)
  on([K.PrefixUnaryExpression, K.PostfixUnaryExpression], unary as Handler)
  on([K.TypeOfExpression], keyword('typeof'))
  on([K.VoidExpression], keyword('void'))
  on([K.DeleteExpression], keyword('delete'))
  on([K.ConditionalExpression], conditional as Handler)
  on([K.AwaitExpression], awaited as Handler)
  on([K.YieldExpression], (c: Lowering, node: ts.YieldExpression) =>
    node.expression ? { k: 'yield', of: c.expression(node.expression), ...at(c, node) } : { k: 'yield', ...at(c, node) },
  )
  on([K.JsxElement, K.JsxSelfClosingElement, K.JsxFragment], lowerJsx as Handler)
  on([K.JsxExpression], (c: Lowering, node: ts.JsxExpression) => (node.expression ? c.expression(node.expression) : { k: 'lit', l: c.line(node) }))
  return list
}

function identifier(c: Lowering, node: ts.Identifier): Expr {
  const name = node.text
  const l = c.line(node)
  if (name === 'undefined') return { k: 'lit', l }
  c.reads(name)
  return { k: 'id', name, l }
}

function propertyAccess(c: Lowering, node: ts.PropertyAccessExpression): Expr {
  const of = c.expression(node.expression)
  const name = node.name.text
  // The line of the name: in a chain over several lines each call has its own.
  const l = c.line(node.name)
  return node.questionDotToken ? { k: 'mem', of, name, opt: true, l } : { k: 'mem', of, name, l }
}

/** `import.meta` is `meta` of an identifier `import`, which no program can declare; `new.target` likewise. */
function metaProperty(c: Lowering, node: ts.MetaProperty): Expr {
  const l = c.line(node)
  return { k: 'mem', of: { k: 'id', name: node.keywordToken === c.K.ImportKeyword ? 'import' : 'new', l }, name: node.name.text, l }
}

function functionExpression(c: Lowering, node: ts.ArrowFunction | ts.FunctionExpression, name?: string): Expr {
  const l = c.line(node)
  const fn = c.fn(node, node.name ? (node.name as ts.Identifier).text : name)
  const e = c.endLine(node)
  return e === l ? { k: 'fn', fn, l } : { k: 'fn', fn, l, e }
}

function newExpression(c: Lowering, node: ts.NewExpression): Expr {
  const l = c.line(node)
  const fn = c.expression(node.expression)
  const args = expressions(c, node.arguments)
  const e = c.endLine(node)
  return e === l ? { k: 'new', fn, args, l } : { k: 'new', fn, args, l, e }
}

function objectLiteral(c: Lowering, node: ts.ObjectLiteralExpression): Expr {
  const l = c.line(node)
  const props = objectProps(c, node)
  const e = c.endLine(node)
  return e === l ? { k: 'obj', props, l } : { k: 'obj', props, l, e }
}

function arrayLiteral(c: Lowering, node: ts.ArrayLiteralExpression): Expr {
  const l = c.line(node)
  const items = expressions(c, node.elements)
  const e = c.endLine(node)
  return e === l ? { k: 'arr', items, l } : { k: 'arr', items, l, e }
}

function unary(c: Lowering, node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Expr {
  const l = c.line(node)
  const op = operatorText(c, node.operator) as '!'
  const of = c.expression(node.operand)
  if ((op as string) === '-' && of.k === 'lit' && typeof of.v === 'number') return { k: 'lit', v: -of.v, l: of.l }
  const e = c.endLine(node)
  return e === l ? { k: 'un', op, of, l } : { k: 'un', op, of, l, e }
}

function keyword(op: 'typeof' | 'void' | 'delete'): Handler {
  return (c: Lowering, node: ts.TypeOfExpression) => ({ k: 'un', op, of: c.expression(node.expression), ...at(c, node) })
}

function conditional(c: Lowering, node: ts.ConditionalExpression): Expr {
  const l = c.line(node)
  const test = c.expression(node.condition)
  const then = c.expression(node.whenTrue)
  const otherwise = c.expression(node.whenFalse)
  const e = c.endLine(node)
  return e === l ? { k: 'cond', test, then, else: otherwise, l } : { k: 'cond', test, then, else: otherwise, l, e }
}

function awaited(c: Lowering, node: ts.AwaitExpression, name?: string): Expr {
  const l = c.line(node)
  const of = c.expression(node.expression, name)
  const e = c.endLine(node)
  return e === l ? { k: 'await', of, l } : { k: 'await', of, l, e }
}

function expressions(c: Lowering, nodes: readonly ts.Node[] | undefined): Expr[] {
  return nodes ? nodes.map((n) => c.expression(n)) : []
}

function elementAccess(c: Lowering, node: ts.ElementAccessExpression): Expr {
  const argument = node.argumentExpression as ts.Expression | undefined
  const of = c.expression(node.expression)
  const opt = node.questionDotToken ? { opt: true as const } : {}
  if (argument && c.ts.isStringLiteralLike(argument)) return { k: 'mem', of, name: argument.text, ...opt, l: c.line(argument) }
  return { k: 'idx', of, index: argument ? c.expression(argument) : { k: 'opaque', l: c.line(node) }, ...opt, ...at(c, node) }
}

function call(c: Lowering, node: ts.CallExpression): Expr {
  const { K } = c
  const callee = node.expression
  const first = node.arguments[0]
  if (callee.kind === K.ImportKeyword) {
    if (first && c.ts.isStringLiteralLike(first)) recordDynamicImport(c, node, first.text)
    return { k: 'import', from: first ? c.expression(first) : { k: 'opaque', l: c.line(node) }, ...at(c, node) }
  }
  if (first && callee.kind === K.Identifier && (callee as ts.Identifier).text === 'require' && c.ts.isStringLiteralLike(first))
    recordRequire(c, node, first.text)
  const start = c.line(node)
  const fn = c.expression(callee)
  // A chain starts on its first line, but the call that a reader looks for is where its own name stands.
  const l = fn.k === 'mem' ? fn.l : start
  const args = expressions(c, node.arguments)
  const e = c.endLine(node)
  if (node.questionDotToken) return { k: 'call', fn, args, opt: true, l, ...(e === l ? {} : { e }) }
  return e === l ? { k: 'call', fn, args, l } : { k: 'call', fn, args, l, e }
}

function binary(c: Lowering, node: ts.BinaryExpression, name?: string): Expr {
  const { K } = c
  const kind = node.operatorToken.kind
  if (kind >= K.FirstAssignment && kind <= K.LastAssignment) {
    const to = c.pattern(node.left)
    const hint = to.k === 'name' ? to.name : to.k === 'expr' && to.expr.k === 'mem' ? to.expr.name : undefined
    return { k: 'assign', op: operatorText(c, kind), to, value: c.expression(node.right, hint), ...at(c, node) }
  }
  if (kind === K.CommaToken) return { k: 'seq', items: spine(c, node, kind).map((n) => c.expression(n)), ...at(c, node) }
  // `a + b + c + …` leans left as deep as it is long: walk the spine in a loop.
  const operators: ts.BinaryExpression[] = []
  let left: ts.Expression = node
  while (left.kind === K.BinaryExpression) {
    const b = left as ts.BinaryExpression
    const k = b.operatorToken.kind
    if ((k >= K.FirstAssignment && k <= K.LastAssignment) || k === K.CommaToken) break
    operators.push(b)
    left = b.left
  }
  // Each of them starts where the leftmost does.
  const l = c.line(left)
  if (operators.length + c.depth > MAX_DEPTH) {
    c.tooDeepAt ??= l
    return { k: 'opaque', l }
  }
  let result = c.expression(left, name)
  for (let i = operators.length - 1; i >= 0; i--) {
    const b = operators[i] as ts.BinaryExpression
    result = combined(operatorText(c, b.operatorToken.kind), result, c.expression(b.right, name), l, c.endLine(b))
  }
  return result
}

function combined(op: string, a: Expr, b: Expr, l: number, e: number): Expr {
  if (op === '&&' || op === '||' || op === '??') return e === l ? { k: 'logic', op, a, b, l } : { k: 'logic', op, a, b, l, e }
  return e === l ? { k: 'bin', op, a, b, l } : { k: 'bin', op, a, b, l, e }
}

const operatorTexts: string[] = []

function operatorText(c: Lowering, kind: ts.SyntaxKind): string {
  operatorTexts[kind] ??= c.ts.tokenToString(kind) as string
  return operatorTexts[kind]
}

function spine(c: Lowering, node: ts.BinaryExpression, operator: ts.SyntaxKind): ts.Expression[] {
  const items: ts.Expression[] = []
  let left: ts.Expression = node
  while (left.kind === c.K.BinaryExpression && (left as ts.BinaryExpression).operatorToken.kind === operator) {
    items.push((left as ts.BinaryExpression).right)
    left = (left as ts.BinaryExpression).left
  }
  items.push(left)
  return items.reverse()
}

function objectProps(c: Lowering, node: ts.ObjectLiteralExpression): ObjectProp[] {
  const { K } = c
  return node.properties.map((p): ObjectProp => {
    const l = c.line(p)
    if (p.kind === K.SpreadAssignment) return { spread: true, value: c.expression(p.expression), l }
    if (p.kind === K.ShorthandPropertyAssignment) return { key: p.name.text, value: c.expression(p.name), l }
    const key = propertyName(c, p.name)
    const value: Expr = p.kind === K.PropertyAssignment ? c.expression(p.initializer, key) : { k: 'fn', fn: c.fn(p, key), ...at(c, p) }
    const how = p.kind === K.GetAccessor ? ({ how: 'get' } as const) : p.kind === K.SetAccessor ? ({ how: 'set' } as const) : {}
    return key === undefined ? { computed: c.expression((p.name as ts.ComputedPropertyName).expression), ...how, value, l } : { key, ...how, value, l }
  })
}
