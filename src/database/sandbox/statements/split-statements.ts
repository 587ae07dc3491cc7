/** One statement as written, without its semicolon. */
export interface StatementText {
  readonly text: string
  /** Line of its first token and of its last, 1-based. */
  readonly line: number
  readonly endLine: number
}

/** A file's statements, and what had to be left out before parsing. */
export interface Split {
  readonly statements: readonly StatementText[]
  readonly problems: readonly { readonly line: number; readonly message: string; readonly anything: boolean }[]
}

/** Comments nested deeper than this take PostgreSQL's scanner quadratic time. */
const MAX_COMMENT_DEPTH = 50

/**
 * Cuts SQL text at top-level semicolons, as psql does: quotes, dollar quotes, nested comments, parentheses and `BEGIN ATOMIC`
 * bodies are respected; psql's own commands and COPY data are left out. One pass, linear; never throws.
 */
export function splitStatements(source: string): Split {
  return new Scanner(clean(source), false).run()
}

/** Cuts one piece of `splitStatements` again where a line begins like a statement of its own: a semicolon was forgotten before it. */
export function splitAtMissingSemicolons(piece: StatementText): readonly StatementText[] {
  const { statements } = new Scanner({ text: piece.text, nulLine: undefined }, true).run()
  return statements.map((s) => ({ text: s.text, line: piece.line + s.line - 1, endLine: piece.line + s.endLine - 1 }))
}

/** UTF-16 that was read as UTF-8 has a NUL in every second place; other NULs would cut the text off in a C parser. */
function clean(source: string): { text: string; nulLine: number | undefined } {
  let text = withBodyQuotes(source.replace(/^[\uFEFF\uFFFE\uFFFD]+/, (m) => ' '.repeat(m.length)))
  const first = text.indexOf('\0')
  if (first < 0) return { text, nulLine: undefined }
  const nuls = text.split('\0').length - 1
  if (nuls > text.length / 3) return { text: text.replaceAll('\0', ''), nulLine: undefined }
  const nulLine = lineAt(text, first)
  text = text.replaceAll('\0', ' ')
  return { text, nulLine }
}

/** Quotes of bodies as they were before a shell or a template had them: `\$\$`, or a single `$` where a body begins and where it ends. */
function withBodyQuotes(text: string): string {
  const whole = text.replaceAll('\\$\\$', '$$$$')
  const opened = whole.match(OPENS_BODY)?.length ?? 0
  if (!opened || opened !== whole.match(CLOSES_BODY)?.length) return whole
  return whole.replace(OPENS_BODY, '$1$$$$').replace(CLOSES_BODY, '$$$$')
}

const OPENS_BODY = /\b(as\s{1,20})\$(?=\s)/gi
const CLOSES_BODY = /^\$(?=\s*(?:;|$|language\b))/gim

function lineAt(text: string, end: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < end; i = text.indexOf('\n', i + 1)) line++
  return line
}

const IDENTIFIER_START = /[A-Za-z_\u0080-\uffff]/
const IDENTIFIER_PART = /[A-Za-z0-9_$\u0080-\uffff]/

/** What a statement about the schema begins with, and what seldom begins a line inside of one. */
const STATEMENT_WORDS = new Set(['alter', 'comment', 'create', 'drop', 'grant', 'insert', 'revoke'])

class Scanner {
  private readonly text: string
  private readonly statements: StatementText[] = []
  private readonly problems: { line: number; message: string; anything: boolean }[] = []
  private i = 0
  private line = 1
  private start = -1
  private startLine = 1
  private end = -1
  private endLine = 1
  private parens = 0
  private atomic = 0
  private words: string[] = []

  private readonly cutsAtWords: boolean

  constructor(source: { text: string; nulLine: number | undefined }, cutsAtWords: boolean) {
    this.text = source.text
    this.cutsAtWords = cutsAtWords
    if (source.nulLine !== undefined) this.problems.push({ line: source.nulLine, message: 'holds a NUL byte, read as a blank', anything: false })
  }

  run(): Split {
    while (this.i < this.text.length) this.step()
    this.finish(this.endLine)
    return { statements: this.statements, problems: this.problems }
  }

  private step(): void {
    const { text } = this
    const c = text[this.i] as string
    if (c === '\n') this.newline()
    else if (c === ' ' || c === '\t' || c === '\r' || c === '\f' || c === '\v' || c === '\u00a0' || c === '\ufeff') this.i++
    else if (c === '-' && text[this.i + 1] === '-') this.skipLine()
    else if (c === '/' && text[this.i + 1] === '*') this.comment()
    else if (c === '\\' && this.atLineStart()) this.skipLine()
    else if (c === ';' && this.parens <= 0 && this.atomic === 0) this.semicolon()
    else this.token(c)
  }

