import { f, has, type Names, parse, print, type Rewrite, ts, visiting } from './rewrite.ts'

/** What is only known inside functions gets names that say nothing. */
const nameless: Rewrite = {
  name: 'names that say nothing',
  rewrite(path, text) {
    const file = parse(path, text)
    if (!file) return undefined
    const names = namesInside(file)
    if (!names.size) return undefined
    const { transformed } = ts.transform(file, [
      (context) => (root) => {
        const renamed = (id: ts.Identifier) => f.createIdentifier(names.get(id.text) as string)
        const isNamed = (node: ts.Node | undefined): node is ts.Identifier => node !== undefined && ts.isIdentifier(node) && names.has(node.text)
        const go = (node: ts.Node): ts.VisitResult<ts.Node> => {
          if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return node
          if (ts.isShorthandPropertyAssignment(node) && isNamed(node.name)) return f.createPropertyAssignment(node.name.text, renamed(node.name))
          if (ts.isBindingElement(node) && !node.propertyName && !node.dotDotDotToken && isNamed(node.name) && ts.isObjectBindingPattern(node.parent))
            return f.updateBindingElement(
              node,
              undefined,
              f.createIdentifier(node.name.text),
              renamed(node.name),
              node.initializer && (ts.visitNode(node.initializer, go) as ts.Expression),
            )
          if (isNamed(node) && !isLabel(node)) return renamed(node)
          return ts.visitEachChild(node, go, context)
        }
        return ts.visitNode(root, go) as ts.SourceFile
      },
    ])
    return print(transformed[0] as ts.SourceFile)
  },
}

/** An identifier that names a member, a key, an attribute or a label, and not a variable. */
function isLabel(node: ts.Identifier): boolean {
  const { parent } = node
  if (!parent) return true
  if (ts.isPropertyAccessExpression(parent) || ts.isMetaProperty(parent)) return parent.name === node
  if (
    ts.isPropertyAssignment(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isEnumMember(parent)
  )
    return parent.name === node
  if (ts.isGetAccessor(parent) || ts.isSetAccessor(parent)) return parent.name === node
  if (ts.isBindingElement(parent)) return parent.propertyName === node
  if (
    ts.isJsxAttribute(parent) ||
    ts.isJsxNamespacedName(parent) ||
    ts.isImportSpecifier(parent) ||
    ts.isExportSpecifier(parent) ||
    ts.isLabeledStatement(parent) ||
    ts.isBreakOrContinueStatement(parent)
  )
    return true
  return (ts.isJsxOpeningLikeElement(parent) || ts.isJsxClosingElement(parent)) && parent.tagName === node
}

/** Variables and parameters of functions whose name means nothing else in the file, with their new names. */
function namesInside(file: ts.SourceFile): Map<string, string> {
  const [inside, others] = [new Set<string>(), new Set<string>()]
  const see = (node: ts.Node, depth: number): void => {
    if (ts.isParameter(node) && node.modifiers?.length && ts.isIdentifier(node.name)) others.add(node.name.text)
    else if ((ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) && ts.isIdentifier(node.name)) {
      const isFunction =
        ts.isVariableDeclaration(node) && node.initializer && (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer))
      ;(depth > 0 && !isFunction && !/^(use[A-Z]|[A-Z$_])/.test(node.name.text) ? inside : others).add(node.name.text)
    } else if ((ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isFunctionExpression(node)) && node.name) others.add(node.name.text)
    else if ((ts.isImportClause(node) || ts.isImportSpecifier(node) || ts.isNamespaceImport(node)) && node.name) others.add(node.name.text)
    else if (ts.isTypeQueryNode(node) || ts.isTypePredicateNode(node)) {
      // a name that types speak of stays
      const name = ts.isTypeQueryNode(node) ? node.exprName : node.parameterName
      if (ts.isIdentifier(name)) others.add(name.text)
    } else if (ts.isJsxOpeningLikeElement(node) && ts.isIdentifier(node.tagName)) others.add(node.tagName.text)
    ts.forEachChild(node, (child) => see(child, depth + (ts.isFunctionLike(node) || ts.isCatchClause(node) ? 1 : 0)))
  }
  see(file, 0)
  const found = new Map<string, string>()
  for (const name of inside) if (!others.has(name) && !['undefined', 'arguments'].includes(name)) found.set(name, `rw${found.size + 1}`)
  return found
}

