import { constant, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'

/** The value of a parameter by its number. */
type Parameter = (number: string) => Val

/** Where a word stands outside of all parentheses and texts; -1 where it does not. */
export function outside(sql: string, word: RegExp, from = 0): number {
  let depth = 0
  for (let i = from; i < sql.length; i++) {
    const c = sql.charCodeAt(i)
    if (c === QUOTE) {
      const end = sql.indexOf("'", i + 1)
      if (end < 0) return -1
      i = end
    } else if (c === OPEN) depth++
    else if (c === CLOSE) depth--
    else if (depth === 0 && (word === COMMA || i === 0 || !WORD_CHARACTER.test(sql.charAt(i - 1)))) {
      word.lastIndex = i
      if (word.test(sql)) return i
    }
  }
  return -1
}

const QUOTE = 39
const OPEN = 40
const CLOSE = 41
const WORD_CHARACTER = /\w/
const SET = /set\b/iy
const BEHIND_SET = /(?:where|from|returning)\b/iy
const COMMA = /,/y

/** `set plan = $1, credits = credits + 500`: what each column becomes. Where the row is there already, of an insertion (`on conflict … do update set`). */
export function assignments(sql: string, parameter: Parameter): Readonly<Record<string, Val>> {
  const start = outside(sql, SET)
  if (start < 0) return {}
  const end = outside(sql, BEHIND_SET, start)
  const found: Record<string, Val> = {}
  for (const one of split(sql.slice(start + 3, end < 0 ? undefined : end))) {
    const [, column, text] = /^\s*"?([a-z_]\w{0,62})"?\s*=([\s\S]+)$/i.exec(one) ?? []
    if (column && text) found[column] = assigned(column, text.trim(), parameter)
  }
  return found
}

function split(list: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (let at = outside(list, COMMA); at >= 0; at = outside(list, COMMA, from)) {
    parts.push(list.slice(from, at))
    from = at + 1
  }
  return [...parts, list.slice(from)]
}

function assigned(column: string, text: string, parameter: Parameter): Val {
  const literal = literalOf(text) ?? bound(text, parameter)
  if (literal) return literal
  // `credits + $1`, `coalesce(t.credits, 0) + 500`, `(select credits from t where …) + 500`
  const [, sign, amount] = /([+-])\s*([^+\-()]{1,80})$/.exec(text) ?? []
  if (sign && amount && new RegExp(`\\b${column}\\b`, 'i').test(text))
    return object({ [sign === '+' ? 'increment' : 'decrement']: literalOf(amount.trim()) ?? bound(amount.trim(), parameter) ?? UNKNOWN })
  const kept = /^coalesce\s*\(\s*\$(\d{1,3})(?:::\w{1,40})?\s*,/i.exec(text)?.[1]
  return kept ? parameter(kept) : UNKNOWN
}

function bound(text: string, parameter: Parameter): Val | undefined {
  const number = /^\$(\d{1,3})(?:\s*::\s*[\w[\]]{1,40})?$/.exec(text)?.[1]
  return number === undefined ? undefined : parameter(number)
}

/** A text, a number or a truth value as SQL writes it. */
export function literalOf(text: string): Val | undefined {
  const quoted = /^'([^']{0,200})'(?:\s*::\s*[\w.]{1,60})?$/.exec(text)?.[1]
  if (quoted !== undefined) return constant(quoted)
  if (/^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return constant(Number(text))
  return /^(?:true|false)$/i.test(text) ? constant(/^t/i.test(text)) : undefined
}
