import type { Policy } from '../../database.ts'

const REFERENCE = String.raw`(?:\(("?\w+"?)\.name\)::text|("?\w+"?)\.name)`
/** What takes a path apart, with a column `name` that says of which table it is, as the database writes expressions. */
const PATH_OF = new RegExp(String.raw`\b(storage\.(?:foldername|filename|extension)\()${REFERENCE}(?=\))|\b(split_part\()${REFERENCE}(?=, '/')`, 'g')

/**
 * A sub-query of a policy on files that asks for a plain `name` asks its own table, where that has such a column: the path of the file is not asked
 * about. The table, when some policy's condition does that.
 */
export function capturedName(policy: Pick<Policy, 'using' | 'check'>): string | undefined {
  for (const text of [policy.using, policy.check]) {
    for (const match of text?.matchAll(PATH_OF) ?? []) {
      const alias = aliasOf(match)
      if (isForeign(alias, text as string)) return tableOf(alias, text as string) ?? alias
    }
  }
  return undefined
}

/** The condition with the name of the file where another table's was taken for it. */
export function askingTheFile(text: string): string {
  return text.replaceAll(PATH_OF, (whole, ...groups: (string | undefined)[]) =>
    isForeign(groups[1] ?? groups[2] ?? groups[4] ?? groups[5] ?? '', text) ? `${groups[0] ?? groups[3]}objects.name` : whole,
  )
}

const aliasOf = (match: RegExpMatchArray): string => match[2] ?? match[3] ?? match[5] ?? match[6] ?? ''

/** Whether an alias stands for another table than that of the files (which a sub-query may read once more). */
const isForeign = (alias: string, text: string): boolean => alias !== 'objects' && !/^storage\./.test(tableOf(alias, text) ?? '')

function tableOf(alias: string, text: string): string | undefined {
  const named = /\b(?:from|join) \(*((?:"?\w+"?\.)?"?\w+"?)(?: (?:as )?("?\w+"?))?/gi
  for (const [, table = '', other] of text.matchAll(named)) {
    const bare = table.slice(table.indexOf('.') + 1)
    if ((other !== undefined && !/^(?:where|join|left|on)$/i.test(other) ? other : bare) === alias) return table.replaceAll('"', '')
  }
  return undefined
}
