import { cleanLine } from './clean-text.ts'

/**
 * Text of a repository for GitHub's Markdown: one line, no HTML, no formatting, no mention that notifies, no table break,
 * no automatic link or image.
 */
export function escapeMarkdown(text: string, max = 2000): string {
  return cleanLine(text, max)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_{}[\]()#+!|~]/g, '\\$&')
    .replace(/@/g, '@\u200b')
    .replace(/:\/\//g, ':\u200b//')
    .replace(/\bwww\./gi, 'www\u200b.')
    .replace(/^(\s*)([-+]|\d+\.)(?=\s)/, '$1\\$2')
}

/** Text of a repository as inline code: a fence longer than any run of backticks in it. */
export function inlineCode(text: string, max = 500): string {
  const clean = cleanLine(text, max).replace(/\|/g, '\\|')
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map((m) => m[0].length))
  const fence = '`'.repeat(longest + 1)
  const pad = clean.startsWith('`') || clean.endsWith('`') || clean.trim() === '' ? ' ' : ''
  return `${fence}${pad}${clean}${pad}${fence}`
}

/** A block of code: a fence longer than any run of backticks in it; control characters are gone, lines stay. */
export function codeBlock(text: string, language = '', maxLines = 80): string {
  const lines = text
    .split('\n')
    .slice(0, maxLines)
    .map((l) => cleanLine(l.replace(/\t/g, '  '), 400))
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language.replace(/[^a-z0-9+-]/gi, '')}\n${lines.join('\n')}\n${fence}`
}
