import type { ts } from 'ts-morph'
import type { Expr, Pattern } from '../../javascript.ts'
import type { Lowering } from './lowering.ts'

/** A property name that is known; undefined for computed ones. */
export function propertyName(c: Lowering, name: ts.PropertyName): string | undefined {
  if (!c.ts.isComputedPropertyName(name)) return name.text
  return c.ts.isStringLiteralLike(name.expression) || c.ts.isNumericLiteral(name.expression) ? name.expression.text : undefined
}

/** Lowers a binding name or the target of an assignment. */
export function lowerPattern(c: Lowering, node: ts.Node, init?: ts.Expression): Pattern {
  const { ts } = c
  const value = (name?: string): { init?: Expr } => (init ? { init: c.expression(init, name) } : {})
  if (ts.isIdentifier(node)) return { k: 'name', name: node.text, ...value(node.text) }
  if (ts.isObjectBindingPattern(node)) {
    const props = node.elements.filter((e) => !e.dotDotDotToken)
    return {
      k: 'object',
      props: props.map((e) => ({
        key: (e.propertyName ? propertyName(c, e.propertyName) : ts.isIdentifier(e.name) ? e.name.text : undefined) ?? '*',
        to: c.pattern(e.name, e.initializer),
      })),
      ...restName(node.elements.find((e) => e.dotDotDotToken)?.name),
      ...value(),
    }
  }
  if (ts.isArrayBindingPattern(node)) {
    const rest = node.elements.find((e) => !ts.isOmittedExpression(e) && e.dotDotDotToken)
    return {
      k: 'array',
      items: node.elements.filter((e) => e !== rest).map((e) => (ts.isOmittedExpression(e) ? null : c.pattern(e.name, e.initializer))),
      ...restName(rest && ts.isBindingElement(rest) ? rest.name : undefined),
      ...value(),
    }
  }
  return target(c, node, value)
}

/** Assignment targets are parsed as expressions. */
function target(c: Lowering, node: ts.Node, value: (name?: string) => { init?: Expr }): Pattern {
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
      ...value(),
    }
  }
  if (ts.isArrayLiteralExpression(node)) {
    const rest = node.elements.find(ts.isSpreadElement)
    return {
      k: 'array',
      items: node.elements.filter((e) => e !== rest).map((e) => (ts.isOmittedExpression(e) ? null : element(c, e))),
      ...restName(rest?.expression),
      ...value(),
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

/** Every name that a pattern binds. */
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