/** What each exported function does moves into a function beside it: `export async function GET(a, b) { return rw(a, b) }`. */
const helped: Rewrite = visiting('bodies in a helper', (node, names: Names, original) => {
  if (!ts.isFunctionDeclaration(node) || !node.body || !node.name || !has(node, ts.SyntaxKind.ExportKeyword) || node.asteriskToken) return undefined
  if (!original.parent || !ts.isSourceFile(original.parent) || /^(use[A-Z]|[A-Z][a-z])/.test(node.name.text)) return undefined
  const first = node.body.statements[0]
  if (first && ts.isExpressionStatement(first) && ts.isStringLiteral(first.expression)) return undefined
  const helper = names.next()
  const isAsync = has(node, ts.SyntaxKind.AsyncKeyword)
  const inner = f.createFunctionDeclaration(
    isAsync ? [f.createModifier(ts.SyntaxKind.AsyncKeyword)] : undefined,
    undefined,
    helper,
    node.typeParameters,
    node.parameters,
    node.type,
    node.body,
  )
  const outer = node.parameters.map(() => names.next())
  const params = node.parameters.map((p, i) =>
    f.createParameterDeclaration(
      undefined,
      p.dotDotDotToken,
      outer[i] as ts.Identifier,
      p.questionToken ?? (p.initializer ? f.createToken(ts.SyntaxKind.QuestionToken) : undefined),
      p.type,
    ),
  )
  const call = f.createCallExpression(
    helper,
    undefined,
    outer.map((name, i) => (node.parameters[i]?.dotDotDotToken ? f.createSpreadElement(name) : name)),
  )
  const body = f.createBlock([f.createReturnStatement(isAsync ? f.createAwaitExpression(call) : call)], true)
  return [inner, f.updateFunctionDeclaration(node, node.modifiers, undefined, node.name, node.typeParameters, params, node.type, body)]
})

/** Handlers of the App Router in a file beside their route, which only exports them again. */
const besideRoute: Rewrite = {
  name: 'handlers in a file beside the route',
  rewrite(path, text) {
    const name = /^(.*\/app\/.*|app\/.*)\/route\.([jt]sx?)$/.exec(path)
    const file = name && parse(path, text)
    if (!file) return undefined
    const methods = file.statements.flatMap((s) => {
      if (ts.isFunctionDeclaration(s) && has(s, ts.SyntaxKind.ExportKeyword) && s.name) return [s.name.text]
      if (ts.isVariableStatement(s) && has(s, ts.SyntaxKind.ExportKeyword))
        return s.declarationList.declarations.flatMap((d) => (ts.isIdentifier(d.name) ? [d.name.text] : []))
      return []
    })
    const handlers = methods.filter((m) => /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(m))
    if (!handlers.length) return undefined
    return { [path]: `export { ${handlers.join(', ')} } from './rw-handlers'\n`, [`${name[1]}/rw-handlers.${name[2]}`]: text }
  },
}

/** `import { a } from './m'` → `import * as rw from './m'`, `a` → `rw.a` */
const namespaces: Rewrite = {
  name: 'modules as a whole',
  rewrite(path, text) {
    const file = parse(path, text)
    if (!file) return undefined
    const members = new Map<string, ts.Expression>()
    const whole = new Map<ts.Node, ts.Identifier>()
    for (const s of file.statements) {
      if (!ts.isImportDeclaration(s) || !s.importClause || s.importClause.name || s.importClause.isTypeOnly) continue
      const { namedBindings } = s.importClause
      if (!namedBindings || !ts.isNamedImports(namedBindings) || !ts.isStringLiteral(s.moduleSpecifier) || !/^(\.|@\/|~\/|\$lib)/.test(s.moduleSpecifier.text))
        continue
      if (namedBindings.elements.some((e) => e.isTypeOnly || /^[A-Z]/.test(e.name.text))) continue
      const name = f.createIdentifier(`rw${whole.size + 1}`)
      whole.set(s, name)
      for (const e of namedBindings.elements) members.set(e.name.text, f.createPropertyAccessExpression(name, (e.propertyName ?? e.name) as ts.Identifier))
    }
    if (!whole.size || shadows(file, members)) return undefined
    const { transformed } = ts.transform(file, [
      (context) => (root) => {
        const go = (node: ts.Node): ts.VisitResult<ts.Node> => {
          const name = whole.get(node)
          if (name && ts.isImportDeclaration(node))
            return f.updateImportDeclaration(
              node,
              undefined,
              f.createImportClause(undefined, undefined, f.createNamespaceImport(name)),
              node.moduleSpecifier,
              node.attributes,
            )
          if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return node
          if (ts.isShorthandPropertyAssignment(node) && members.has(node.name.text))
            return f.createPropertyAssignment(node.name.text, members.get(node.name.text) as ts.Expression)
          if (ts.isIdentifier(node) && members.has(node.text) && !isLabel(node)) return members.get(node.text) as ts.Expression
          return ts.visitEachChild(node, go, context)
        }
        return ts.visitNode(root, go) as ts.SourceFile
      },
    ])
    return print(transformed[0] as ts.SourceFile)
  },
}

function shadows(file: ts.SourceFile, members: ReadonlyMap<string, unknown>): boolean {
  const see = (node: ts.Node): boolean => {
    if (
      (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node) || ts.isFunctionDeclaration(node)) &&
      node.name &&
      ts.isIdentifier(node.name) &&
      members.has(node.name.text)
    )
      return true
    if (ts.isExportSpecifier(node) || ts.isTypeQueryNode(node))
      return ts.forEachChild(node, (c) => (ts.isIdentifier(c) && members.has(c.text)) || undefined) ?? false
    return ts.forEachChild(node, (child) => see(child) || undefined) ?? false
  }
  return see(file)
}

export const MODULES: readonly Rewrite[] = [nameless, helped, besideRoute, namespaces]
