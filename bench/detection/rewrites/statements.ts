import { constant, ends, f, has, isBody, type Rewrite, ts, usesThis, visiting } from './rewrite.ts'

/** `if (c) return x; rest` → `if (c) { return x } else { rest }` */
const restInElse = visiting('the rest in the else', (node) => {
  if (!isBody(node)) return undefined
  const at = node.statements.findIndex((s) => ts.isIfStatement(s) && !s.elseStatement && ends(s.thenStatement))
  if (at < 0 || at === node.statements.length - 1) return undefined
  const test = node.statements[at] as ts.IfStatement
  const rest = f.createBlock(node.statements.slice(at + 1), true)
  return f.updateBlock(node, [...node.statements.slice(0, at), f.updateIfStatement(test, test.expression, test.thenStatement, rest)])
})

/** `if (!c) return x; rest` → `if (c) { rest } else { return x }` */
const turnedRound = visiting('conditions turned round', (node) => {
  if (!isBody(node)) return undefined
  const at = node.statements.findIndex((s) => ts.isIfStatement(s) && !s.elseStatement && ends(s.thenStatement))
  if (at < 0 || at === node.statements.length - 1) return undefined
  const test = node.statements[at] as ts.IfStatement
  const rest = f.createBlock(node.statements.slice(at + 1), true)
  return f.updateBlock(node, [...node.statements.slice(0, at), f.updateIfStatement(test, negated(test.expression), rest, test.thenStatement)])
})

function negated(e: ts.Expression): ts.Expression {
  if (ts.isPrefixUnaryExpression(e) && e.operator === ts.SyntaxKind.ExclamationToken) return e.operand
  const opposite = { '===': '!==', '!==': '===', '==': '!=', '!=': '==' } as const
  if (ts.isBinaryExpression(e)) {
    const operator = opposite[ts.tokenToString(e.operatorToken.kind) as '===']
    const kinds = {
      '===': ts.SyntaxKind.EqualsEqualsEqualsToken,
      '!==': ts.SyntaxKind.ExclamationEqualsEqualsToken,
      '==': ts.SyntaxKind.EqualsEqualsToken,
      '!=': ts.SyntaxKind.ExclamationEqualsToken,
    } as const
    if (operator) return f.createBinaryExpression(e.left, kinds[operator], e.right)
  }
  return f.createLogicalNot(f.createParenthesizedExpression(e))
}

/** `if (c)` → `const t = c; if (t)` */
const namedConditions = visiting('conditions under a name', (node, names) => {
  if (!isBody(node)) return undefined
  const statements = node.statements.flatMap((s) => {
    if (!ts.isIfStatement(s) || ts.isIdentifier(s.expression)) return [s]
    const name = names.next()
    return [
      constant(name, f.createLogicalNot(f.createLogicalNot(f.createParenthesizedExpression(s.expression)))),
      f.updateIfStatement(s, name, s.thenStatement, s.elseStatement),
    ]
  })
  return statements.length === node.statements.length ? undefined : f.updateBlock(node, statements)
})

/** `const { data, error } = e` → `const r = e; const data = r.data; const error = r.error` */
const namedResults = visiting('results taken apart by hand', (node, names) => {
  if (!ts.isVariableStatement(node) || node.declarationList.declarations.length !== 1 || has(node, ts.SyntaxKind.ExportKeyword)) return undefined
  if (!(node.declarationList.flags & ts.NodeFlags.Const)) return undefined
  const [declaration] = node.declarationList.declarations
  if (!declaration?.initializer || !ts.isObjectBindingPattern(declaration.name)) return undefined
  const { elements } = declaration.name
  if (elements.some((e) => e.dotDotDotToken || (e.propertyName && !ts.isIdentifier(e.propertyName)))) return undefined
  const whole = names.next()
  const parts = elements.map((e) => {
    const member = f.createPropertyAccessExpression(whole, (e.propertyName ?? e.name) as ts.Identifier)
    return constant(
      e.name,
      e.initializer
        ? f.createConditionalExpression(f.createStrictEquality(member, f.createIdentifier('undefined')), undefined, e.initializer, undefined, member)
        : member,
    )
  })
  return [constant(whole, declaration.initializer), ...parts]
})

/** `if (e.type === 'a') … else if …` for a switch without falling through. */
const switchAsIfs = visiting('switches as ifs', (node, names) => {
  if (!ts.isSwitchStatement(node)) return undefined
  const { clauses } = node.caseBlock
  // clauses that share a body stand before it without statements
  const bodies: { tests: ts.Expression[]; statements: readonly ts.Statement[]; byDefault: boolean }[] = []
  let [tests, byDefault]: [ts.Expression[], boolean] = [[], false]
  for (const [i, clause] of clauses.entries()) {
    if (ts.isCaseClause(clause)) tests.push(clause.expression)
    else byDefault = true
    if (!clause.statements.length && i < clauses.length - 1) continue
    const statements =
      ts.isBlock(clause.statements[0] as ts.Node) && clause.statements.length === 1
        ? [...(clause.statements[0] as ts.Block).statements]
        : [...clause.statements]
    const last = statements.at(-1)
    if (last && ts.isBreakStatement(last) && !last.label) statements.pop()
    else if (!ends(last) && i < clauses.length - 1) return undefined
    if (statements.some(breaks)) return undefined
    bodies.push({ tests, statements, byDefault })
    ;[tests, byDefault] = [[], false]
  }
  if (bodies.slice(0, -1).some((b) => b.byDefault) || !bodies.length) return undefined
  const subject = names.next()
  let chain: ts.Statement | undefined
  for (const body of bodies.toReversed()) {
    const block = f.createBlock(body.statements, true)
    if (body.byDefault) {
      chain = block
      continue
    }
    const [first, ...others] = body.tests.map((t) => f.createStrictEquality(subject, t) as ts.Expression)
    if (!first) return undefined
    chain = f.createIfStatement(
      others.reduce((all, t) => f.createLogicalOr(all, t), first),
      block,
      chain,
    )
  }
  return f.createBlock([constant(subject, node.expression), ...(chain ? [chain] : [])], true)
})

