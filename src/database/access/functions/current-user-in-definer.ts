import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import type { SqlFunction } from '../../database.ts'

/** What asks in whose name it runs. */
const ASKS_ITSELF = /\bcurrent_(?:user|role)\b(?!\s*\()/i

/** Whether a function asks `current_user`, which says who owns it where it runs with the rights of its owner, whoever calls. */
export const asksItself = (body: string): boolean => ASKS_ITSELF.test(body)

const NAME = String.raw`\bcurrent_(?:user|role)(?:\s*::\s*\w+)?`
const TEXT = String.raw`'[^']{0,80}'(?:\s*::\s*\w+)?`
const EQUAL = new RegExp(String.raw`^${NAME}\s*(=|<>|!=)\s*(${TEXT})$`, 'i')
const FLIPPED = new RegExp(String.raw`^(${TEXT})\s*(=|<>|!=)\s*${NAME}$`, 'i')
const IN_LIST_CONDITION = new RegExp(String.raw`^${NAME}\s+(not\s+)?in\s*\(([^()]{1,400})\)$`, 'i')

/**
 * The body of a plpgsql function that runs with the rights of its owner (SECURITY DEFINER), without what it does for other roles alone: `if
 * current_user <> 'postgres' then …` is never entered, and nothing follows `if current_user in ('postgres') then return new`. Conditions that ask for
 * more than that stay.
 */
export function asItsOwner(body: string, owner: string): string {
  let text = body
  // each step leaves less of it
  for (let i = 0; i < MAX_DECIDED && asksItself(text); i++) {
    const decided = ifsOf(text, owner).find((f) => f.holds === false || (f.holds && !f.nested && /\breturn\b/i.test(text.slice(f.then, f.branchEnd))))
    if (!decided) break
    if (decided.holds) return text.slice(0, decided.branchEnd)
    text = `${text.slice(0, decided.start)}${decided.rest}${text.slice(decided.end)}`
  }
  return text
}

/** Questions of one body that are decided. */
const MAX_DECIDED = 50

/** The part of a function's body that can be reached, without comments. */
export const bodyInForce = rememberFor(({ body, securityDefiner, owner }: SqlFunction): string => {
  const written = withoutSqlComments(body)
  return securityDefiner ? asItsOwner(written, owner) : written
})

/** Whether a condition holds for the owner; undefined where it asks for more than who runs. */
function isOwner(condition: string, owner: string): boolean | undefined {
  const joined = /\bor\b/i.test(condition)
  // which of them belong together is not looked into
  if (joined && /\band\b/i.test(condition)) return undefined
  const terms = condition.split(joined ? /\bor\b/i : /\band\b/i).map((term) => holdsFor(term, owner))
  // one is enough for `or` to hold, and for `and` not to
  return terms.includes(joined) ? joined : terms.includes(undefined) ? undefined : !joined
}

function holdsFor(term: string, owner: string): boolean | undefined {
  const text = term
    .trim()
    .replace(/^\((.*)\)$/s, '$1')
    .trim()
  const negated = /^not\s+/i.exec(text)
  if (negated) {
    const inner = holdsFor(text.slice(negated[0].length), owner)
    return inner === undefined ? undefined : !inner
  }
  const equal = EQUAL.exec(text)
  const [op, value] = equal ? [equal[1], equal[2]] : [FLIPPED.exec(text)?.[2], FLIPPED.exec(text)?.[1]]
  if (op !== undefined && value !== undefined) return (named(value) === owner) === (op === '=')
  const among = IN_LIST_CONDITION.exec(text)
  if (!among) return undefined
  const names = (among[2] ?? '').split(',').map(named)
  return names.includes(owner) !== (among[1] !== undefined)
}

const named = (text: string): string => /'([^']*)'/.exec(text)?.[1] ?? ''

/** An `if` of a body that asks `current_user`. */
interface If {
  readonly start: number
  /** Whether its condition holds for the owner. */
  readonly holds: boolean | undefined
  /** It stands inside of another one. */
  readonly nested: boolean
  /** Where the first branch begins and ends, and where the whole statement does. */
  readonly then: number
  readonly branchEnd: number
  readonly end: number
  /** What is left of the statement when the first branch is never taken. */
  readonly rest: string
}

/** An `if` whose end was not seen yet. */
interface Open {
  readonly start: number
  condition: string
  then: number
  /** What follows the first branch: where the word begins and ends. */
  next?: { readonly word: string; readonly from: number; readonly to: number }
}

function ifsOf(text: string, owner: string): readonly If[] {
  const found: If[] = []
  const open: Open[] = []
  let cases = 0
  for (const match of text.matchAll(/\bend\s+if\b|\belse?if\b|\belse\b|\bthen\b|\bif\b|\bend\s+case\b|\bcase\b|\bend\b/gi)) {
    const word = match[0].toLowerCase().replace(/\s+/g, ' ')
    const from = match.index
    const to = from + match[0].length
    const last = open.at(-1)
    if (word === 'case') cases++
    else if (word === 'end case' || word === 'end') cases = Math.max(0, cases - 1)
    else if (cases) continue
    else if (word === 'if') open.push({ start: from, condition: '', then: -1 })
    else if (word === 'then') {
      // of `elsif` and of handlers it opens no first branch
      if (last && last.then < 0) Object.assign(last, { then: to, condition: text.slice(last.start + 2, from).trim() })
    } else if (word === 'end if') {
      open.pop()
      if (!last || last.then < 0 || !asksItself(last.condition)) continue
      const { start, then, next } = last
      const rest = !next ? 'null' : next.word === 'else' ? text.slice(next.to, from) : `if${text.slice(next.to, to)}`
      found.push({ start, holds: isOwner(last.condition, owner), nested: open.length > 0, then, branchEnd: next?.from ?? from, end: to, rest })
    } else if (last) last.next ??= { word, from, to }
  }
  return found
}
