import { constant, f, has, isBody, type Names, parse, print, type Rewrite, ts, visiting } from './rewrite.ts'

/** Statements that a rewrite needs go behind the imports. */
function afterImports(file: ts.SourceFile, added: readonly ts.Statement[]): ts.SourceFile {
  const last = file.statements.findLastIndex((s) => ts.isImportDeclaration(s))
  // directives stay first
  const at = last >= 0 ? last + 1 : file.statements.findIndex((s) => !(ts.isExpressionStatement(s) && ts.isStringLiteral(s.expression)))
  return f.updateSourceFile(file, [...file.statements.slice(0, at), ...added, ...file.statements.slice(at)])
}

/** A rewrite that also puts statements at the top of the files that it changes. */
function withHelpers(name: string, helpers: string, visit: (node: ts.Node, names: Names, original: ts.Node) => ts.Node | undefined): Rewrite {
  const inner = visiting(name, visit)
  return {
    name,
    rewrite(path, text) {
      const next = inner.rewrite(path, text)
      const file = typeof next === 'string' ? parse(path, next) : undefined
      const own = parse('helpers.js', helpers)
      return file && own ? print(afterImports(file, own.statements.map(detached))) : undefined
    },
  }
}

/** A node that may stand in another file. */
function detached<N extends ts.Node>(node: N): N {
  const { transformed } = ts.transform(node, [
    (context) => (root) => {
      const go = (n: ts.Node): ts.Node => {
        if (ts.isStringLiteral(n)) return f.createStringLiteral(n.text)
        if (ts.isIdentifier(n)) return f.createIdentifier(n.text)
        if (ts.isNumericLiteral(n)) return f.createNumericLiteral(n.text)
        return ts.visitEachChild(n, go, context)
      }
      return go(root) as N
    },
  ])
  return transformed[0] as N
}

const METHODS = /^(GET|POST|PUT|PATCH|DELETE|load|loader|action)$/

/** `export async function POST(req) {…}` → `export const POST = logged(async (req) => {…})`, where the wrapper calls it and answers 500 for exceptions. */
const wrapped = withHelpers(
  'handlers in a wrapper of the application',
  `const rwLogged = (handler) => async (...args) => {
    const started = Date.now()
    try {
      return await handler(...args)
    } finally {
      console.log(Date.now() - started)
    }
  }`,
  (node, _names, original) => {
    if (!ts.isFunctionDeclaration(node) || !node.name || !node.body || !METHODS.test(node.name.text) || !has(node, ts.SyntaxKind.ExportKeyword))
      return undefined
    if (!original.parent || !ts.isSourceFile(original.parent)) return undefined
    const arrow = f.createArrowFunction([f.createModifier(ts.SyntaxKind.AsyncKeyword)], undefined, node.parameters, undefined, undefined, node.body)
    const value = f.createCallExpression(f.createIdentifier('rwLogged'), undefined, [arrow])
    return f.createVariableStatement(
      [f.createModifier(ts.SyntaxKind.ExportKeyword)],
      f.createVariableDeclarationList([f.createVariableDeclaration(node.name, undefined, undefined, value)], ts.NodeFlags.Const),
    )
  },
)

/** `app.post(path, guard, async (req, res) => {…})` → `app.post(path, guard, caught(async (req, res) => {…}))` */
const caught = withHelpers(
  'handlers of Express in a wrapper that catches',
  'const rwCaught = (handler) => (req, res, next) => Promise.resolve(handler(req, res, next)).catch(next)',
  (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || !/^(get|post|put|patch|delete)$/.test(node.expression.name.text))
      return undefined
    const last = node.arguments.at(-1)
    if (node.arguments.length < 2 || !last || !ts.isArrowFunction(last) || last.parameters.length < 2 || !ts.isStringLiteralLike(node.arguments[0] as ts.Node))
      return undefined
    return f.updateCallExpression(node, node.expression, undefined, [
      ...node.arguments.slice(0, -1),
      f.createCallExpression(f.createIdentifier('rwCaught'), undefined, [last]),
    ])
  },
)

