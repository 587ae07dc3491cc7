/** One assignment of an env file, quotes and inline comments gone. */
export interface DotenvEntry {
  readonly name: string
  readonly value: string
  readonly line: number
}

const ASSIGNMENT = /^\s*(?:export\s+|set\s+)?([A-Za-z_][\w.-]{0,200})(?:\s*=|:\s)[ \t]*(?![ \t])(.*)$/
const MAX_MULTILINE = 200

/** Reads dotenv syntax: `export`, single, double and backtick quotes, values over several lines, inline comments, `NAME: value`. */
export function parseDotenv(text: string): DotenvEntry[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const entries: DotenvEntry[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    if (/^\s*(?:#|$)/.test(line) || line.length > 20_000) continue
    const match = ASSIGNMENT.exec(line)
    if (!match) continue
    const [, name = '', rest = ''] = match
    const quote = /^["'`]/.exec(rest)?.[0]
    if (!quote) {
      entries.push({ name, value: rest.replace(/(?:^|(?<!\s)\s+)#[\s\S]*/, '').trim(), line: i + 1 })
      continue
    }
    const closed = closingQuote(rest, quote)
    if (closed !== -1) {
      entries.push({ name, value: unescapeValue(rest.slice(1, closed), quote), line: i + 1 })
      continue
    }
    const last = Math.min(lines.length, i + MAX_MULTILINE)
    let end = i + 1
    while (end < last && closingQuote(` ${lines[end]}`, quote) === -1) end++
    if (end >= last) {
      entries.push({ name, value: rest.slice(1).trim(), line: i + 1 })
      continue
    }
    const tail = lines[end] as string
    entries.push({
      name,
      value: unescapeValue([rest.slice(1), ...lines.slice(i + 1, end), tail.slice(0, closingQuote(` ${tail}`, quote) - 1)].join('\n'), quote),
      line: i + 1,
    })
    i = end
  }
  return entries
}

function closingQuote(text: string, quote: string): number {
  for (let i = 1; i < text.length; i++) {
    if (text[i] === '\\' && quote === '"') i++
    else if (text[i] === quote) return i
  }
  return -1
}

function unescapeValue(value: string, quote: string): string {
  return quote === '"'
    ? value
        .replace(/\\n/g, '\n')
        .replace(/\\r/g, '\r')
        .replace(/\\(["\\$])/g, '$1')
    : value
}
