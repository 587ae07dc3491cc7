/** Characters of one value that are shown; a longer one is cut with its length. */
const MAX_VALUE = 2000

/**
 * Makes a value of the repository safe to show as plain text: no control characters, no terminal escapes, no characters that reorder text,
 * bounded length. Line breaks stay when `lines` is set.
 */
export function plain(value: string, options: { max?: number; lines?: boolean } = {}): string {
  const max = options.max ?? MAX_VALUE
  const cut = value.length > max ? `${value.slice(0, max)}… (${value.length} characters)` : value
  let out = ''
  for (const c of cut) {
    const code = c.codePointAt(0) as number
    if (c === '\n' || c === '\r' || c === '\t') out += options.lines && c !== '\r' ? c : ' '
    else if (code < 32 || (code >= 127 && code < 160) || isInvisible(code)) out += `\\u{${code.toString(16)}}`
    else out += c
  }
  return out
}

/** Bidirectional controls, zero-width and other invisible characters, lone surrogates. */
function isInvisible(code: number): boolean {
  return (
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0x061c ||
    code === 0xfeff ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0xe0000 && code <= 0xe007f)
  )
}

/** A value as a code span: nothing in it is Markdown, a mention or a link. Safe inside table cells. */
export function codeSpan(value: string, max = 200): string {
  const text = plain(value, { max }).trim()
  if (!text) return '` `'
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length))
  const fence = '`'.repeat(longest + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${text.replaceAll('|', '\\|')}${pad}${fence}`
}

/** A sentence of ours that may carry names of the repository: `code spans` stay, all other Markdown, HTML, mentions and links are inert. */
export function prose(value: string, max = MAX_VALUE): string {
  return plain(value, { max })
    .split(/(`[^`]+`)/)
    .map((part, i) => (i % 2 ? codeSpan(part.slice(1, -1), max) : escapeProse(part)))
    .join('')
    .replace(/^(\s*)([-+])(?=\s)/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s)/, '$1\\$2')
}

function escapeProse(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|~#!$]/g, '\\$&')
    .replaceAll('@', '@\u200b')
    .replaceAll('://', ':\u200b//')
    .replace(/\bwww\./gi, 'www\u200b.')
}

/**
 * A value as text inside HTML of ours (`<summary>`). GitHub reads no Markdown there, and with every special character as an entity no other
 * renderer does; mentions, issues and addresses, which are linked in the finished page, are broken by a space without width.
 */
export function summaryText(value: string, max = MAX_VALUE): string {
  return plain(value, { max })
    .replace(/[@#]/g, '$&\u200b')
    .replace(/[&<>"'\\`*_[\]|~!$]/g, (c) => `&#${c.charCodeAt(0)};`)
    .replaceAll('://', ':\u200b//')
    .replace(/\b(?:www\.|GH-)/gi, '$&\u200b')
}

/** A value as `<code>` inside HTML of ours. */
export function summaryCode(value: string, max = 200): string {
  return `<code>${summaryText(value, max)}</code>`
}

/** A fenced block; nothing inside can end it. */
export function fence(text: string, language = '', max = 8000): string {
  const body = plain(text, { max, lines: true })
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map((m) => m[0].length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language.replace(/[^\w+-]/g, '')}\n${body.replace(/\n$/, '')}\n${ticks}`
}

/** A path as the target of a link: every character that Markdown or URLs give a meaning is percent-encoded. */
export function linkPath(path: string): string {
  return path
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()).replace(/[()!'*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`))
    .join('/')
}

/** Length in bytes, as GitHub counts it. */
export function bytes(text: string): number {
  return Buffer.byteLength(text)
}

/** The longest prefix of at most `max` bytes, cut between characters. */
export function cutBytes(text: string, max: number): string {
  if (bytes(text) <= max) return text
  const cut = Buffer.from(text)
    .subarray(0, Math.max(0, max - 3))
    .toString('utf8')
    .replace(/(?<!\uFFFD)\uFFFD+$/, '')
  return `${cut}…`
}
