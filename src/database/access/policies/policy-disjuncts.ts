/**
 * The alternatives of a condition as PostgreSQL deparses it, `((a = 1) OR (b = 2))`: each with the parentheses that it has there. One that is no
 * alternative of others is the only one.
 */
export function orBranches(condition: string): readonly string[] {
  const text = withoutOuter(condition.trim())
  const branches: string[] = []
  let depth = 0
  let quoted: string | undefined
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c === quoted) quoted = undefined
    } else if (c === "'" || c === '"') quoted = c
    else if (c === '(') depth++
    else if (c === ')') depth--
    else if (depth === 0 && text.startsWith(' OR ', i)) {
      branches.push(text.slice(from, i).trim())
      from = i + 4
    } else if (depth === 0 && text.startsWith(' AND ', i)) return [condition.trim()]
  }
  branches.push(text.slice(from).trim())
  return branches.length > 1 ? branches : [condition.trim()]
}

/** The text within parentheses that hold all of it. */
function withoutOuter(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text
  let depth = 0
  let quoted: string | undefined
  for (let i = 0; i < text.length - 1; i++) {
    const c = text[i]
    if (quoted) {
      if (c === quoted) quoted = undefined
    } else if (c === "'" || c === '"') quoted = c
    else if (c === '(') depth++
    else if (c === ')' && --depth === 0) return text
  }
  return text.slice(1, -1).trim()
}
