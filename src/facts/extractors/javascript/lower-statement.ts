import type { ts } from 'ts-morph'
import type { Expr, ObjectProp, Stmt } from '../../javascript.ts'
import { exportAssignment, exportDeclaration, exportedDeclaration, recordCommonJsExport, recordNamedExports } from './exports.ts'
import { bindModuleLevelImport, importDeclaration, importEquals, importedNames } from './imports.ts'
import { lowerClass } from './lower-class.ts'
import { propertyName } from './lower-pattern.ts'
import { at, exact, type Lowering, MAX_DEPTH } from './lowering.ts'

/** Lowers a list of statements; declarations of types vanish. */
export function lowerStatements(c: Lowering, nodes: readonly ts.Statement[]): Stmt[] {
  const out: Stmt[] = []
  for (const node of nodes) statement(c, node, out)
  return exact(out)
}

/** Lowers the body of an `if` or loop: always a list. */
export function lowerBody(c: Lowering, node: ts.Statement): Stmt[] {
  return lowerStatements(c, node.kind === c.K.Block ? (node as ts.Block).statements : [node])
}

function statement(c: Lowering, node: ts.Statement, out: Stmt[]): void {
  if (c.depth >= MAX_DEPTH) {
    c.tooDeepAt ??= c.line(node)
    out.push({ k: 'expr', expr: { k: 'opaque', l: c.line(node) }, l: c.line(node) })
    return
  }
  c.depth++
  dispatch(c, node, out)
  c.depth--
}

function dispatch(c: Lowering, node: ts.Statement, out: Stmt[]): void {
  const { K } = c
  switch (node.kind) {
    case K.ExpressionStatement:
      out.push(expressionStatement(c, node as ts.ExpressionStatement))
      return
    case K.VariableStatement:
      if (!has(node, K.DeclareKeyword)) variables(c, (node as ts.VariableStatement).declarationList, out, has(node, K.ExportKeyword))
      return
    case K.ReturnStatement:
      out.push(returnStatement(c, node as ts.ReturnStatement))
      return
    case K.IfStatement:
      out.push(ifStatement(c, node as ts.IfStatement))
      return
    case K.ThrowStatement:
      out.push({ k: 'throw', value: c.expression((node as ts.ThrowStatement).expression), ...at(c, node) })
      return
    case K.Block:
      out.push({ k: 'block', body: c.statements((node as ts.Block).statements), ...at(c, node) })
      return
    case K.FunctionDeclaration:
      functionDeclaration(c, node as ts.FunctionDeclaration, out)
      return
    case K.ClassDeclaration:
      classDeclaration(c, node as ts.ClassDeclaration, out)
      return
    case K.ImportDeclaration:
      importDeclaration(c, node as ts.ImportDeclaration)
      return
    case K.ImportEqualsDeclaration: {
      const made = importEquals(c, node as ts.ImportEqualsDeclaration)
      if (made) out.push(made)
      return
    }
    case K.ExportDeclaration:
      exportDeclaration(c, node as ts.ExportDeclaration)
      return
    case K.ExportAssignment:
      out.push(exportAssignment(c, node as ts.ExportAssignment))
      return
    case K.TryStatement: {
      const n = node as ts.TryStatement
      const param = n.catchClause?.variableDeclaration
      out.push({
        k: 'try',
        body: c.statements(n.tryBlock.statements),
        ...(param ? { param: c.pattern(param.name) } : {}),
        ...(n.catchClause ? { handler: c.statements(n.catchClause.block.statements) } : {}),
        ...(n.finallyBlock ? { finalizer: c.statements(n.finallyBlock.statements) } : {}),
        ...at(c, node),
      })
      return
    }
    case K.ForStatement:
    case K.ForOfStatement:
    case K.ForInStatement:
    case K.WhileStatement:
    case K.DoStatement:
      out.push(loop(c, node as ts.IterationStatement))
      return
    case K.SwitchStatement: {
      const n = node as ts.SwitchStatement
      out.push({
        k: 'switch',
        on: c.expression(n.expression),
        cases: n.caseBlock.clauses.map((clause) => ({
          ...(clause.kind === K.CaseClause ? { test: c.expression(clause.expression) } : {}),
          body: c.statements(clause.statements),
          l: c.line(clause),
        })),
        ...at(c, node),
      })
      return
    }
    case K.BreakStatement:
    case K.ContinueStatement: {
      const label = (node as ts.BreakStatement).label?.text
      out.push({ k: node.kind === K.BreakStatement ? 'break' : 'continue', ...(label ? { label } : {}), l: c.line(node) })
      return
    }
    case K.LabeledStatement: {
      const n = node as ts.LabeledStatement
      out.push({ k: 'block', label: n.label.text, body: c.body(n.statement), ...at(c, node) })
      return
    }
    case K.WithStatement:
      out.push({ k: 'block', body: c.body((node as ts.WithStatement).statement), ...at(c, node) })
      return
    case K.EnumDeclaration:
      enumDeclaration(c, node as ts.EnumDeclaration, out)
      return
    case K.ModuleDeclaration:
      namespaceDeclaration(c, node as ts.ModuleDeclaration, out)
      return
  }
}

