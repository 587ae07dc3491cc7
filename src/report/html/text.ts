import { cleanLine } from '../../lib/clean-text.ts'
import { escapeHtml } from '../../lib/escape-html.ts'

/** Text of the report; what stands between backticks is shown as code. */
export function textHtml(value: string, max = 4000): string {
  return cleanLine(value, max)
    .split(/`([^`]+)`/)
    .map((part, i) => (i % 2 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
    .join('')
}

/** A name of the repository, without any reading of it. */
export const nameHtml = (value: string, max = 400): string => escapeHtml(cleanLine(value, max))

/** Code keeps its line breaks and nothing else that is not printable. */
export const codeHtml = (value: string): string =>
  value
    .split('\n')
    .slice(0, 120)
    .map((l) => escapeHtml(cleanLine(l.replace(/\t/g, '  '), 400)))
    .join('\n')

/** Text to copy: every line and every character of it. */
export const wholeCode = (value: string): string =>
  value
    .split('\n')
    .map((l) => escapeHtml(cleanLine(l.replace(/\t/g, '  '), Number.POSITIVE_INFINITY)))
    .join('\n')
