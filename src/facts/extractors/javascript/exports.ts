import type { ts } from 'ts-morph'
import { boundNames } from '../../bound-names.ts'
import type { Expr, Pattern, Stmt } from '../../javascript.ts'
import { at, type Lowering } from './lowering.ts'

/** `export { … }`, `export { … } from '…'`, `export * from '…'`. */
export function exportDeclaration(c: Lowering, node: ts.ExportDeclaration): void {
  const { ts } = c
  if (node.isTypeOnly) return
  const l = c.line(node)
  const from = node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : undefined
  const clause = node.exportClause
  if (!clause) {
    if (from !== undefined) c.exports.push({ name: '*', from, imported: '*', l })
    return
  }
  if (ts.isNamespaceExport(clause)) {
    if (from !== undefined) c.exports.push({ name: clause.name.text, from, imported: '*', l })
    return
  }
  for (const e of clause.elements) {
    if (e.isTypeOnly) continue
    const source = (e.propertyName ?? e.name).text
    const line = c.line(e)
    if (from !== undefined) c.exports.push({ name: e.name.text, from, imported: source, l: line })
    else {
      c.reads(source)
      c.exports.push({ name: e.name.text, local: source, l: line })
    }
  }
}

/** `export default …` and `export = …`: an export, and an expression that the module body evaluates. */
export function exportAssignment(c: Lowering, node: ts.ExportAssignment): Stmt {
  const value = c.expression(node.expression, 'default')
  if (node.isExportEquals) wholeModule(c, value)
  else c.exports.push({ name: 'default', ...(value.k === 'id' ? { local: value.name } : {}), value, l: c.line(node) })
  return { k: 'expr', expr: value, ...at(c, node) }
}

/** `export const …`. */
export function exportedDeclaration(c: Lowering, to: Pattern, l: number): void {
  for (const name of boundNames(to)) c.exports.push({ name, local: name, l })
}

/**
 * `module.exports = …`, `module.exports.x = …`, `exports.x = …` as a statement of the module body, also several of them in one
 * (`exports = module.exports = {…}`).
 */
export function recordCommonJsExport(c: Lowering, expr: Expr): void {
  const targets: Pattern[] = []
  let value = expr
  for (; value.k === 'assign' && value.op === '='; value = value.value) targets.push(value.to)
  for (const to of targets) {
    if (to.k !== 'expr' || to.expr.k !== 'mem') continue
    const target = to.expr
    if (isModuleExports(target)) wholeModule(c, value)
    else if (isModuleExports(target.of) || (target.of.k === 'id' && (target.of.name === 'exports' || c.exported.has(target.of.name))))
      c.exports.push({ name: target.name, ...(value.k === 'id' ? { local: value.name } : {}), value, l: expr.l })
  }
}

/** `const api = module.exports = …`: a name for the object that the module is, whose later members are exports. */
export function recordNamedExports(c: Lowering, to: Pattern, init: Expr | undefined): void {
  if (to.k !== 'name' || !init) return
  if (isModuleExports(init) || (init.k === 'id' && init.name === 'exports')) c.exported.add(to.name)
  if (init.k !== 'assign') return
  recordCommonJsExport(c, init)
  for (let value: Expr = init; value.k === 'assign'; value = value.value) if (value.to.k === 'expr' && isModuleExports(value.to.expr)) c.exported.add(to.name)
}

function isModuleExports(e: Expr): boolean {
  return e.k === 'mem' && e.name === 'exports' && e.of.k === 'id' && e.of.name === 'module'
}

/** The value that a CommonJS module is; the properties of an object are its named exports. */
function wholeModule(c: Lowering, value: Expr): void {
  c.exports.push({ name: 'default', ...(value.k === 'id' ? { local: value.name } : {}), value, l: value.l })
  if (value.k === 'call' && value.fn.k === 'id' && value.fn.name === 'require' && value.args[0]?.k === 'lit') {
    c.exports.push({ name: '*', from: String(value.args[0].v), imported: '*', l: value.l })
  }
  if (value.k !== 'obj') return
  for (const p of value.props) {
    if (p.key === undefined) continue
    c.exports.push({ name: p.key, ...(p.value.k === 'id' ? { local: p.value.name } : {}), value: p.value, l: p.l })
  }
}