/** `NextResponse.json(x, { status })` → `reply(x, { status })`, `new Response(…)` the same. */
const answersByHelper = withHelpers(
  'answers by a helper',
  `const rwReply = (body, init) => NextResponse.json(body, init)
   const rwJson = (body, init) => Response.json(body, init)
   const rwRaw = (body, init) => new Response(body, init)
   const rwSend = (res, status, body) => res.status(status).json(body)`,
  (node) => {
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Response')
      return f.createCallExpression(f.createIdentifier('rwRaw'), undefined, node.arguments ?? [])
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'json') return undefined
    const { expression: of } = node.expression
    if (ts.isIdentifier(of) && of.text === 'NextResponse') return f.createCallExpression(f.createIdentifier('rwReply'), undefined, node.arguments)
    if (ts.isIdentifier(of) && of.text === 'Response') return f.createCallExpression(f.createIdentifier('rwJson'), undefined, node.arguments)
    if (
      !ts.isCallExpression(of) ||
      !ts.isPropertyAccessExpression(of.expression) ||
      of.expression.name.text !== 'status' ||
      !ts.isIdentifier(of.expression.expression)
    )
      return undefined
    return f.createCallExpression(f.createIdentifier('rwSend'), undefined, [of.expression.expression, of.arguments[0] as ts.Expression, ...node.arguments])
  },
)

/** `process.env.X` → `env.X` of an object that the file keeps at its top. */
const settings: Rewrite = {
  name: 'settings in an object',
  rewrite(path, text) {
    const names = [...new Set([...text.matchAll(/(?<![\w.])process\.env\.([A-Z][A-Z0-9_]*)(?!\s*=[^=])/g)].map((m) => m[1] as string))]
    if (!names.length || /delete\s+process\.env|process\.env\.\w+\s*=[^=]/.test(text)) return undefined
    const next = visiting('', (node) => {
      if (!ts.isPropertyAccessExpression(node) || !names.includes(node.name.text) || node.name.text === 'NODE_ENV') return undefined
      const { expression: of } = node
      if (!ts.isPropertyAccessExpression(of) || of.name.text !== 'env' || !ts.isIdentifier(of.expression) || of.expression.text !== 'process') return undefined
      return f.createPropertyAccessExpression(f.createIdentifier('rwSettings'), node.name.text)
    }).rewrite(path, text)
    const file = typeof next === 'string' ? parse(path, next) : undefined
    const own = parse('settings.js', `const rwSettings = { ${names.map((n) => `${n}: process.env.${n}`).join(', ')} }`)
    return file && own ? print(afterImports(file, own.statements.map(detached))) : undefined
  },
}

/** `.from('orders')` → `.from(TABLES.orders)` */
const tableNames: Rewrite = {
  name: 'tables by constants',
  rewrite(path, text) {
    const names = new Set<string>()
    const next = visiting('', (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || node.expression.name.text !== 'from') return undefined
      const [table] = node.arguments
      if (!table || node.arguments.length !== 1 || !ts.isStringLiteral(table) || !/^[a-z_]\w*$/.test(table.text)) return undefined
      names.add(table.text)
      return f.updateCallExpression(node, node.expression, undefined, [f.createPropertyAccessExpression(f.createIdentifier('RW_TABLES'), table.text)])
    }).rewrite(path, text)
    const file = typeof next === 'string' ? parse(path, next) : undefined
    const own = parse('tables.js', `const RW_TABLES = { ${[...names].map((n) => `${n}: '${n}'`).join(', ')} }`)
    return file && own ? print(afterImports(file, own.statements.map(detached))) : undefined
  },
}

const CLIENTS = /^(createClient|createServiceClient|drizzle|Stripe|PrismaClient|OpenAI|Resend|Pool|Anthropic)$/

