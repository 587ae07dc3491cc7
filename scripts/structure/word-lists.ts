import ts from 'typescript'
import { placeOf, type SourceFile, visit } from './source-files.ts'

/** A place in the code that enumerates words. */
export interface WordList {
  readonly at: string
  readonly form: 'expression' | 'array' | 'keys' | 'switch' | 'comparisons' | 'text'
  /** In lower case, identifiers split into their words: `user_id` and `userId` are `user` and `id`. */
  readonly words: readonly string[]
}

const MIN_WORDS = 3
/** An alternation inside a text: three words between bars. */
const JOINED_BY_BARS = /\w{3,}\)?\|\(?\w{3,}[^|\s]*\|\(?\w{3,}/
/** Escapes, character classes, group heads and quantifiers of an expression are no words. */
const NOT_WORDS = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<\w+>|<?[!=]|:)|\{\d+,?\d*\}/g

/**
 * Every word list of a file: a regular expression with two bars or more, an array (or Set) of words, an object whose keys are all `true`,
 * a switch over words, a chain of comparisons of one value with words, a text that joins words by bars or is split into them. Values of our
 * own types are none: `ownValues` has the members of each union of literals (see `ownUnions`).
 */
export function findWordLists(file: SourceFile, ownValues: readonly ReadonlySet<string>[]): WordList[] {
  const lists: WordList[] = []
  visit(file.tree, (node) => {
    const list = listOf(node)
    if (!list || ownValues.some((own) => list.texts.every((text) => own.has(text)))) return
    const words = splitWords(list.texts)
    if (new Set(words).size >= MIN_WORDS) lists.push({ at: placeOf(file, node), form: list.form, words })
  })
  return lists
}

/** The members of every union of two or more text literals that a file declares. */
export function ownUnions(file: SourceFile): ReadonlySet<string>[] {
  const unions: ReadonlySet<string>[] = []
  visit(file.tree, (node) => {
    if (!ts.isUnionTypeNode(node)) return
    const members = node.types.flatMap((t) => (ts.isLiteralTypeNode(t) && ts.isStringLiteral(t.literal) ? [t.literal.text] : []))
    if (members.length > 1) unions.push(new Set(members))
  })
  return unions
}

function listOf(node: ts.Node): { form: WordList['form']; texts: readonly string[] } | undefined {
  if (ts.isRegularExpressionLiteral(node))
    return node.text.split('|').length > 2 ? { form: 'expression', texts: [node.text.replace(NOT_WORDS, ' ')] } : undefined
  if (ts.isArrayLiteralExpression(node)) return { form: 'array', texts: node.elements.flatMap(wordOf) }
  if (ts.isObjectLiteralExpression(node)) return { form: 'keys', texts: markedKeys(node) }
  if (ts.isSwitchStatement(node)) return { form: 'switch', texts: node.caseBlock.clauses.flatMap((c) => (ts.isCaseClause(c) ? wordOf(c.expression) : [])) }
  if (ts.isBinaryExpression(node)) return { form: 'comparisons', texts: isWithinChain(node) ? [] : comparedWords(node) }
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return textList(node)
  return undefined
}

/** The text of a string literal when it is one word or identifier. */
function wordOf(node: ts.Node): string[] {
  return ts.isStringLiteralLike(node) && /^[\w./-]+$/.test(node.text) ? [node.text] : []
}

function markedKeys(node: ts.ObjectLiteralExpression): string[] {
  const marked = node.properties.flatMap((p) => (ts.isPropertyAssignment(p) && p.initializer.kind === ts.SyntaxKind.TrueKeyword ? [p.name.getText()] : []))
  return marked.length === node.properties.length ? marked : []
}

const CHAINS = new Set([ts.SyntaxKind.BarBarToken, ts.SyntaxKind.AmpersandAmpersandToken])

function isWithinChain(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isParenthesizedExpression(parent)) return isWithinChain(parent)
  return ts.isBinaryExpression(parent) && CHAINS.has(parent.operatorToken.kind)
}

/** The words that the most compared value of a chain is compared with. */
function comparedWords(chain: ts.BinaryExpression): string[] {
  const bySubject = Map.groupBy(comparisons(chain), (c) => c.subject)
  const [most] = [...bySubject.values()].sort((a, b) => b.length - a.length)
  return most?.map((c) => c.word) ?? []
}

function comparisons(node: ts.Expression): { subject: string; word: string }[] {
  if (ts.isParenthesizedExpression(node)) return comparisons(node.expression)
  if (!ts.isBinaryExpression(node)) return []
  if (CHAINS.has(node.operatorToken.kind)) return [...comparisons(node.left), ...comparisons(node.right)]
  if (!/^[!=]==?$/.test(node.operatorToken.getText())) return []
  return wordOf(node.right).map((word) => ({ subject: node.left.getText(), word }))
}

/** `'a|b|c'`, and `'a b c'.split(' ')`. */
function textList(node: ts.StringLiteralLike | ts.TemplateExpression): { form: 'text'; texts: readonly string[] } | undefined {
  const text = ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map((s) => s.literal)].map((part) => part.text).join(' ') : node.text
  const isSplit = ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'split'
  return isSplit || JOINED_BY_BARS.test(text) ? { form: 'text', texts: [text.replace(NOT_WORDS, ' ')] } : undefined
}

function splitWords(texts: readonly string[]): string[] {
  return texts.flatMap((t) => t.replace(/([a-z])(?=[A-Z])/g, '$1 ').match(/[A-Za-z]{3,}/g) ?? []).map((w) => w.toLowerCase())
}
