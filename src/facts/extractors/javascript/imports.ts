import type { ts } from 'ts-morph'
import type { Expr, ImportFact, Pattern, Stmt } from '../../javascript.ts'
import { exact, type Lowering } from './lowering.ts'

/** Notes what the imports among some statements bring, before anything is lowered that may read it. */
export function importedNames(c: Lowering, statements: readonly ts.Statement[]): void {
  for (const s of statements) {
    if (s.kind !== c.K.ImportDeclaration) continue
    const clause = (s as ts.ImportDeclaration).importClause
    if (clause?.name) c.unread.add(clause.name.text)
    const named = clause?.namedBindings
    if (named?.kind === c.K.NamespaceImport) c.unread.add(named.name.text)
    if (named?.kind === c.K.NamedImports) for (const e of named.elements) if (!e.isTypeOnly) c.unread.add(e.name.text)
  }
}

/** `import … from '…'`. */
export function importDeclaration(c: Lowering, node: ts.ImportDeclaration): void {
  if (node.moduleSpecifier.kind !== c.K.StringLiteral) return
  const from = (node.moduleSpecifier as ts.StringLiteral).text
  const l = c.line(node)
  const clause = node.importClause
  const bindings: { imported: string; local: string }[] = []
  let types = 0
  if (clause?.name) bindings.push({ imported: 'default', local: clause.name.text })
  const named = clause?.namedBindings
  if (named?.kind === c.K.NamespaceImport) bindings.push({ imported: '*', local: named.name.text })
  if (named?.kind === c.K.NamedImports) {
    for (const e of named.elements) {
      if (e.isTypeOnly) types++
      else bindings.push({ imported: (e.propertyName ?? e.name).text, local: e.name.text })
    }
  }
  const typeOnly = clause !== undefined && (clause.isTypeOnly || (types > 0 && bindings.length === 0))
  c.imports.push(typeOnly ? { from, how: 'static', typeOnly, bindings: exact(bindings), l } : { from, how: 'static', bindings: exact(bindings), l })
}

/** `import x = require('…')` is an import, `import x = a.b` a constant. */
export function importEquals(c: Lowering, node: ts.ImportEqualsDeclaration): Stmt | undefined {
  const { ts } = c
  if (node.isTypeOnly) return undefined
  const l = c.line(node)
  const reference = node.moduleReference
  if (ts.isExternalModuleReference(reference)) {
    if (ts.isStringLiteralLike(reference.expression))
      c.imports.push({ from: reference.expression.text, how: 'require', bindings: [{ imported: '*', local: node.name.text }], l })
    return undefined
  }
  const name = (n: ts.EntityName): Expr => {
    if (!ts.isIdentifier(n)) return { k: 'mem', of: name(n.left), name: n.right.text, l }
    c.reads(n.text)
    return { k: 'id', name: n.text, l }
  }
  return { k: 'let', how: 'const', to: { k: 'name', name: node.name.text }, init: name(reference), l }
}

/** `import('…')` with a literal specifier, wherever it stands. */
export function recordDynamicImport(c: Lowering, node: ts.Node, from: string): void {
  c.imports.push({ from, how: 'dynamic', bindings: [], l: c.line(node) })
}

/** `require('…')` with a literal specifier, wherever it stands. */
export function recordRequire(c: Lowering, node: ts.Node, from: string): void {
  c.imports.push({ from, how: 'require', bindings: [], l: c.line(node) })
}

/** `const x = require('…')` and `const { a } = await import('…')` at module level bind names as an import does. */
export function bindModuleLevelImport(c: Lowering, to: Pattern, init: Expr): void {
  let names = bindingsOf(to)
  let value = init
  // `require('…').x`
  if (value.k === 'mem') {
    names = to.k === 'name' ? [{ imported: value.name, local: to.name }] : []
    value = value.of
  }
  if (value.k === 'await') value = value.of
  const specifier = value.k === 'import' ? value.from : value.k === 'call' && value.fn.k === 'id' && value.fn.name === 'require' ? value.args[0] : undefined
  if (specifier?.k !== 'lit') return
  const fact = c.imports.at(-1)
  if (fact && fact.from === specifier.v) (fact as { bindings: ImportFact['bindings'] }).bindings = names
}

function bindingsOf(to: Pattern): { imported: string; local: string }[] {
  if (to.k === 'name') return [{ imported: '*', local: to.name }]
  return to.k === 'object' ? to.props.flatMap((p) => (p.to.k === 'name' ? [{ imported: p.key, local: p.to.name }] : [])) : []
}

/**
 * Marks the imports of a TypeScript file that no expression reads: compilers and bundlers erase them, so the module is not
 * loaded because of them. Decorated classes keep theirs (their types are metadata at run time).
 */
export function eraseUnreadImports(c: Lowering): void {
  for (const fact of c.imports) {
    if (fact.how === 'static' && fact.bindings.length > 0 && fact.bindings.every((b) => c.unread.has(b.local))) fact.typeOnly = true
  }
}
