/** An element of a table's list, alone on its line, as MySQL writes indexes: `INDEX idx_orders_user (user_id, created_at DESC),`. */
const INLINE_INDEX = /^\s*(?:unique\s+)?(?:index|key)\s+["`\w]+\s*\([^()\n;]*\)[\s,]*(?:--.*)?$/i
const COMMENT_OR_BLANK = /^\s*(?:--.*)?$/

/**
 * CREATE TABLE with MySQL's indexes among its columns, which generated SQL often has and PostgreSQL refuses: the same text without them, line by line
 * where it was. Undefined when there are none. That the table exists, whoever wrote it found another way to see to.
 */
export function withoutInlineIndexes(text: string): string | undefined {
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