/** A `break` that would leave the switch around it. */
function breaks(node: ts.Node): boolean {
  if (ts.isBreakStatement(node)) return true
  if (ts.isFunctionLike(node) || ts.isIterationStatement(node, false) || ts.isSwitchStatement(node)) return false
  return ts.forEachChild(node, (child) => breaks(child) || undefined) ?? false
}

/** The body of each exported function inside `try { … } catch (e) { console.error(e); throw e }`. */
const rethrown = visiting('everything in a try that throws again', (node) => {
  if (!ts.isFunctionDeclaration(node) || !node.body || !has(node, ts.SyntaxKind.ExportKeyword) || !has(node, ts.SyntaxKind.AsyncKeyword)) return undefined
  if (node.asteriskToken || ts.isStringLiteral((node.body.statements[0] as ts.ExpressionStatement | undefined)?.expression ?? node)) return undefined
  const error = f.createIdentifier('rwError')
  const log = f.createExpressionStatement(f.createCallExpression(f.createPropertyAccessExpression(f.createIdentifier('console'), 'error'), undefined, [error]))
  const body = f.createBlock([
    f.createTryStatement(
      f.createBlock(node.body.statements, true),
      f.createCatchClause(f.createVariableDeclaration(error), f.createBlock([log, f.createThrowStatement(error)], true)),
      undefined,
    ),
  ])
  return f.updateFunctionDeclaration(node, node.modifiers, node.asteriskToken, node.name, node.typeParameters, node.parameters, node.type, body)
})

/** `async function f() {}` → `const f = async () => {}`, where nothing at the top level could call it before. */
const arrows = visiting('functions as arrows', (node) => {
  if (!ts.isFunctionDeclaration(node) || !node.body || !node.name || node.asteriskToken || usesThis(node.body) || !ts.isSourceFile(node.parent ?? node))
    return undefined
  if (!has(node, ts.SyntaxKind.ExportKeyword) || has(node, ts.SyntaxKind.DefaultKeyword)) return undefined
  const async = node.modifiers?.filter((m) => m.kind === ts.SyntaxKind.AsyncKeyword) as ts.Modifier[]
  const others = node.modifiers?.filter((m) => m.kind !== ts.SyntaxKind.AsyncKeyword)
  const arrow = f.createArrowFunction(async, node.typeParameters, node.parameters, node.type, undefined, node.body)
  return f.createVariableStatement(
    others,
    f.createVariableDeclarationList([f.createVariableDeclaration(node.name, undefined, undefined, arrow)], ts.NodeFlags.Const),
  )
})

/** `const f = async () => {}` at the top level → `async function f() {}` */
const declarations = visiting('arrows as functions', (node, _names, original) => {
  if (!ts.isVariableStatement(node) || !original.parent || !ts.isSourceFile(original.parent) || node.declarationList.declarations.length !== 1) return undefined
  const [declaration] = node.declarationList.declarations
  if (!declaration?.initializer || !ts.isArrowFunction(declaration.initializer) || !ts.isIdentifier(declaration.name) || declaration.type) return undefined
  const arrow = declaration.initializer
  const body = ts.isBlock(arrow.body) ? arrow.body : f.createBlock([f.createReturnStatement(arrow.body)], true)
  return f.createFunctionDeclaration(
    [...(node.modifiers ?? []), ...(arrow.modifiers ?? [])] as ts.Modifier[],
    undefined,
    declaration.name,
    arrow.typeParameters,
    arrow.parameters,
    arrow.type,
    body,
  )
})

/** `({ a, b }) => {…}` → `(p) => { const { a, b } = p; … }` */
const plainParameters = visiting('parameters taken apart in the body', (node, names) => {
  if (!(ts.isFunctionDeclaration(node) || ts.isArrowFunction(node)) || !node.body || !ts.isBlock(node.body)) return undefined
  const taken: ts.Statement[] = []
  const parameters = node.parameters.map((p) => {
    if (!ts.isObjectBindingPattern(p.name) || p.initializer || p.dotDotDotToken) return p
    const name = names.next()
    taken.push(constant(p.name, name))
    return f.updateParameterDeclaration(p, p.modifiers, undefined, name, p.questionToken, p.type, undefined)
  })
  if (!taken.length) return undefined
  const directives = node.body.statements.filter((s, i) => i === 0 && ts.isExpressionStatement(s) && ts.isStringLiteral(s.expression))
  const body = f.updateBlock(node.body, [...directives, ...taken, ...node.body.statements.slice(directives.length)])
  return ts.isArrowFunction(node)
    ? f.updateArrowFunction(node, node.modifiers, node.typeParameters, parameters, node.type, node.equalsGreaterThanToken, body)
    : f.updateFunctionDeclaration(node, node.modifiers, node.asteriskToken, node.name, node.typeParameters, parameters, node.type, body)
})

export const STATEMENTS: readonly Rewrite[] = [
  restInElse,
  turnedRound,
  namedConditions,
  namedResults,
  switchAsIfs,
  rethrown,
  arrows,
  declarations,
  plainParameters,
]
