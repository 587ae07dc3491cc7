import type { ts } from 'ts-morph'
import type { Expr, ObjectProp } from '../../javascript.ts'
import { recordDynamicImport, recordRequire } from './imports.ts'
import { lowerClass } from './lower-class.ts'
import { lowerJsx } from './lower-jsx.ts'
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

/** A string literal, redacted where it holds a secret. */
function stringLiteral(c: Lowering, node: ts.StringLiteral): Expr {
  const hidden = c.secrets.length > 0 ? redacted(c, node, 1, 1) : undefined
  if (hidden) return { k: 'lit', v: hidden.text, secret: hidden.kind, ...at(c, node) }
  const { l, e } = at(c, node)
  return e === undefined ? { k: 'lit', v: node.text, l } : { k: 'lit', v: node.text, l, e }
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

function handlers(ts: TypeScript): (Handler | undefined)[] {
  const K = ts.SyntaxKind
  const list: (Handler | undefined)[] = []
  const inner = (c: Lowering, node: { expression: ts.Expression } & ts.Node, name?: string) => c.expression(node.expression, name)
  const on = (kinds: readonly ts.SyntaxKind[], handler: Handler) => {
    for (const k of kinds) list[k] = handler
  }
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
  on([K.Identifier, K.PrivateIdentifier], ((c: Lowering, node: ts.Identifier) => {
    const name = node.text
    if (name === 'undefined') return { k: 'lit', l: c.line(node) }
    c.read.add(name)
    return { k: 'id', name, l: c.line(node) }
  }) as Handler)
  on([K.StringLiteral, K.NoSubstitutionTemplateLiteral], stringLiteral as Handler)
  on([K.NumericLiteral], ((c: Lowering, node: ts.NumericLiteral) => ({ k: 'lit', v: Number(node.text), l: c.line(node) })) as Handler)
  on([K.BigIntLiteral], ((c: Lowering, node: ts.BigIntLiteral) => ({ k: 'lit', v: node.text, l: c.line(node) })) as Handler)
  on([K.RegularExpressionLiteral], ((c: Lowering, node: ts.RegularExpressionLiteral) => ({ k: 'regex', v: node.text, l: c.line(node) })) as Handler)
  on([K.TrueKeyword], ((c: Lowering, node: ts.Node) => ({ k: 'lit', v: true, l: c.line(node) })) as Handler)
  on([K.FalseKeyword], ((c: Lowering, node: ts.Node) => ({ k: 'lit', v: false, l: c.line(node) })) as Handler)
  on([K.NullKeyword], ((c: Lowering, node: ts.Node) => ({ k: 'lit', v: null, l: c.line(node) })) as Handler)
  on([K.ThisKeyword], ((c: Lowering, node: ts.Node) => ({ k: 'this', l: c.line(node) })) as Handler)
  on([K.SuperKeyword], ((c: Lowering, node: ts.Node) => ({ k: 'super', l: c.line(node) })) as Handler)
  on([K.TemplateExpression], template as Handler)
  on([K.TaggedTemplateExpression], ((c: Lowering, node: ts.TaggedTemplateExpression) => ({
    k: 'tag',
    tag: c.expression(node.tag),
    tpl: asTemplate(c.expression(node.template)),
    ...at(c, node),
  })) as Handler)
  on([K.PropertyAccessExpression], ((c: Lowering, node: ts.PropertyAccessExpression) => {
    const of = c.expression(node.expression)
    const name = node.name.text
    // The line of the name: in a chain over several lines each call has its own.
    const l = c.line(node.name)
    return node.questionDotToken ? { k: 'mem', of, name, opt: true, l } : { k: 'mem', of, name, l }
  }) as Handler)
  on([K.ElementAccessExpression], elementAccess as Handler)
  on([K.CallExpression], call as Handler)
  on([K.NewExpression], ((c: Lowering, node: ts.NewExpression) => ({
    k: 'new',
    fn: c.expression(node.expression),
    args: expressions(c, node.arguments),
    ...at(c, node),
  })) as Handler)
  // `import.meta` is `meta` of an identifier `import`, which no program can declare; `new.target` likewise.
  on([K.MetaProperty], ((c: Lowering, node: ts.MetaProperty) => {
    const l = c.line(node)
    return { k: 'mem', of: { k: 'id', name: node.keywordToken === K.ImportKeyword ? 'import' : 'new', l }, name: node.name.text, l }
  }) as Handler)
  on([K.ArrowFunction, K.FunctionExpression], ((c: Lowering, node: ts.ArrowFunction, name?: string) => ({
    k: 'fn',
    fn: c.fn(node, node.name ? (node.name as ts.Identifier).text : name),
    ...at(c, node),
  })) as Handler)
  on([K.ClassExpression], ((c: Lowering, node: ts.ClassExpression) => ({ k: 'class', class: lowerClass(c, node), ...at(c, node) })) as Handler)
  on([K.ObjectLiteralExpression], ((c: Lowering, node: ts.ObjectLiteralExpression) => {
    const props = objectProps(c, node)
    const { l, e } = at(c, node)
    return e === undefined ? { k: 'obj', props, l } : { k: 'obj', props, l, e }
  }) as Handler)
  on([K.ArrayLiteralExpression], ((c: Lowering, node: ts.ArrayLiteralExpression) => ({
    k: 'arr',
    items: expressions(c, node.elements),
    ...at(c, node),
  })) as Handler)
  on([K.OmittedExpression], ((c: Lowering, node: ts.Node) => ({ k: 'lit', l: c.line(node) })) as Handler)
  on([K.SpreadElement], ((c: Lowering, node: ts.SpreadElement) => ({ k: 'spread', of: c.expression(node.expression), l: c.line(node) })) as Handler)
  on([K.BinaryExpression], binary as Handler)
  on([K.PrefixUnaryExpression, K.PostfixUnaryExpression], ((c: Lowering, node: ts.PrefixUnaryExpression) => {
    const op = ts.tokenToString(node.operator) as '!'
    const of = c.expression(node.operand)
    if ((op as string) === '-' && of.k === 'lit' && typeof of.v === 'number') return { k: 'lit', v: -of.v, l: of.l }
    return { k: 'un', op, of, ...at(c, node) }
  }) as Handler)
  const keyword = (op: 'typeof' | 'void' | 'delete') =>
    ((c: Lowering, node: ts.TypeOfExpression) => ({ k: 'un', op, of: c.expression(node.expression), ...at(c, node) })) as Handler
  on([K.TypeOfExpression], keyword('typeof'))
  on([K.VoidExpression], keyword('void'))
  on([K.DeleteExpression], keyword('delete'))
  on([K.ConditionalExpression], ((c: Lowering, node: ts.ConditionalExpression) => ({
    k: 'cond',
    test: c.expression(node.condition),
    then: c.expression(node.whenTrue),
    else: c.expression(node.whenFalse),
    ...at(c, node),
  })) as Handler)
  on([K.AwaitExpression], ((c: Lowering, node: ts.AwaitExpression, name?: string) => ({
    k: 'await',
    of: c.expression(node.expression, name),
    ...at(c, node),
  })) as Handler)
  on([K.YieldExpression], ((c: Lowering, node: ts.YieldExpression) =>
    node.expression ? { k: 'yield', of: c.expression(node.expression), ...at(c, node) } : { k: 'yield', ...at(c, node) }) as Handler)
  on([K.JsxElement, K.JsxSelfClosingElement, K.JsxFragment], lowerJsx as Handler)
  on([K.JsxExpression], ((c: Lowering, node: ts.JsxExpression) => (node.expression ? c.expression(node.expression) : { k: 'lit', l: c.line(node) })) as Handler)
  return list
}

function expressions(c: Lowering, nodes: readonly ts.Node[] | undefined): Expr[] {
  return nodes ? nodes.map((n) => c.expression(n)) : []
}

function template(c: Lowering, node: ts.TemplateExpression): Expr {
  // A part of a template starts with ` or } and ends with ${ or `.
  const hide = (part: ts.Node & { text: string }, close: number) => (c.secrets.length > 0 ? (redacted(c, part, 1, close)?.text ?? part.text) : part.text)
  return {
    k: 'tpl',
    quasis: [hide(node.head, 2), ...node.templateSpans.map((s) => hide(s.literal, s.literal.kind === c.ts.SyntaxKind.TemplateTail ? 1 : 2))],
    exprs: node.templateSpans.map((s) => c.expression(s.expression)),
    ...at(c, node),
  }
}

/** A tagged template without holes parses as a literal; consumers want one shape. */
function asTemplate(e: Expr): Expr {
  return e.k === 'lit' ? { k: 'tpl', quasis: [String(e.v)], exprs: [], l: e.l, ...(e.e ? { e: e.e } : {}) } : e
}

function elementAccess(c: Lowering, node: ts.ElementAccessExpression): Expr {
  const argument = node.argumentExpression as ts.Expression | undefined
  const of = c.expression(node.expression)
  const opt = node.questionDotToken ? { opt: true as const } : {}
  if (argument && c.ts.isStringLiteralLike(argument)) return { k: 'mem', of, name: argument.text, ...opt, l: c.line(argument) }
  return { k: 'idx', of, index: argument ? c.expression(argument) : { k: 'opaque', l: c.line(node) }, ...opt, ...at(c, node) }
}

function call(c: Lowering, node: ts.CallExpression): Expr {
  const K = c.ts.SyntaxKind
  const first = node.arguments[0]
  if (node.expression.kind === K.ImportKeyword) {
    if (first && c.ts.isStringLiteralLike(first)) recordDynamicImport(c, node, first.text)
    return { k: 'import', from: first ? c.expression(first) : { k: 'opaque', l: c.line(node) }, ...at(c, node) }
  }
  if (first && node.expression.kind === K.Identifier && (node.expression as ts.Identifier).text === 'require' && c.ts.isStringLiteralLike(first))
    recordRequire(c, node, first.text)
  const fn = c.expression(node.expression)
  const args = expressions(c, node.arguments)
  // A chain starts on its first line, but the call that a reader looks for is where its own name stands.
  const l = fn.k === 'mem' ? fn.l : c.line(node)
  const e = c.endLine(node)
  if (node.questionDotToken) return { k: 'call', fn, args, opt: true, l, ...(e === l ? {} : { e }) }
  return e === l ? { k: 'call', fn, args, l } : { k: 'call', fn, args, l, e }
}

function binary(c: Lowering, node: ts.BinaryExpression, name?: string): Expr {
  const K = c.ts.SyntaxKind
  const kind = node.operatorToken.kind
  if (kind >= K.FirstAssignment && kind <= K.LastAssignment) {
    const to = c.pattern(node.left)
    const hint = to.k === 'name' ? to.name : to.k === 'expr' && to.expr.k === 'mem' ? to.expr.name : undefined
    return { k: 'assign', op: c.ts.tokenToString(kind) as string, to, value: c.expression(node.right, hint), ...at(c, node) }
  }
  if (kind === K.CommaToken) return { k: 'seq', items: spine(c, node, kind).map((n) => c.expression(n)), ...at(c, node) }
  // `a + b + c + …` leans left as deep as it is long: walk the spine in a loop.
  const operators: { node: ts.BinaryExpression; op: string }[] = []
  let left: ts.Expression = node
  while (left.kind === K.BinaryExpression) {
    const b = left as ts.BinaryExpression
    const k = b.operatorToken.kind
    if ((k >= K.FirstAssignment && k <= K.LastAssignment) || k === K.CommaToken) break
    operators.push({ node: b, op: c.ts.tokenToString(k) as string })
    left = b.left
  }
  if (operators.length + c.depth > MAX_DEPTH) {
    c.tooDeepAt ??= c.line(node)
    return { k: 'opaque', l: c.line(node) }
  }
  let result = c.expression(left, name)
  for (let i = operators.length - 1; i >= 0; i--) {
    const { node: b, op } = operators[i] as { node: ts.BinaryExpression; op: string }
    const right = c.expression(b.right, name)
    result =
      op === '&&' || op === '||' || op === '??' ? { k: 'logic', op, a: result, b: right, ...at(c, b) } : { k: 'bin', op, a: result, b: right, ...at(c, b) }
  }
  return result
}

function spine(c: Lowering, node: ts.BinaryExpression, operator: ts.SyntaxKind): ts.Expression[] {
  const items: ts.Expression[] = []
  let left: ts.Expression = node
  while (left.kind === c.ts.SyntaxKind.BinaryExpression && (left as ts.BinaryExpression).operatorToken.kind === operator) {
    items.push((left as ts.BinaryExpression).right)
    left = (left as ts.BinaryExpression).left
  }
  items.push(left)
  return items.reverse()
}

function objectProps(c: Lowering, node: ts.ObjectLiteralExpression): ObjectProp[] {
  const { ts } = c
  return node.properties.map((p): ObjectProp => {
    const l = c.line(p)
    if (ts.isSpreadAssignment(p)) return { spread: true, value: c.expression(p.expression), l }
    if (ts.isShorthandPropertyAssignment(p)) return { key: p.name.text, value: c.expression(p.name), l }
    const key = propertyName(c, p.name)
    const value: Expr = ts.isPropertyAssignment(p) ? c.expression(p.initializer, key) : { k: 'fn', fn: c.fn(p as ts.MethodDeclaration, key), ...at(c, p) }
    if (key !== undefined) return { key, value, l }
    return { computed: c.expression((p.name as ts.ComputedPropertyName).expression), value, l }
  })
}
