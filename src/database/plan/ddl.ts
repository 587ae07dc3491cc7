import type { SqlFile } from '../database.ts'

/** Where the tables of a database stand that is not the one of the platform: nothing that browsers reach holds them. */
export const ELSEWHERE = 'another_database'

/** Collects DDL line by line, each with the line of the source that it stems from. */
export class Ddl {
  private readonly text: string[] = []
  private readonly lines: number[] = []

  add(sql: string, line: number): void {
    for (const part of sql.split('\n')) {
      this.text.push(part)
      this.lines.push(line)
    }
  }

  /** Undefined when nothing was added. */
  file(path: string): SqlFile | undefined {
    return this.text.length ? { path, text: this.text.join('\n'), role: 'generated', lines: this.lines } : undefined
  }
}

/** Quotes an identifier. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Names of tables that SQL text creates, lower case, without the schema `public`. */
export function createdTables(texts: readonly string[]): Set<string> {
  const names = new Set<string>()
  for (const text of texts)
    for (const m of text.matchAll(CREATE_ANY_TABLE_SQL))
      names.add(`${m[1] && m[1].toLowerCase() !== 'public' ? `${m[1].toLowerCase()}.` : ''}${(m[2] as string).toLowerCase()}`)
  return names
}

const CREATE_ANY_TABLE_SQL = /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(?:"?(\w+)"?\s*\.\s*)?"?(\w+)"?/gi
