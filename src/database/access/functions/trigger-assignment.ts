/** Words by which a function knows who changes the row. */
export const CALLER_AWARE_SQL = /\b(auth|current_user|session_user|current_setting|request)\b|(?:role|admin|staff|owner)\w{0,60}\s{0,5}\(/i

/**
 * Whether a trigger's function puts a value of its own into a column, whatever the caller wrote there. What it sets only while other columns of the
 * new row say so, or only where the caller left a gap, stays the caller's choice.
 */
export function setsItself(body: string, column: string): boolean {
  const own = `new\\.\\s*"?${column}"?(?!\\w)`
  if (new RegExp(`\\binto\\s+(?:strict\\s+)?(?:new\\.\\w+\\s*,\\s*)*${own}`, 'i').test(body)) return true
  const named = new RegExp(`\\b${own}`, 'gi')
  const asksWho = [...body.matchAll(CONDITION)].some((m) => CALLER_AWARE_SQL.test(m[1] ?? ''))
  return assignments(body, own).some(
    ({ value, branches }) =>
      asksWho ||
      /\bold\./i.test(value) ||
      (!(VALUE_PRESERVING_FUNCTION_SQL.test(value) && value.search(named) >= 0) && branches.every((b) => !isTheCallersChoice(b, named))),
  )
}

/** Conditions of `if` and `elsif`. */
export const CONDITION = /\b(?:else?)?if\b([^;]{1,1000}?)\bthen\b/gi

/** What leaves the caller's value in essence as it is. */
const VALUE_PRESERVING_FUNCTION_SQL = /^(?:coalesce|nullif|lower|upper|initcap|b?trim)\s*\(/i

/** Whether who writes the row decides if a branch is taken: by its other columns, or by leaving the column empty. */
function isTheCallersChoice({ condition, otherwise }: Branch, named: RegExp): boolean {
  if (otherwise || !/\bnew\./i.test(condition) || /\b(?:select|perform)\b/i.test(condition)) return false
  if (/\btg_op\b/i.test(condition) && /\bor\b/i.test(condition)) return false
  const gaps = new RegExp(`${named.source}\\s*(?:is\\s+null|=\\s*''|=\\s*0\\b)`, 'gi')
  return condition.replace(gaps, 'new.').search(named) < 0
}

interface Branch {
  readonly condition: string
  readonly otherwise: boolean
}

interface Assignment {
  readonly value: string
  /** The branches of `if` around it, outermost first. */
  readonly branches: readonly Branch[]
}

function assignments(body: string, own: string): Assignment[] {
  const found: Assignment[] = []
  const branches: Branch[] = []
  let opened: number | undefined
  const steps = new RegExp(
    `\\bend\\s+if\\b|\\b(?:else?if|elsif|if|then|else)\\b|\\bcase\\b|\\bend\\b|(?<=;|\\b(?:then|else|begin|loop))\\s*${own}\\s*=|\\b${own}\\s*:=`,
    'gi',
  )
  let cases = 0
  for (const step of body.matchAll(steps)) {
    const word = step[0].trim().toLowerCase().replace(/\s+/g, ' ')
    const end = step.index + step[0].length
    if (word === 'case') cases++
    else if (word === 'end') cases = Math.max(0, cases - 1)
    else if (cases > 0 && opened === undefined && word !== 'end if') continue
    else if (word === 'end if') branches.pop()
    else if (word === 'if') opened = end
    else if (word === 'elsif' || word === 'elseif') {
      branches.pop()
      opened = end
    } else if (word === 'then') {
      if (opened !== undefined) branches.push({ condition: body.slice(opened, step.index), otherwise: false })
      opened = undefined
    } else if (word === 'else') {
      const last = branches.pop()
      if (last) branches.push({ ...last, otherwise: true })
    } else found.push({ value: (body.slice(end).split(';', 1)[0] ?? '').trim(), branches: [...branches] })
  }
  return found
}