function expressionStatement(c: Lowering, node: ts.ExpressionStatement): Stmt {
  const l = c.line(node)
  const expr = c.expression(node.expression)
  if (c.current === 0) recordCommonJsExport(c, expr)
  const e = c.endLine(node)
  return e === l ? { k: 'expr', expr, l } : { k: 'expr', expr, l, e }
}

function returnStatement(c: Lowering, node: ts.ReturnStatement): Stmt {
  const l = c.line(node)
  if (!node.expression) return { k: 'return', l }
  const value = c.expression(node.expression)
  const e = c.endLine(node)
  return e === l ? { k: 'return', value, l } : { k: 'return', value, l, e }
}

function ifStatement(c: Lowering, node: ts.IfStatement): Stmt {
  const l = c.line(node)
  const test = c.expression(node.expression)
  const then = c.body(node.thenStatement)
  if (node.elseStatement) return { k: 'if', test, then, else: c.body(node.elseStatement), ...at(c, node) }
  const e = c.endLine(node)
  return e === l ? { k: 'if', test, then, l } : { k: 'if', test, then, l, e }
}

/** True when the statement carries the modifier. */
function has(node: ts.Node, kind: ts.SyntaxKind): boolean {
  const modifiers = (node as { modifiers?: readonly ts.ModifierLike[] }).modifiers
  return modifiers?.some((m) => m.kind === kind) ?? false
}

function variables(c: Lowering, list: ts.VariableDeclarationList, out: Stmt[], exported: boolean): void {
  const { NodeFlags } = c.ts
  const { flags } = list
  const how = flags & NodeFlags.Const || flags & NodeFlags.Using ? 'const' : flags & NodeFlags.Let ? 'let' : 'var'
  for (const d of list.declarations) {
    const l = c.line(d)
    const to = c.pattern(d.name)
    const before = c.imports.length
    const init = d.initializer ? c.expression(d.initializer, to.k === 'name' ? to.name : undefined) : undefined
    if (init && c.current === 0 && c.imports.length > before) bindModuleLevelImport(c, to, init)
    if (c.current === 0) recordNamedExports(c, to, init)
    const e = c.endLine(d)
    if (!init) out.push({ k: 'let', how, to, ...at(c, d) })
    else out.push(e === l ? { k: 'let', how, to, init, l } : { k: 'let', how, to, init, l, e })
    if (exported) exportedDeclaration(c, to, l)
  }
}

function functionDeclaration(c: Lowering, node: ts.FunctionDeclaration, out: Stmt[]): void {
  if (!node.body) return
  const name = node.name?.text
  const isDefault = has(node, c.K.DefaultKeyword)
  const fn = c.fn(node, name ?? (isDefault ? 'default' : undefined))
  if (has(node, c.K.ExportKeyword)) {
    if (isDefault) c.exports.push({ name: 'default', ...(name ? { local: name } : { value: { k: 'fn', fn, ...at(c, node) } }), l: c.line(node) })
    else if (name) c.exports.push({ name, local: name, l: c.line(node) })
  }
  if (name) out.push({ k: 'function', name, fn, ...at(c, node) })
}

