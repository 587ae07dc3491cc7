import { globSync, readFileSync } from 'node:fs'
import { analyse } from 'scslre'
import ts from 'typescript'

/** A regular expression of the sources. */
export interface Found {
  readonly source: string
  readonly flags: string
  readonly at: string
}

/**
 * Every regular expression that the sources write down: literals, and what is given to `new RegExp` as text. Parts that are put in at run
 * time stand as a name, unless they are a constant of the file; `unread` tells where the text is not written in the call.
 */
export function regularExpressions(pattern: string): { found: Found[]; unread: string[] } {
  const found: Found[] = []
  const unread: string[] = []
  for (const path of globSync(pattern)) {
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
    const constants = stringConstants(file)
    const visit = (node: ts.Node): void => {
      const at = `${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/')
        found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), at })
      } else if (ts.isNewExpression(node) && node.expression.getText(file) === 'RegExp') {
        const source = node.arguments?.[0] && textOf(node.arguments[0], constants)
        const flags = node.arguments?.[1] && ts.isStringLiteral(node.arguments[1]) ? node.arguments[1].text : ''
        if (source === undefined) unread.push(at)
        else found.push({ source, flags, at })
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return { found, unread }
}

/** Why an expression can take more than linear time; nothing when it cannot. */
export function superLinear({ source, flags }: Pick<Found, 'source' | 'flags'>): string[] {
  return analyse({ source, flags }).reports.map((r) => (r.exponential ? 'exponential' : `polynomial (${r.type})`))
}

function stringConstants(file: ts.SourceFile): Map<string, string> {
  const constants = new Map<string, string>()
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      const text = initializer && textOf(initializer, constants)
      if (ts.isIdentifier(name) && text !== undefined) constants.set(name.text, text)
    }
  }
  return constants
}

function textOf(node: ts.Expression, constants: ReadonlyMap<string, string>): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'String' && node.name.text === 'raw') return undefined
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw')
    return ts.isNoSubstitutionTemplateLiteral(node.template) ? node.template.rawText : join(node.template, constants, true)
  if (ts.isTemplateExpression(node)) return join(node, constants, false)
  return undefined
}

function join(node: ts.TemplateExpression, constants: ReadonlyMap<string, string>, raw: boolean): string {
  const text = (part: ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail) => (raw ? (part.rawText ?? '') : part.text)
  return text(node.head) + node.templateSpans.map((span) => (constants.get(span.expression.getText()) ?? 'name') + text(span.literal)).join('')
}
