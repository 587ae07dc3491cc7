import type { SqlFunction } from '../../database/database.ts'
import { admitsPlainTextOnly } from '../../lib/plain-pattern.ts'

/** A string of a PL/pgSQL function that is executed and holds one of its parameters unquoted. */
export interface DynamicStatement {
  readonly parameter: string
  /** `concatenation`, `format %s` or `whole statement`. */
  readonly how: string
}

type Token = { readonly kind: 'word' | 'string' | 'op'; readonly text: string }

/** Types whose text form cannot carry SQL. */
const INERT =
  /^(?:uuid|u?int\d*|integer|smallint|bigint|serial|numeric|decimal|real|double precision|boolean|bool|date|time|timestamp|timestamptz|interval|oid|regclass|regtype|regproc|money|float\d?)\b/i
const QUOTING = new Set(['quote_ident', 'quote_literal', 'quote_nullable', 'to_regclass', 'array_length', 'length', 'cardinality'])

/** The first EXECUTE of a function whose text holds a parameter that nothing quotes. */
export function dynamicStatement(fn: SqlFunction): DynamicStatement | undefined {
  if (!/plpgsql/i.test(fn.language) || !/\bexecute\b/i.test(fn.body)) return undefined
  const tainted = new Set(fn.args.filter((a) => a.name && !INERT.test(a.type)).map((a) => (a.name as string).toLowerCase()))
  fn.args.forEach((a, i) => {
    if (!INERT.test(a.type)) tainted.add(`$${i + 1}`)
  })
  if (!tainted.size) return undefined
  const tokens = tokenize(fn.body)
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i] as Token
    // local := … parameter …
    if (t.kind === 'op' && (t.text === ':=' || t.text === '=') && tokens[i - 1]?.kind === 'word' && startsStatement(tokens, i - 1)) {
      const end = endOf(tokens, i + 1)
      const expression = tokens.slice(i + 1, end)
      if (
        unquoted(expression, tainted) &&
        expression.some((x) => (x.kind === 'op' && x.text === '||') || (x.kind === 'word' && /^(?:format|concat|concat_ws)$/i.test(x.text)))
      )
        tainted.add((tokens[i - 1] as Token).text.toLowerCase())
      continue
    }
    const checked = refusedUnlessListed(tokens, i)
    if (checked) tainted.delete(checked)
    if (t.kind !== 'word' || t.text.toLowerCase() !== 'execute') continue
    const previous = tokens[i - 1]?.text.toLowerCase()
    if (previous === 'grant' || previous === 'revoke' || previous === 'for' || /^(?:function|procedure)$/i.test(tokens[i + 1]?.text ?? '')) continue
    const expression = tokens.slice(i + 1, endOf(tokens, i + 1))
    const found = unquoted(expression, tainted)
    if (found) return { parameter: found.parameter, how: found.how }
  }
  return undefined
}

/** `IF p NOT IN ('a', 'b') THEN RAISE`, `p <> ALL (…)`, `p !~ '^…$'`: the parameter that is one of a fixed set from here on. */
function refusedUnlessListed(tokens: readonly Token[], at: number): string | undefined {
  const word = (i: number) => tokens[i]?.text.toLowerCase()
  if (word(at) !== 'if') return undefined
  let i = at + 1
  const turned = word(i) === 'not'
  if (turned) i++
  const open = word(i) === '('
  if (open) i++
  const name = word(i)
  const then = tokens.findIndex((t, n) => n > i && t.text.toLowerCase() === 'then')
  if (!name || then < 0 || then - i > 120 || word(then + 1) !== 'raise') return undefined
  const test = tokens.slice(i + 1, open ? closing(tokens, at + (turned ? 2 : 1)) : then)
  // another way into the branch only refuses more; another way past it does not
  if (tokens.slice(at, then).some((t) => t.text.toLowerCase() === 'and')) return undefined
  const text = test
    .slice(0, 4)
    .map((t) => t.text.toLowerCase())
    .join(' ')
  const fixed = test.every((t) => t.kind !== 'word' || /^(?:not|in|all|any|array|text|varchar)$/i.test(t.text))
  if (!fixed) return undefined
  if (turned ? /^(?:in \(|= any)/.test(text) : /^(?:not in \(|< > all|! = all)/.test(text)) return name
  const pattern = test.find((t) => t.kind === 'string')?.text ?? ''
  return (turned ? /^~/ : /^! ~/).test(text) && admitsPlainTextOnly(`/${pattern}/`) ? name : undefined
}

function startsStatement(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  return (
    !before || before.text === ';' || /^(?:begin|then|else|loop|declare|text|varchar)$/i.test(before.text) || /^(?:text|varchar)$/i.test(tokens[at]?.text ?? '')
  )
}

function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let i = from; i < tokens.length; i++) {
    const t = tokens[i] as Token
    if (t.text === '(') depth++
    else if (t.text === ')') depth--
    else if (depth <= 0 && (t.text === ';' || (t.kind === 'word' && /^(?:into|using|loop)$/i.test(t.text)))) return i
  }
  return tokens.length
}