function classDeclaration(c: Lowering, node: ts.ClassDeclaration, out: Stmt[]): void {
  const { K } = c
  if (has(node, K.DeclareKeyword)) return
  const name = node.name?.text
  const lowered = lowerClass(c, node)
  if (has(node, K.ExportKeyword)) {
    if (has(node, K.DefaultKeyword))
      c.exports.push({ name: 'default', ...(name ? { local: name } : { value: { k: 'class', class: lowered, ...at(c, node) } }), l: c.line(node) })
    else if (name) c.exports.push({ name, local: name, l: c.line(node) })
  }
  out.push({ k: 'class', ...(name ? { name } : {}), class: lowered, ...at(c, node) })
}

function loop(c: Lowering, node: ts.IterationStatement): Stmt {
  const { ts } = c
  if (ts.isForStatement(node)) {
    const init: Stmt[] = []
    if (node.initializer && ts.isVariableDeclarationList(node.initializer)) variables(c, node.initializer, init, false)
    else if (node.initializer) init.push({ k: 'expr', expr: c.expression(node.initializer), l: c.line(node.initializer) })
    return {
      k: 'loop',
      how: 'for',
      ...(init.length > 0 ? { init } : {}),
      ...(node.condition ? { test: c.expression(node.condition) } : {}),
      ...(node.incrementor ? { update: c.expression(node.incrementor) } : {}),
      body: c.body(node.statement),
      ...at(c, node),
    }
  }
  if (ts.isForOfStatement(node) || ts.isForInStatement(node)) {
    const first = ts.isVariableDeclarationList(node.initializer) ? node.initializer.declarations[0]?.name : node.initializer
    const over = c.expression(node.expression)
    return {
      k: 'loop',
      how: ts.isForOfStatement(node) ? 'of' : 'in',
      ...(first ? { to: c.pattern(first) } : {}),
      over,
      body: c.body(node.statement),
      ...at(c, node),
    }
  }
  const n = node as ts.WhileStatement
  return { k: 'loop', how: ts.isWhileStatement(node) ? 'while' : 'do', test: c.expression(n.expression), body: c.body(n.statement), ...at(c, node) }
}

/** An enum is an object of constants. */
function enumDeclaration(c: Lowering, node: ts.EnumDeclaration, out: Stmt[]): void {
  const { K } = c
  if (has(node, K.DeclareKeyword)) return
  let next: number | undefined = 0
  const props = node.members.map((m): ObjectProp => {
    const l = c.line(m)
    const value: Expr = m.initializer ? c.expression(m.initializer) : next === undefined ? { k: 'opaque', l } : { k: 'lit', v: next, l }
    next = value.k === 'lit' && typeof value.v === 'number' ? value.v + 1 : undefined
    return { key: propertyName(c, m.name) ?? '*', value, l }
  })
  const place = at(c, node)
  out.push({ k: 'let', how: 'const', to: { k: 'name', name: node.name.text }, init: { k: 'obj', props, ...place }, ...place })
  if (has(node, K.ExportKeyword)) c.exports.push({ name: node.name.text, local: node.name.text, l: place.l })
}

/** A namespace is an object of what it exports; its statements run where it stands. */
function namespaceDeclaration(c: Lowering, node: ts.ModuleDeclaration, out: Stmt[]): void {
  const { ts } = c
  if (has(node, c.K.DeclareKeyword) || !ts.isIdentifier(node.name) || !node.body || !ts.isModuleBlock(node.body)) return
  const before = c.exports.length
  importedNames(c, node.body.statements)
  const body = c.statements(node.body.statements)
  // What it exports is exported from the namespace, not from the file.
  const inner = c.exports.splice(before)
  const place = at(c, node)
  const props = inner.flatMap((e): ObjectProp[] => (e.local ? [{ key: e.name, value: { k: 'id', name: e.local, l: e.l }, l: e.l }] : []))
  out.push(...body, { k: 'let', how: 'const', to: { k: 'name', name: node.name.text }, init: { k: 'obj', props, ...place }, ...place })
  if (has(node, c.K.ExportKeyword)) c.exports.push({ name: node.name.text, local: node.name.text, l: place.l })
}
