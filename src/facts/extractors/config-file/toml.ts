import { parse, TomlError } from 'smol-toml'
import type { Problem } from '../../facts.ts'
import type { ConfigReading } from './config-reading.ts'

/** TOML 1.0. A file with an error is read without the offending lines, as far as that helps. */
export function readToml(text: string): ConfigReading {
  const lines = keyLines(text)
  const problems: Problem[] = []
  let rest = text
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return { data: parse(rest), lines, problems }
    } catch (error) {
      const line = error instanceof TomlError ? error.line : 1
      if (!problems.length) problems.push({ line, message: 'is not valid TOML' })
      const kept = rest.split('\n')
      if (!(error instanceof TomlError) || !kept[line - 1]?.trim()) break
      kept[line - 1] = ''
      rest = kept.join('\n')
    }
  }
  return { data: undefined, lines, problems }
}

const TOML_TABLE_HEADER = /^\s*(\[{1,2})\s{0,100}([^\]\n]{1,300}?)\s{0,100}\]{1,2}\s*(?:#.*)?$/
const TOML_KEY =
  /^\s*((?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[A-Za-z0-9_-]{1,200})(?:\s{0,20}\.\s{0,20}(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[A-Za-z0-9_-]{1,200})){0,20})\s{0,100}=\s*(?!\s)(.*)$/

/** The parser keeps no positions: the lines of headers and keys are read beside it, strings and arrays of several lines left out. */
function keyLines(text: string): Record<string, number> {
  const lines: Record<string, number> = {}
  const counts = new Map<string, number>()
  let section = ''
  let until: string | undefined
  let brackets = 0
  text.split('\n').forEach((raw, i) => {
    const line = raw.replace(/\r$/, '')
    if (until) {
      if (line.includes(until)) until = undefined
      return
    }
    if (brackets > 0) {
      brackets += balance(line)
      return
    }
    const header = TOML_TABLE_HEADER.exec(line)
    if (header) {
      section = segments(header[2] ?? '').join('.')
      if (header[1] === '[[') {
        const n = counts.get(section) ?? 0
        counts.set(section, n + 1)
        section = `${section}.${n}`
      }
      lines[section] = i + 1
      return
    }
    const key = TOML_KEY.exec(line)
    if (!key) return
    const path = [section, ...segments(key[1] ?? '')].filter(Boolean).join('.')
    lines[path] ??= i + 1
    const value = key[2] ?? ''
    inlineKeys(value, path, i + 1, lines)
    const fence = /^("""|''')/.exec(value)?.[1]
    if (fence && !value.slice(3).includes(fence)) until = fence
    else if (/^[[{]/.test(value)) brackets = Math.max(0, balance(value))
  })
  return lines
}

function segments(dotted: string): string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([^.\s"']+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? '')
}

/** Keys of an inline table stand on the line of the table. */
function inlineKeys(value: string, path: string, line: number, lines: Record<string, number>): void {
  if (!value.startsWith('{')) return
  for (const m of value.slice(0, 2000).matchAll(/[{,]\s*([A-Za-z0-9_-]{1,100})\s*=/g)) lines[`${path}.${m[1]}`] ??= line
}

/** Opened minus closed brackets, strings and comments left out. */
function balance(line: string): number {
  let depth = 0
  let quote = ''
  for (const c of line) {
    if (quote) {
      if (c === quote) quote = ''
    } else if (c === '"' || c === "'") quote = c
    else if (c === '#') break
    else if (c === '[' || c === '{') depth++
    else if (c === ']' || c === '}') depth--
  }
  return depth
}
