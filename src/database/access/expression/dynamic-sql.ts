import type { Evaluator } from './evaluate.ts'
import { bases } from './predicate.ts'
import type { Alternatives, DynamicText, Scope } from './scope.ts'
import { columnParts, constantValue, kindAndFields, names, type Tree, uncast } from './tree.ts'

/** More texts than this of one variable are not followed. */
const MAX_TEXTS = 8
const MAX_LENGTH = 20_000

/** A place in the pattern of `format()`: its number, when it has one, and its kind. */
export const FORMAT_PLACE = /%(?:(\d+)\$)?-?\d*([sIL%])/g

/** Whether a table's name stands for one that is not known when the function is written, and who fills it in. */
export function placeholderTable(table: string): 'chosen' | 'unknown' | undefined {
  const name = /(?:^|\.)__(chosen|unknown)\d+$/.exec(table)?.[1]
  return name === 'chosen' || name === 'unknown' ? name : undefined
}

/** Whether the caller writes a part of the SQL that is no single value. */
export function isChosenText(text: DynamicText): boolean {
  return /__chosen\d+/.test(text.sql)
}

/** The SQL texts that an expression may build (`||`, `format`, `concat`, `quote_literal`), with names in place of what is not known. */
export function textsOf(node: Tree | undefined, scope: Scope, evaluator: Evaluator): readonly DynamicText[] {
  return new TextBuilder(scope, evaluator).texts(node).map(unquoteValues)
}

/** `'__chosen1'` between quotes is a value. */
function unquoteValues(text: DynamicText): DynamicText {
  return { ...text, sql: text.sql.replace(/'(__(?:chosen|unknown)\d+)'/g, '$1') }
}

class TextBuilder {
  readonly #scope: Scope
  readonly #evaluator: Evaluator

  constructor(scope: Scope, evaluator: Evaluator) {
    this.#scope = scope
    this.#evaluator = evaluator
  }

  texts(node: Tree | undefined): readonly DynamicText[] {
    const inner = uncast(node)
    const value = constantValue(inner)
    if (value !== undefined) return [{ sql: value === null ? '' : String(value), values: new Map() }]
    const parts = columnParts(inner)
    const kept = parts.length === 1 ? this.#scope.variables.get(parts[0] as string)?.texts : undefined
    if (kept?.length) return kept
    const [kind, n] = kindAndFields(inner)
    if (kind === 'A_Expr' && names(n['name']).at(-1) === '||') return joined([this.texts(n['lexpr']), this.texts(n['rexpr'])])
    if (kind === 'FuncCall') {
      const name = names(n['funcname']).at(-1)
      const args: readonly Tree[] = n['args'] ?? []
      if (name === 'format') return this.#format(args)
      if (name === 'concat') return joined(args.map((a) => this.texts(a)))
      if (name === 'quote_ident' || name === 'quote_literal' || name === 'quote_nullable') return this.#placed(args[0], name === 'quote_ident')
    }
    return this.#placed(inner, false)
  }

  /** `%I`, `%L` and `%s`, numbered ones too. */
  #format(args: readonly Tree[]): readonly DynamicText[] {
    const pattern = constantValue(uncast(args[0]))
    if (typeof pattern !== 'string') return this.#placed(args[0], false)
    let next = 1
    const pieces: (readonly DynamicText[])[] = []
    let from = 0
    for (const match of pattern.matchAll(FORMAT_PLACE)) {
      pieces.push([{ sql: pattern.slice(from, match.index), values: new Map() }])
      from = (match.index ?? 0) + match[0].length
      if (match[2] === '%') {
        pieces.push([{ sql: '%', values: new Map() }])
        continue
      }
      const at = match[1] ? Number(match[1]) : next
      next = at + 1
      pieces.push(match[2] === 's' ? this.texts(args[at]) : this.#placed(args[at], match[2] === 'I'))
    }
    pieces.push([{ sql: pattern.slice(from), values: new Map() }])
    return joined(pieces)
  }

  /** Something known as text; anything else gets a name. */
  #placed(node: Tree | undefined, identifier: boolean): readonly DynamicText[] {
    const values: Alternatives = node ? this.#evaluator.values(node, this.#scope) : []
    const [only] = values
    if (values.length === 1 && only?.term.t === 'const' && only.term.value !== null) {
      const text = String(only.term.value)
      return [{ sql: identifier ? `"${text.replaceAll('"', '""')}"` : text, values: new Map() }]
    }
    const chosen = values.some((v) => bases(v.term).some((t) => t.t === 'argument'))
    const name = `__${chosen ? 'chosen' : 'unknown'}${this.#evaluator.fresh()}`
    return [{ sql: name, values: new Map([[name, values]]) }]
  }
}

/** Every way to put the pieces one after the other. */
function joined(pieces: readonly (readonly DynamicText[])[]): readonly DynamicText[] {
  let texts: DynamicText[] = [{ sql: '', values: new Map() }]
  for (const piece of pieces) {
    texts = texts
      .flatMap((t) => piece.map((p) => ({ sql: t.sql + p.sql, values: new Map([...t.values, ...p.values]) })))
      .filter((t) => t.sql.length < MAX_LENGTH)
      .slice(0, MAX_TEXTS)
  }
  return texts
}
