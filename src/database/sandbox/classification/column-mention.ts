import type { ReplayInput } from '../../database.ts'

/** As long as the text of one table gets. */
const LONGEST = 20_000

/**
 * Whether some SQL of the repository makes a table with a column of that name, adds it or indexes it, whether or not the statement was applied, or the code asks for
 * it: of several scripts that make the table each in its own way the replay keeps one.
 */
export function speaksOfColumn({ files, hints }: Pick<ReplayInput, 'files' | 'hints'>, table: string, column: string): boolean {
  if (hints?.some((h) => h.table.replace(/^public\./, '') === table && h.columns.some((c) => c.name === column))) return true
  const [name, wanted] = [plain(table), plain(column)]
  const begins = new RegExp(`\\b(create|alter)\\s+table\\s+(?:if\\s+(?:not\\s+)?exists\\s+)?(?:only\\s+)?(?:"?public"?\\.)?"?${name}"?(?=[\\s(])`, 'gi')
  const made = new RegExp(`[(,]\\s*(?:--[^\\n]*\\n\\s*)*"?${wanted}"?\\s+\\w`, 'i')
  const added = new RegExp(`\\badd\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?"?${wanted}"?\\s`, 'i')
  const indexed = new RegExp(
    `\\bindex\\b[^;(]{0,200}\\bon\\s+(?:only\\s+)?(?:"?public"?\\.)?"?${name}"?\\s*(?:using\\s+\\w+\\s*)?\\([^;]{0,300}\\b${wanted}\\b`,
    'i',
  )
  return files.some(({ text }) => {
    if (indexed.test(text)) return true
    for (const found of text.matchAll(begins)) {
      const end = text.indexOf(';', found.index)
      const statement = text.slice(found.index, Math.min(end === -1 ? text.length : end, found.index + LONGEST))
      if ((/^create/i.test(found[0]) ? made : added).test(statement)) return true
    }
    return false
  })
}

const plain = (name: string): string => name.replace(/\W/g, '.')
