/**
 * Exact changes of existing lines. A rewrite is given the lines as they stand and answers with the new ones; whenever they are not exactly
 * what it expects it answers undefined, so that a suggestion is either right or not made.
 */
export type Rewrite = (lines: readonly string[]) => readonly string[] | undefined

/** A literal, regular-expression safe. */
export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

/** Replaces the one match within the lines; two matches or none are no match. `find` never spans lines. */
export function swap(find: RegExp, put: string): Rewrite {
  return (lines) => {
    const all = new RegExp(find.source, find.flags.includes('g') ? find.flags : `${find.flags}g`)
    const hits = lines.flatMap((line, i) => [...line.matchAll(all)].map(() => i))
    const [at] = hits
    return at === undefined || hits.length > 1 ? undefined : lines.map((line, i) => (i === at ? line.replace(new RegExp(all.source, all.flags), put) : line))
  }
}

/** `key = old` becomes `key = value` on the first line; indentation and a comment at its end stay. For TOML and env files. */
export function setValue(key: string, value: string): Rewrite {
  return ([line = '']) => {
    const m = new RegExp(`^(\\s*${escapeRegExp(key)}\\s*=\\s*)("[^"#]*"|'[^'#]*'|[^\\s"'#]+)(\\s+#.*|\\s*)$`).exec(line)
    return m ? [`${m[1]}${value}${m[3] ?? ''}`] : undefined
  }
}

/** Replaces the quoted text in the given columns (1-based, end exclusive, without the quotes) by an expression. */
export function replaceLiteral(column: number, endColumn: number, expression: string): Rewrite {
  return ([line = '']) => {
    const before = line.slice(0, column - 1)
    const after = line.slice(endColumn - 1)
    const quote = before.at(-1) ?? ''
    // `name="…"` may be an attribute of a tag, where an expression needs braces.
    if (!/["'`]/.test(quote) || after[0] !== quote || /[\w-]=$/.test(before.slice(0, -1))) return undefined
    // An odd number of the same quote before it: the text would stand inside another literal.
    const outside = before.slice(0, -1).split(quote).length % 2 === 1
    return outside && !/^\s*(?:\/\/|\*|#)/.test(line) ? [before.slice(0, -1) + expression + after.slice(1)] : undefined
  }
}

/** Takes entries out of a list of texts in TOML, on one line or with one entry on each. */
export function removeEntries(key: string, entries: readonly string[]): Rewrite {
  return (lines) => {
    const first = lines[0] ?? ''
    if (!new RegExp(`^\\s*${escapeRegExp(key)}\\s*=\\s*\\[`).test(first)) return undefined
    const end = lines.findIndex((line) => /\]\s*(?:#.*)?$/.test(line))
    if (end < 0) return undefined
    const texts = entries.map((e) => new RegExp(`"${escapeRegExp(e)}"`))
    if (end === 0) {
      const m = /^(\s*[\w.]+\s*=\s*\[)([^\]#]*)(\].*)$/.exec(first)
      if (!m) return undefined
      const all = (m[2] as string)
        .split(',')
        .map((e) => e.trim())
        .filter(Boolean)
      const kept = all.filter((e) => !entries.includes(e.slice(1, -1)))
      return kept.length === all.length - entries.length ? [`${m[1]}${kept.join(', ')}${m[3]}`, ...lines.slice(1)] : undefined
    }
    const own = texts.map((t) => lines.findIndex((line, i) => i <= end && t.test(line) && /^\s*"[^"]*"\s*(?:,\s*)?(?:#.*)?$/.test(line)))
    return own.includes(-1) ? undefined : lines.filter((_, i) => !own.includes(i))
  }
}
