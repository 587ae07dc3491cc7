import { fence } from '../lib/escape-markdown.ts'
import { plural } from '../lib/plural.ts'
import { migrationFor } from '../report/migration.ts'
import { promptForAll } from '../report/prompt.ts'
import type { ReportFinding } from '../report/report.ts'
import { details } from './findings.ts'
import type { Section } from './sections.ts'

/** Characters of each text, and of the shorter one where there is less room. */
const BUDGET = 15_000
const SHORT = 6000

/** What a reader copies once instead of finding by finding: a prompt for the AI builder, and the proved SQL fixes as a migration. */
export function pasteAll(introduced: readonly ReportFinding[], expendable: number, seeMore: string): Section[] {
  if (introduced.length < 2) return []
  return [
    { name: 'prompt for all', expendable, text: promptBlock(introduced, BUDGET, seeMore), short: promptBlock(introduced, SHORT, seeMore) },
    { name: 'migration', expendable: expendable - 1, text: migrationBlock(introduced, BUDGET), short: migrationBlock(introduced, SHORT) },
  ]
}

function promptBlock(introduced: readonly ReportFinding[], budget: number, seeMore: string): string {
  const prompt = promptForAll(introduced, { budget, seeMore })
  if (!prompt) return ''
  const how = prompt.left ? `Fix ${prompt.included} of ${introduced.length} at once, the worst first` : `Fix all ${introduced.length} at once`
  return details(`📋 <b>${how}</b>: one prompt to paste into your AI builder`, fence(prompt.text, 'text', Number.POSITIVE_INFINITY))
}

function migrationBlock(introduced: readonly ReportFinding[], budget: number): string {
  const migration = migrationFor(introduced, budget)
  if (!migration || migration.fixes.length < 2) return ''
  const how = `${plural(migration.fixes.length, 'database fix', 'database fixes')} as one migration`
  const left = [
    ...(migration.tooLong.length ? [`${migration.tooLong.length} for which there was no room`] : []),
    ...(migration.left.length ? [`${migration.left.length} that would collide with one of these`] : []),
  ]
  const note = left.length ? `\n\nNot in it: ${left.join(', and ')}. Each is shown at its finding.` : ''
  return details(
    `🗄️ <b>${how}</b>: each was tried and closes its hole`,
    `Save it as a new file in your migrations folder, or paste it into the SQL editor.\n\n${fence(migration.sql, 'sql', Number.POSITIVE_INFINITY)}${note}`,
  )
}
