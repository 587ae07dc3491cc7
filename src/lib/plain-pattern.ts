/**
 * Whether a regular expression, written as in code (`/^[\w-]+$/i`), fixes the whole text and admits nothing that has a
 * meaning in a query language: quotes, commas, semicolons, parentheses.
 */
export function admitsPlainTextOnly(literal: string): boolean {
  const body = /^\/\^(.*)\$\/[a-z]*$/s.exec(literal)?.[1]
  if (body === undefined || body.length > 300) return false
  let inClass = false
  let depth = 0
  for (let i = 0; i < body.length; i++) {
    const c = body[i] as string
    if (c === '\\') {
      if (/[SWD'"(),;]/.test(body[++i] ?? '')) return false
    } else if (inClass) {
      if (/['"(),;]/.test(c)) return false
      inClass = c !== ']'
    } else if (c === '[') {
      if (body[i + 1] === '^') return false
      inClass = true
    } else if (c === '{') {
      // a quantifier: its comma is none of the text
      const end = body.indexOf('}', i)
      if (end < 0) return false
      i = end
    } else if (c === '(') depth++
    else if (c === ')') depth--
    else if (/[.'",;]/.test(c) || (c === '|' && depth === 0)) return false
  }
  return true
}