/** `const db = createClient(…)` at the top of a module → made when it is first asked for: `db_().from(…)`. */
const lazyClients: Rewrite = {
  name: 'clients that are made when they are asked for',
  rewrite(path, text) {
    const file = parse(path, text)
    if (!file) return undefined
    const found = new Map<string, ts.Statement>()
    for (const s of file.statements) {
      if (!ts.isVariableStatement(s) || has(s, ts.SyntaxKind.ExportKeyword) || s.declarationList.declarations.length !== 1) continue
      const [d] = s.declarationList.declarations
      const made = d?.initializer
      if (
        !d ||
        !ts.isIdentifier(d.name) ||
        !made ||
        !(ts.isCallExpression(made) || ts.isNewExpression(made)) ||
        !ts.isIdentifier(made.expression) ||
        !CLIENTS.test(made.expression.text)
      )
        continue
      found.set(d.name.text, s)
    }
    if (
      !found.size ||
      [...found.keys()].some((n) => new RegExp(`export\\s*\\{[^}]*\\b${n}\\b|export default ${n}\\b|typeof ${n}\\b|[(,{]\\s*${n}\\s*[:,)=}]`).test(text))
    )
      return undefined
    const { transformed } = ts.transform(file, [
      (context) => (root) => {
        const go = (node: ts.Node): ts.VisitResult<ts.Node> => {
          const own = [...found].find(([, s]) => s === node)
          if (own)
            return lazily(own[0], ((own[1] as ts.VariableStatement).declarationList.declarations[0] as ts.VariableDeclaration).initializer as ts.Expression)
          if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && found.has(node.expression.text))
            return f.updatePropertyAccessExpression(node, f.createCallExpression(f.createIdentifier(`rw_${node.expression.text}`), undefined, []), node.name)
          return ts.visitEachChild(node, go, context)
        }
        return ts.visitNode(root, go) as ts.SourceFile
      },
    ])
    return print(transformed[0] as ts.SourceFile)
  },
}

function lazily(name: string, made: ts.Expression): readonly ts.Statement[] {
  const kept = f.createIdentifier(`rwKept_${name}`)
  const declared = f.createVariableStatement(
    undefined,
    f.createVariableDeclarationList([f.createVariableDeclaration(kept, undefined, undefined, f.createNull())], ts.NodeFlags.Let),
  )
  const body = f.createBlock(
    [
      f.createIfStatement(f.createLogicalNot(kept), f.createBlock([f.createExpressionStatement(f.createAssignment(kept, made))])),
      f.createReturnStatement(kept),
    ],
    true,
  )
  return [declared, f.createFunctionDeclaration(undefined, undefined, `rw_${name}`, undefined, [], undefined, body)]
}

/** `if (!x)` → `if (x === null || x === undefined)`, where x is a name. */
const nullTests = visiting('absence asked by null', (node) => {
  if (!ts.isIfStatement(node) || !ts.isPrefixUnaryExpression(node.expression) || node.expression.operator !== ts.SyntaxKind.ExclamationToken) return undefined
  const { operand } = node.expression
  if (!ts.isIdentifier(operand) || !/user|session|profile|row|data|account|member|org|team|tenant|order|booking|project/i.test(operand.text)) return undefined
  const test = f.createLogicalOr(f.createStrictEquality(operand, f.createNull()), f.createStrictEquality(operand, f.createIdentifier('undefined')))
  return f.updateIfStatement(node, test, node.thenStatement, node.elseStatement)
})

