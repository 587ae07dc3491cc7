import type { ts } from 'ts-morph'
import type { Expr, Pattern } from '../../javascript.ts'
import type { Lowering } from './lowering.ts'

/** A property name that is known; undefined for computed ones. */
export function propertyName(c: Lowering, name: ts.PropertyName): string | undefined {
  if (name.kind !== c.K.ComputedPropertyName) return name.text
  return c.ts.isStringLiteralLike(name.expression) || c.ts.isNumericLiteral(name.expression) ? name.expression.text : undefined
}

/** Lowers a binding name or the target of an assignment. */
export function lowerPattern(c: Lowering, node: ts.Node, init?: ts.Expression): Pattern {
  const { K } = c
  switch (node.kind) {
    case K.Identifier: {
      const name = (node as ts.Identifier).text
      return init ? { k: 'name', name, init: c.expression(init, name) } : { k: 'name', name }
    }
    case K.ObjectBindingPattern:
      return objectBinding(c, node as ts.ObjectBindingPattern, init)
    case K.ArrayBindingPattern:
      return arrayBinding(c, node as ts.ArrayBindingPattern, init)
  }
  return target(c, node, init)
}

function objectBinding(c: Lowering, node: ts.ObjectBindingPattern, init: ts.Expression | undefined): Pattern {
  const props: { key: string; to: Pattern }[] = []
  let rest: ts.BindingElement | undefined
  for (const e of node.elements) {
    if (e.dotDotDotToken) rest ??= e
    else {
      const key = e.propertyName ? propertyName(c, e.propertyName) : e.name.kind === c.K.Identifier ? e.name.text : undefined
      props.push({ key: key ?? '*', to: c.pattern(e.name, e.initializer) })
    }
  }
  return { k: 'object', props, ...restName(rest?.name), ...initial(c, init) }
}

function arrayBinding(c: Lowering, node: ts.ArrayBindingPattern, init: ts.Expression | undefined): Pattern {
  const { ts } = c
  const rest = node.elements.find((e) => !ts.isOmittedExpression(e) && e.dotDotDotToken)
  return {
    k: 'array',
    items: node.elements.filter((e) => e !== rest).map((e) => (ts.isOmittedExpression(e) ? null : c.pattern(e.name, e.initializer))),
    ...restName(rest && ts.isBindingElement(rest) ? rest.name : undefined),
    ...initial(c, init),
  }
}

function initial(c: Lowering, init: ts.Expression | undefined): { init?: Expr } {
  return init ? { init: c.expression(init) } : {}
}

/** Assignment targets are parsed as expressions. */
function target(c: Lowering, node: ts.Node, init: ts.Expression | undefined): Pattern {
  const { ts } = c
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) || ts.isSatisfiesExpression(node))
    return c.pattern(node.expression)
  if (ts.isObjectLiteralExpression(node)) {
    const rest = node.properties.find(ts.isSpreadAssignment)
    return {
      k: 'object',
      props: node.properties.flatMap((p) => {
        if (ts.isShorthandPropertyAssignment(p)) return [{ key: p.name.text, to: c.pattern(p.name, p.objectAssignmentInitializer) }]
        return ts.isPropertyAssignment(p) ? [{ key: propertyName(c, p.name) ?? '*', to: element(c, p.initializer) }] : []
      }),
      ...restName(rest?.expression),
      ...initial(c, init),
    }
  }
  if (ts.isArrayLiteralExpression(node)) {
    const rest = node.elements.find(ts.isSpreadElement)
    return {
      k: 'array',
      items: node.elements.filter((e) => e !== rest).map((e) => (ts.isOmittedExpression(e) ? null : element(c, e))),
      ...restName(rest?.expression),
      ...initial(c, init),
    }
  }
  return { k: 'expr', expr: c.expression(node) }
}

function element(c: Lowering, node: ts.Expression): Pattern {
  return c.ts.isBinaryExpression(node) && node.operatorToken.kind === c.ts.SyntaxKind.EqualsToken ? c.pattern(node.left, node.right) : c.pattern(node)
}

function restName(node: ts.Node | undefined): { rest?: string } {
  const name = (node as ts.Identifier | undefined)?.text
  return typeof name === 'string' ? { rest: name } : {}
}
