/** A statement as PostgreSQL takes it, and what was done for that. */
export interface Mended {
  readonly text: string
  readonly how: keyof typeof MENDS
  /** Lines of the original that stand before the text. */
  readonly linesBefore: number
}

const MENDS = {
  'leading words': withoutLeadingWords,
  'if not exists': withoutIfNotExists,
  'inline indexes': withoutInlineIndexes,
} as const

/** What is said of a statement that was applied otherwise than as it is written. */
export const SAID_OF_MENDED: Readonly<Record<Mended['how'] | 'missing semicolon', string>> = {
  'leading words': 'what stands before the statement is no SQL; the statement was replayed without',
  'if not exists': 'PostgreSQL cannot parse it: there is no IF NOT EXISTS here; it was replayed as what it means, and fails as it is written',
  'missing semicolon':
    'PostgreSQL cannot parse it: a semicolon is missing before the next statement; both were replayed as what they mean, and fail as they are written',
  'inline indexes': 'PostgreSQL cannot parse it: CREATE TABLE knows no INDEX; the table was replayed without',
}

/**
 * What a statement that PostgreSQL refuses was meant to be, each time with one mistake less. Whoever wrote it saw to it that the database has what the
 * statement is for, or is about to.
 */
export function* mendsOf(text: string): Generator<Mended> {
  let mended = text
  let linesBefore = 0
  for (const [how, mend] of Object.entries(MENDS) as [Mended['how'], (text: string) => string | undefined][]) {
    const next = mend(mended)
    if (next === undefined) continue
    if (how === 'leading words') linesBefore = lines(mended) - lines(next)
    mended = next
    yield { text: mended, how, linesBefore }
  }
}

const lines = (text: string): number => text.split('\n').length

const BEGINS_STATEMENT = /^\s*(?:create|alter|drop|grant|revoke|insert\s+into|update|delete\s+from|comment\s+on|do\s+\$|with|select)\b/i

/** A full stop, the fence of a Markdown block or the message of a tool before a statement. */
function withoutLeadingWords(text: string): string | undefined {
  const all = text.split('\n')
  const first = all.findIndex((line) => BEGINS_STATEMENT.test(line))
  return first > 0 ? all.slice(first).join('\n').trimStart() : undefined
}

/** What PostgreSQL creates only where it is not yet, or not at all. */
const CREATES_ONCE = /^(create\s+(?:policy|trigger|type|domain|function|view|role|publication)\s+)if\s+not\s+exists\s+/i
const ADDS_ONCE = /\b(add\s+constraint\s+)if\s+not\s+exists\s+/gi

function withoutIfNotExists(text: string): string | undefined {
  const without = /^alter\s+table\b/i.test(text) ? text.replace(ADDS_ONCE, '$1') : text.replace(CREATES_ONCE, '$1')
  return without === text ? undefined : without
}

/** An element of a table's list, alone on its line, as MySQL writes indexes: `INDEX idx_orders_user (user_id, created_at DESC),`. */
const INLINE_INDEX = /^\s*(?:unique\s+)?(?:index|key)\s+["`\w]+\s*\([^()\n;]*\)(?:\s*where\s.*|[\s,]*(?:--.*)?)$/i
const COMMENT_OR_BLANK = /^\s*(?:--.*)?$/

/**
 * CREATE TABLE with MySQL's indexes among its columns, which generated SQL often has and PostgreSQL refuses: the same text without them, line by line
 * where it was. Undefined when there are none. That the table exists, whoever wrote it found another way to see to.
 */
function withoutInlineIndexes(text: string): string | undefined {
  if (!/^\s*create\s+(?:unlogged\s+)?table\b/i.test(text)) return undefined
  const lines = text.split('\n')
  const kept = lines.map((line) => (INLINE_INDEX.test(line) ? '' : line))
  if (kept.every((line, i) => line === lines[i])) return undefined
  const closing = kept.findLastIndex((line) => /^\s*\)/.test(line))
  const last = kept.findLastIndex((line, i) => i < closing && !COMMENT_OR_BLANK.test(line))
  if (last < 0) return undefined
  // what stood before the first index is the last element now
  kept[last] = (kept[last] as string).replace(/,(\s*(?:--.*)?)$/, '$1')
  return kept.join('\n')
}
