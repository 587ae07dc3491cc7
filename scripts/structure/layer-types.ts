import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import type { SourceFile } from './source-files.ts'

/** A type that one layer (a folder directly below `src`) exports and another one imports. */
export interface LayerType {
  readonly name: string
  /** The file that declares it. */
  readonly path: string
}

/** Every type that crosses a layer, by name: interfaces, aliases and classes, followed through re-exports to where they are declared. */
export function layerTypes(files: readonly SourceFile[]): LayerType[] {
  const byPath = new Map(files.map((f) => [f.path, f]))
  const found = new Map<string, LayerType>()
  for (const file of files)
    for (const { name, from } of namedImports(file)) {
      const type = declaration(byPath, from, name)
      const layer = type && layerOf(type.path)
      if (layer && layer !== layerOf(file.path)) found.set(`${type.path} ${type.name}`, type)
    }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name) || a.path.localeCompare(b.path))
}

/** `checks` of `src/checks/api/auth.ts`; undefined for the entries directly below `src`. */
function layerOf(path: string): string | undefined {
  const [, layer, ...below] = path.split('/')
  return below.length ? layer : undefined
}

/** Names as the other file exports them. */
function namedImports(file: SourceFile): { name: string; from: string }[] {
  return file.tree.statements.flatMap((s) => {
    if (!ts.isImportDeclaration(s)) return []
    const bindings = s.importClause?.namedBindings
    const from = targetOf(file.path, s.moduleSpecifier)
    return from && bindings && ts.isNamedImports(bindings) ? bindings.elements.map((e) => ({ name: (e.propertyName ?? e.name).text, from })) : []
  })
}

/** Where an exported type is declared, and as what; undefined for values, unknown names and other packages. */
function declaration(byPath: ReadonlyMap<string, SourceFile>, path: string, name: string, seen = new Set<string>()): LayerType | undefined {
  const file = byPath.get(path)
  if (!file || seen.has(`${path} ${name}`)) return undefined
  seen.add(`${path} ${name}`)
  if (file.tree.statements.some((s) => isExportedType(s, name))) return { name, path }
  for (const s of file.tree.statements) {
    if (!ts.isExportDeclaration(s)) continue
    const from = targetOf(path, s.moduleSpecifier)
    const original = nameBehind(s, name)
    const declared = from && original && declaration(byPath, from, original, seen)
    if (declared) return declared
  }
  return undefined
}

function isExportedType(s: ts.Statement, name: string): boolean {
  if (!ts.isInterfaceDeclaration(s) && !ts.isTypeAliasDeclaration(s) && !ts.isClassDeclaration(s)) return false
  return s.name?.text === name && (s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword) ?? false)
}

/** What a re-export calls a name in the file that it takes it from. */
function nameBehind(s: ts.ExportDeclaration, name: string): string | undefined {
  if (!s.exportClause) return name
  if (!ts.isNamedExports(s.exportClause)) return undefined
  const element = s.exportClause.elements.find((e) => e.name.text === name)
  return element && (element.propertyName ?? element.name).text
}

function targetOf(path: string, specifier: ts.Expression | undefined): string | undefined {
  return specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')
    ? normalize(join(dirname(path), specifier.text)).replaceAll('\\', '/')
    : undefined
}