  private token(c: string): void {
    if (this.start < 0) {
      this.start = this.i
      this.startLine = this.line
    }
    if (c === "'") this.quoted("'", /[eE]/.test(this.text[this.i - 1] ?? '') && !IDENTIFIER_PART.test(this.text[this.i - 2] ?? ' '))
    else if (c === '"') this.quoted('"', false)
    else if (c === '$' && this.dollarQuoted()) {
      // The whole literal is one token.
    } else if (IDENTIFIER_START.test(c)) this.word()
    else {
      if (c === '(') this.parens++
      else if (c === ')') this.parens--
      this.i++
    }
    this.end = this.i
    this.endLine = this.line
  }

  private word(): void {
    const from = this.i
    while (this.i < this.text.length && IDENTIFIER_PART.test(this.text[this.i] as string)) this.i++
    const word = this.i - from <= 12 ? this.text.slice(from, this.i).toLowerCase() : ''
    if (this.cutsAtWords && from > this.start && this.parens <= 0 && this.atomic === 0 && STATEMENT_WORDS.has(word) && this.beginsLine(from)) {
      this.finish(this.endLine)
      this.start = from
      this.startLine = this.line
    }
    if (this.words.length < 6) this.words.push(word)
    const previous = this.previousWord
    this.previousWord = word
    if (word === 'atomic' && previous === 'begin' && this.createsRoutine()) this.atomic = 1
    else if (this.atomic > 0 && word === 'case') this.atomic++
    else if (this.atomic > 0 && word === 'end') this.atomic--
  }

  private previousWord = ''

  private beginsLine(at: number): boolean {
    return this.text.slice(this.text.lastIndexOf('\n', at) + 1, at).trim() === ''
  }

  private createsRoutine(): boolean {
    return this.words[0] === 'create' && this.words.some((w) => w === 'function' || w === 'procedure')
  }

  private quoted(quote: string, backslash: boolean): void {
    this.i++
    while (this.i < this.text.length) {
      const c = this.text[this.i] as string
      if (c === '\n') this.line++
      if (backslash && c === '\\') this.i++
      else if (c === quote) {
        if (this.text[this.i + 1] !== quote) break
        this.i++
      }
      this.i++
    }
    this.i++
  }

  private dollarQuoted(): boolean {
    if (IDENTIFIER_PART.test(this.text[this.i - 1] ?? ' ')) return false
    let j = this.i + 1
    while (j < this.text.length && j - this.i < 64 && /[A-Za-z0-9_\u0080-\uffff]/.test(this.text[j] as string)) j++
    if (this.text[j] !== '$' || /[0-9]/.test(this.text[this.i + 1] as string)) return false
    const tag = this.text.slice(this.i, j + 1)
    const close = this.text.indexOf(tag, j + 1)
    const stop = close < 0 ? this.text.length : close + tag.length
    for (let k = this.i; k < stop; k++) if (this.text.charCodeAt(k) === 10) this.line++
    this.i = stop
    return true
  }

  private comment(): void {
    const line = this.line
    let depth = 0
    do {
      const two = this.text.slice(this.i, this.i + 2)
      if (two === '/*') {
        depth++
        this.i += 2
        if (depth > MAX_COMMENT_DEPTH) {
          this.problems.push({ line, message: `holds comments nested deeper than ${MAX_COMMENT_DEPTH}: the rest of the file was not analysed`, anything: true })
          this.i = this.text.length
          this.start = -1
          return
        }
      } else if (two === '*/') {
        depth--
        this.i += 2
      } else {
        if (this.text[this.i] === '\n') this.line++
        this.i++
      }
    } while (depth > 0 && this.i < this.text.length)
  }

  private newline(): void {
    this.line++
    this.i++
  }

  private skipLine(): void {
    const stop = this.text.indexOf('\n', this.i)
    this.i = stop < 0 ? this.text.length : stop
  }

  private atLineStart(): boolean {
    return this.start < 0 && this.beginsLine(this.i)
  }

  private semicolon(): void {
    const copies = this.words[0] === 'copy' && /\bfrom\s+stdin\b/i.test(this.text.slice(this.start, this.i).slice(-2000))
    this.finish(this.line)
    this.i++
    if (copies) this.skipCopyData()
  }

  private finish(endLine: number): void {
    if (this.start >= 0) this.statements.push({ text: this.text.slice(this.start, this.end), line: this.startLine, endLine })
    this.start = -1
    this.parens = 0
    this.atomic = 0
    this.words = []
    this.previousWord = ''
  }

  /** The data of COPY FROM stdin ends at a line that holds `\.` alone. */
  private skipCopyData(): void {
    const stop = /\n\\\.[ \t]*\r?(\n|$)/g
    stop.lastIndex = this.i
    const found = stop.exec(this.text)
    const to = found ? found.index + 3 : this.text.length
    for (let k = this.i; k < to; k++) if (this.text.charCodeAt(k) === 10) this.line++
    this.i = to
  }
}