function unquoted(expression: readonly Token[], tainted: ReadonlySet<string>): DynamicStatement | undefined {
  for (let i = 0; i < expression.length; i++) {
    const t = expression[i] as Token
    if (t.kind === 'word' && QUOTING.has(t.text.toLowerCase()) && expression[i + 1]?.text === '(') {
      i = closing(expression, i + 1)
      continue
    }
    if (t.kind === 'word' && t.text.toLowerCase() === 'format' && expression[i + 1]?.text === '(') {
      const end = closing(expression, i + 1)
      const found = formatted(expression.slice(i + 2, end), tainted)
      if (found) return found
      i = end
      continue
    }
    if (t.kind === 'word' && tainted.has(t.text.toLowerCase())) return { parameter: t.text, how: expression.length === 1 ? 'whole statement' : 'concatenation' }
  }
  return undefined
}

/** `format('… %s …', a, b)`: which argument a `%s` takes. */
function formatted(args: readonly Token[], tainted: ReadonlySet<string>): DynamicStatement | undefined {
  const list: Token[][] = [[]]
  let depth = 0
  for (const t of args) {
    if (t.text === '(') depth++
    if (t.text === ')') depth--
    if (t.text === ',' && depth === 0) list.push([])
    else (list[list.length - 1] as Token[]).push(t)
  }
  const [pattern = [], ...values] = list
  const direct = unquoted(pattern, tainted)
  if (direct) return direct
  const text = pattern
    .filter((t) => t.kind === 'string')
    .map((t) => t.text)
    .join('')
  let n = 0
  for (const m of text.matchAll(/%(?:(\d+)\$)?(-?\d*)([sIL%])/g)) {
    if (m[3] === '%') continue
    const index = m[1] ? Number(m[1]) - 1 : n++
    if (m[3] !== 's') continue
    const found = unquoted(values[index] ?? [], tainted)
    if (found) return { parameter: found.parameter, how: 'format %s' }
  }
  return undefined
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let i = open; i < tokens.length; i++) {
    if ((tokens[i] as Token).text === '(') depth++
    if ((tokens[i] as Token).text === ')' && --depth === 0) return i
  }
  return tokens.length
}

const TOKEN = /--[^\n]*|\/\*|'(?:[^']|'')*'|\$[a-z_]*\$|\$\d+|"[^"]*"|[a-z_][\w]*|:=|\|\||[^\s]/gi

function tokenize(body: string): Token[] {
  const out: Token[] = []
  TOKEN.lastIndex = 0
  for (let m = TOKEN.exec(body); m && out.length < 20_000; m = TOKEN.exec(body)) {
    const text = m[0]
    if (text.startsWith('--')) continue
    if (text === '/*') {
      const end = body.indexOf('*/', TOKEN.lastIndex)
      TOKEN.lastIndex = end < 0 ? body.length : end + 2
      continue
    }
    if (text.startsWith("'")) out.push({ kind: 'string', text: text.slice(1, -1) })
    else if (/^\$[a-z_]*\$$/i.test(text)) {
      const end = body.indexOf(text, TOKEN.lastIndex)
      out.push({ kind: 'string', text: body.slice(TOKEN.lastIndex, end < 0 ? body.length : end) })
      TOKEN.lastIndex = end < 0 ? body.length : end + text.length
    } else if (/^[a-z_"$]/i.test(text)) out.push({ kind: 'word', text: text.replace(/"/g, '') })
    else out.push({ kind: 'op', text })
  }
  return out
}