/** `switch (event.type) { case 'a': … }` → `const handlers = { a: async () => {…} }; await handlers[event.type]?.()` */
const handlersByName = visiting('cases in a table of functions', (node, names) => {
  if (!ts.isSwitchStatement(node)) return undefined
  const handlers: ts.PropertyAssignment[] = []
  let otherwise: readonly ts.Statement[] = []
  for (const [i, clause] of node.caseBlock.clauses.entries()) {
    const statements =
      clause.statements.length === 1 && ts.isBlock(clause.statements[0] as ts.Node)
        ? [...(clause.statements[0] as ts.Block).statements]
        : [...clause.statements]
    const last = statements.at(-1)
    if (last && ts.isBreakStatement(last)) statements.pop()
    else if (i < node.caseBlock.clauses.length - 1) return undefined
    if (statements.some(leaves)) return undefined
    if (ts.isDefaultClause(clause)) otherwise = statements
    else if (ts.isStringLiteralLike(clause.expression))
      handlers.push(
        f.createPropertyAssignment(
          f.createStringLiteral(clause.expression.text),
          f.createArrowFunction([f.createModifier(ts.SyntaxKind.AsyncKeyword)], undefined, [], undefined, undefined, f.createBlock(statements, true)),
        ),
      )
    else return undefined
  }
  if (handlers.length < 2 || !containsAwait(node)) return undefined
  const [table, one] = [names.next(), names.next()]
  const call = f.createExpressionStatement(f.createAwaitExpression(f.createCallExpression(one, undefined, [])))
  return f.createBlock(
    [
      constant(table, f.createObjectLiteralExpression(handlers, true)),
      constant(one, f.createElementAccessExpression(table, node.expression)),
      f.createIfStatement(one, f.createBlock([call]), otherwise.length ? f.createBlock(otherwise) : undefined),
    ],
    true,
  )
})

/** Leaves the function or the loop around it. */
function leaves(node: ts.Node): boolean {
  if (ts.isReturnStatement(node) || ts.isBreakOrContinueStatement(node)) return true
  return ts.isFunctionLike(node) ? false : (ts.forEachChild(node, (child) => leaves(child) || undefined) ?? false)
}

function containsAwait(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true
  return ts.isFunctionLike(node) ? false : (ts.forEachChild(node, (child) => containsAwait(child) || undefined) ?? false)
}

/** `const a = await x; const b = await y` → `const [a, b] = await Promise.all([x, y])`, where y does not speak of a. */
const atOnce = visiting('awaited at once', (node) => {
  if (!isBody(node)) return undefined
  for (let i = 0; i + 1 < node.statements.length; i++) {
    const [a, b] = [awaited(node.statements[i]), awaited(node.statements[i + 1])]
    if (!a || !b || speaksOf(b.value, boundIn(a.name))) continue
    const both = f.createAwaitExpression(
      f.createCallExpression(f.createPropertyAccessExpression(f.createIdentifier('Promise'), 'all'), undefined, [
        f.createArrayLiteralExpression([a.value, b.value]),
      ]),
    )
    const pattern = f.createArrayBindingPattern([f.createBindingElement(undefined, undefined, a.name), f.createBindingElement(undefined, undefined, b.name)])
    return f.updateBlock(node, [...node.statements.slice(0, i), constant(pattern, both), ...node.statements.slice(i + 2)])
  }
  return undefined
})

function awaited(s: ts.Statement | undefined): { readonly name: ts.BindingName; readonly value: ts.Expression } | undefined {
  if (!s || !ts.isVariableStatement(s) || !(s.declarationList.flags & ts.NodeFlags.Const) || s.declarationList.declarations.length !== 1) return undefined
  const [d] = s.declarationList.declarations
  return d?.initializer && ts.isAwaitExpression(d.initializer) ? { name: d.name, value: d.initializer.expression } : undefined
}

function boundIn(name: ts.BindingName): Set<string> {
  if (ts.isIdentifier(name)) return new Set([name.text])
  return new Set(name.elements.flatMap((e) => (ts.isBindingElement(e) ? [...boundIn(e.name)] : [])))
}

function speaksOf(node: ts.Node, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node) && names.has(node.text)) return true
  return ts.forEachChild(node, (child) => speaksOf(child, names) || undefined) ?? false
}

export const ARCHITECTURE: readonly Rewrite[] = [wrapped, caught, answersByHelper, settings, tableNames, lazyClients, nullTests, handlersByName, atOnce]
