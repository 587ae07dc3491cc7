import { constant, f, has, isBody, type Names, parse, type Rewrite, ts, visiting } from './rewrite.ts'

/** `` `a${b}` `` → `'a' + b`, tags left alone. */
const concatenated = visiting('templates as sums', (node, _names, original) => {
  if (!ts.isTemplateExpression(node) || (original.parent && ts.isTaggedTemplateExpression(original.parent))) return undefined
  const sum = node.templateSpans.reduce<ts.Expression>((all, span) => {
    const next = f.createAdd(all, f.createParenthesizedExpression(span.expression))
    return span.literal.text ? f.createAdd(next, f.createStringLiteral(span.literal.text)) : next
  }, f.createStringLiteral(node.head.text))
  return f.createParenthesizedExpression(sum)
})

/** Objects and members that are given to calls get a name first: `q.update({…}).eq('id', user.id)` → `const a = {…}; const b = user.id; q.update(a).eq('id', b)`. */
const namedArguments = visiting('arguments under a name', (node, names) => {
  if (!isBody(node)) return undefined
  const statements = node.statements.flatMap((s) => {
    const call = callOf(s)
    if (!call) return [s]
    const named: ts.Statement[] = []
    const next = withNamedArguments(call, names, named)
    return named.length ? [...named, replaced(s, call, next)] : [s]
  })
  return statements.length === node.statements.length ? undefined : f.updateBlock(node, statements)
})

function withNamedArguments(call: ts.CallExpression, names: Names, named: ts.Statement[]): ts.CallExpression {
  const callee = call.expression
  const inner =
    ts.isPropertyAccessExpression(callee) && !callee.questionDotToken && ts.isCallExpression(callee.expression)
      ? f.updatePropertyAccessExpression(callee, withNamedArguments(callee.expression, names, named), callee.name)
      : callee
  // what the call before it answers cannot be named before that call: only objects and members do
  const args = call.arguments.map((a) => {
    if (!ts.isObjectLiteralExpression(a) && !(ts.isPropertyAccessExpression(a) && ts.isIdentifier(a.expression))) return a
    const name = names.next()
    named.push(constant(name, a))
    return name
  })
  return f.updateCallExpression(call, inner, call.typeArguments, args)
}

/** `await db.from('t').select().eq(…)` → `const a = db.from('t'); const b = a.select(); await b.eq(…)` */
const splitChains = visiting('chains step by step', (node, names) => {
  if (!isBody(node)) return undefined
  const statements = node.statements.flatMap((s) => {
    const call = callOf(s)
    if (!call) return [s]
    const steps: ts.Statement[] = []
    const next = stepByStep(call, names, steps)
    return steps.length ? [...steps, replaced(s, call, next)] : [s]
  })
  return statements.length === node.statements.length ? undefined : f.updateBlock(node, statements)
})

function stepByStep(call: ts.CallExpression, names: Names, steps: ts.Statement[]): ts.CallExpression {
  const callee = call.expression
  if (!ts.isPropertyAccessExpression(callee) || callee.questionDotToken || !ts.isCallExpression(callee.expression)) return call
  const name = names.next()
  const before = stepByStep(callee.expression, names, steps)
  steps.push(constant(name, before))
  return f.updateCallExpression(call, f.updatePropertyAccessExpression(callee, name, callee.name), call.typeArguments, call.arguments)
}

/** The outermost call of `[const x =] [await] call` or `return [await] call`. */
function callOf(s: ts.Statement): ts.CallExpression | undefined {
  let e: ts.Expression | undefined
  if (ts.isExpressionStatement(s)) e = s.expression
  else if (ts.isReturnStatement(s)) e = s.expression
  else if (ts.isVariableStatement(s) && s.declarationList.declarations.length === 1 && !has(s, ts.SyntaxKind.ExportKeyword))
    e = s.declarationList.declarations[0]?.initializer
  while (e && (ts.isAwaitExpression(e) || ts.isParenthesizedExpression(e) || ts.isAsExpression(e))) e = e.expression
  return e && ts.isCallExpression(e) && e.expression.kind !== ts.SyntaxKind.SuperKeyword ? e : undefined
}

function replaced(s: ts.Statement, from: ts.Expression, to: ts.Expression): ts.Statement {
  const { transformed } = ts.transform(s, [
    (context) => (root) => {
      const go = (node: ts.Node): ts.Node => (node === from ? to : ts.visitEachChild(node, go, context))
      return go(root) as ts.Statement
    },
  ])
  return transformed[0] as ts.Statement
}

/** What a compiler makes of a file: no types, `?.` and `??` written out, objects that are spread by `Object.assign`. */
const compiled = transpiled('compiled to ES2017', ts.ScriptTarget.ES2017)
/** The same program in JavaScript. */
const untyped = transpiled('without types', ts.ScriptTarget.ESNext)

function transpiled(name: string, target: ts.ScriptTarget): Rewrite {
  return {
    name,
    rewrite(path, text) {
      if (!/\.[cm]?tsx?$/.test(path) || /\.d\.ts$/.test(path) || !parse(path, text)) return undefined
      const compilerOptions = { target, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve, experimentalDecorators: true, removeComments: false }
      return ts.transpileModule(text, { compilerOptions, fileName: path }).outputText
    },
  }
}

/** `c ? a : b` that is returned or kept → `if (c) … else …` */
const ternariesAsIfs = visiting('choices as ifs', (node) => {
  if (ts.isReturnStatement(node) && node.expression && ts.isConditionalExpression(node.expression)) {
    const { condition, whenTrue, whenFalse } = node.expression
    return f.createIfStatement(condition, f.createBlock([f.createReturnStatement(whenTrue)]), f.createBlock([f.createReturnStatement(whenFalse)]))
  }
  if (!ts.isVariableStatement(node) || node.declarationList.declarations.length !== 1 || has(node, ts.SyntaxKind.ExportKeyword)) return undefined
  const [declaration] = node.declarationList.declarations
  if (!declaration?.initializer || !ts.isConditionalExpression(declaration.initializer) || !ts.isIdentifier(declaration.name)) return undefined
  const { condition, whenTrue, whenFalse } = declaration.initializer
  const set = (value: ts.Expression) => f.createBlock([f.createExpressionStatement(f.createAssignment(declaration.name as ts.Identifier, value))])
  return [
    f.createVariableStatement(
      undefined,
      f.createVariableDeclarationList([f.createVariableDeclaration(declaration.name, undefined, declaration.type)], ts.NodeFlags.Let),
    ),
    f.createIfStatement(condition, set(whenTrue), set(whenFalse)),
  ]
})

/** `x.a` → `x['a']`, for members that are read. */
const computedMembers = visiting('members by their name in brackets', (node, _names, original) => {
  if (!ts.isPropertyAccessExpression(node) || node.questionDotToken || !ts.isIdentifier(node.name)) return undefined
  const { parent } = original
  if (
    !parent ||
    ts.isCallExpression(parent) ||
    ts.isPropertyAccessExpression(parent) ||
    ts.isJsxOpeningLikeElement(parent) ||
    ts.isExpressionWithTypeArguments(parent) ||
    ts.isDecorator(parent)
  )
    return undefined
  if (!ts.isIdentifier(node.expression) || ['process', 'import'].includes(node.expression.text) || ts.isMetaProperty(node.expression)) return undefined
  return f.createElementAccessExpression(node.expression, f.createStringLiteral(node.name.text))
})

export const EXPRESSIONS: readonly Rewrite[] = [concatenated, namedArguments, splitChains, compiled, untyped, ternariesAsIfs, computedMembers]
