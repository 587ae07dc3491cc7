import { fence } from '../lib/escape-markdown.ts'
import { migrationFor } from '../report/migration.ts'
import { promptForAll } from '../report/prompt.ts'
import type { ReportFinding } from '../report/report.ts'
import { details } from './findings.ts'
import type { Section } from './sections.ts'
import { count } from './verdict.ts'

/** What a reader copies once instead of finding by finding: a prompt for the AI builder, and the proved SQL fixes as a migration. */
export function pasteAll(introduced: readonly ReportFinding[], expendable: number): Section[] {
  const prompt =
    introduced.length > 1
      ? details(`📋 <b>Fix all ${introduced.length} at once</b>: one prompt to paste into your AI builder`, fence(promptForAll(introduced), 'text', 15_000))
      : ''
  const migration = migrationFor(introduced)
  const sql =
    migration && migration.fixes.length > 1
      ? details(
          `🗄️ <b>${count(migration.fixes.length, 'database fix', 'database fixes')} as one migration</b>: each was tried and closes its hole`,
          `Save it as a new file in your migrations folder, or paste it into the SQL editor.\n\n${fence(migration.sql, 'sql', 15_000)}${migration.left.length ? `\n\nNot in it, because it would collide with one of these: ${migration.left.length} more, shown at its finding.` : ''}`,
        )
      : ''
  return [
    { name: 'prompt for all', expendable, text: prompt },
    { name: 'migration', expendable: expendable - 1, text: sql },
  ]
}
