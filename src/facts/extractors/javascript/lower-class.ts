import type { ts } from 'ts-morph'
import type { ClassIR, Expr } from '../../javascript.ts'
import { propertyName } from './lower-pattern.ts'
import type { Lowering } from './lowering.ts'

type Member = ClassIR['members'][number]

/** Lowers a class: what it extends, its members with their decorators. */
export function lowerClass(c: Lowering, node: ts.ClassLikeDeclaration): ClassIR {
  const parent = node.heritageClauses?.find((h) => h.token === c.ts.SyntaxKind.ExtendsKeyword)?.types[0]
  return {
    ...(parent ? { extends: c.expression(parent.expression) } : {}),
    decorators: decorators(c, node),
    members: node.members.flatMap((m) => member(c, m)),
  }
}

function member(c: Lowering, m: ts.ClassElement): Member[] {
  const { ts } = c
  const common = { decorators: decorators(c, m), l: c.line(m), ...(isStatic(c, m) ? { static: true as const } : {}) }
  if (ts.isClassStaticBlockDeclaration(m)) return [{ name: 'static', how: 'method', static: true, fn: c.fn(m as never, 'static'), decorators: [], l: common.l }]
  if (ts.isPropertyDeclaration(m)) {
    const name = propertyName(c, m.name) ?? '*'
    return [{ name, how: 'field', ...(m.initializer ? { value: c.expression(m.initializer, name) } : {}), ...common }]
  }
  if (!ts.isConstructorDeclaration(m) && !ts.isMethodDeclaration(m) && !ts.isAccessor(m)) return []
  // Overloads and abstract members say nothing.
  if (!m.body) return []
  const name = ts.isConstructorDeclaration(m) ? 'constructor' : (propertyName(c, m.name) ?? '*')
  const how = ts.isConstructorDeclaration(m) ? 'constructor' : ts.isGetAccessor(m) ? 'get' : ts.isSetAccessor(m) ? 'set' : 'method'
  const onParams = m.parameters.map((p) => decorators(c, p))
  return [{ name, how, fn: c.fn(m, name), ...common, ...(onParams.some((d) => d.length > 0) ? { paramDecorators: onParams } : {}) }]
}

function decorators(c: Lowering, node: ts.Node): Expr[] {
  const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers
  if (!modifiers) return []
  const found = modifiers.filter((m) => m.kind === c.ts.SyntaxKind.Decorator) as ts.Decorator[]
  if (found.length > 0) c.decorated = true
  return found.map((d) => c.expression(d.expression))
}

function isStatic(c: Lowering, node: ts.ClassElement): boolean {
  return (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers?.some((m) => m.kind === c.ts.SyntaxKind.StaticKeyword) ?? false
}
