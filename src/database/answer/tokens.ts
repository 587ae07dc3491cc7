/** A token of SQL: an unquoted word in lower case, a quoted name as it is, a literal, or one character. */
export interface Token {
  readonly kind: 'word' | 'name' | 'literal' | 'other'
  readonly text: string
}

const WORD_START = /[A-Za-z_\u0080-\uffff]/
const WORD_PART = /[A-Za-z0-9_$\u0080-\uffff]/

/** The tokens of one statement without comments. One pass, linear; never throws. */
export function tokensOf(sql: string, most = Number.POSITIVE_INFINITY): readonly Token[] {
  const tokens: Token[] = []
  let i = 0
  while (i < sql.length && tokens.length < most) {
    const c = sql[i] as string
    if (/\s/.test(c)) i++
    else if (c === '-' && sql[i + 1] === '-') i = endOf(sql, '\n', i)
    else if (c === '/' && sql[i + 1] === '*') i = afterComment(sql, i)
    else if (c === '"') {
      const end = afterQuote(sql, i, '"', false)
      tokens.push({ kind: 'name', text: sql.slice(i + 1, end - 1).replaceAll('""', '"') })
      i = end
    } else if (c === "'") {
      const before = tokens.at(-1)
      const escapes = before?.kind === 'word' && before.text === 'e' && /[eE]/.test(sql[i - 1] ?? '')
      const end = afterQuote(sql, i, "'", escapes)
      tokens.push({ kind: 'literal', text: sql.slice(i + 1, end - 1).replaceAll("''", "'") })
      i = end
    } else if (c === '$') {
      const tag = dollarTag(sql, i)
      const end = tag === undefined ? i + 1 : endOf(sql, tag, i + tag.length)
      tokens.push(
        tag === undefined ? { kind: 'other', text: c } : { kind: 'literal', text: sql.slice(i + tag.length, Math.max(i + tag.length, end - tag.length)) },
      )
      i = end
    } else if (WORD_START.test(c)) {
      const from = i
      while (i < sql.length && WORD_PART.test(sql[i] as string)) i++
      tokens.push({ kind: 'word', text: lowered(sql.slice(from, i)) })
    } else {
      tokens.push({ kind: 'other', text: c })
      i++
    }
  }
  return tokens
}

/** PostgreSQL folds ASCII letters alone. */
const lowered = (word: string): string => word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function endOf(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from)
  return found < 0 ? sql.length : found + mark.length
}

function afterComment(sql: string, from: number): number {
  let depth = 0
  for (let i = from; i < sql.length; i++) {
    if (sql[i] === '/' && sql[i + 1] === '*') {
      depth++
      i++
    } else if (sql[i] === '*' && sql[i + 1] === '/') {
      depth--
      i++
      if (depth === 0) return i + 1
    }
  }
  return sql.length
}

function afterQuote(sql: string, from: number, quote: string, escapes: boolean): number {
  for (let i = from + 1; i < sql.length; i++) {
    if (escapes && sql[i] === '\\') i++
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1
      i++
    }
  }
  return sql.length
}

/** `$$` or `$body$` at a place; a tag is no longer than a name. */
function dollarTag(sql: string, at: number): string | undefined {
  return /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(sql.slice(at, at + 70))?.[0]
}

/** A name as the database keeps it: cut at 63 bytes, between two characters. */
export function identifier(name: string): string {
  if (name.length <= 21 || Buffer.byteLength(name) <= 63) return name
  let cut = ''
  let bytes = 0
  for (const character of name) {
    bytes += Buffer.byteLength(character)
    if (bytes > 63) break
    cut += character
  }
  return cut
}

/** Reads tokens one after another. */
export class Cursor {
  private readonly tokens: readonly Token[]
  private i = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  get next(): Token | undefined {
    return this.tokens[this.i]
  }

  get rest(): readonly Token[] {
    return this.tokens.slice(this.i)
  }

  /** Takes unquoted words that follow each other, if they all do. */
  takes(...words: readonly string[]): boolean {
    if (!words.every((w, k) => this.isAt(k, 'word', w))) return false
    this.i += words.length
    return true
  }

  takesMark(mark: string): boolean {
    if (!this.isAt(0, 'other', mark)) return false
    this.i++
    return true
  }

  skip(): void {
    this.i++
  }

  /** A name that may be qualified, `schema.name`; undefined when none stands here. */
  name(): Name | undefined {
    const parts: string[] = []
    do {
      const token = this.next
      if (token?.kind !== 'word' && token?.kind !== 'name') return undefined
      parts.push(identifier(token.text))
      this.i++
    } while (this.takesMark('.'))
    const [last, schema] = parts.reverse() as [string, string | undefined]
    return { ...(schema === undefined ? {} : { schema }), name: last }
  }

  private isAt(offset: number, kind: Token['kind'], text: string): boolean {
    const token = this.tokens[this.i + offset]
    return token?.kind === kind && token.text === text
  }
}

/** A name as a statement writes it. */
export interface Name {
  readonly schema?: string
  readonly name: string
}
