import { isExposed } from '../access/policies/exposed-table.ts'
import type { Table } from '../database.ts'
import { markCopies } from '../sandbox/classification/row-copies.ts'
import { classifyUserData } from '../sandbox/classification/user-data.ts'
import type { Grounds } from './grounds.ts'

/** What is wrong with what was concluded from the catalog, in a sentence: the parent concludes the same by itself. */
export function wrongHole({ sent, told }: Grounds): string | undefined {
  const { tables, policies, triggers, functions } = told.catalog
  const plain = tables.map(({ userData: _, ...t }): Table => t)
  const asRead = policies.map(({ dependsOnStubs: _, ...p }) => p)
  const classified = markCopies(classifyUserData(plain, asRead), triggers, functions)
  for (const [i, { schema, name, userData }] of tables.entries())
    if (JSON.stringify(userData) !== JSON.stringify(classified[i]?.userData)) return `whose the rows of ${schema}.${name} are does not follow from its columns`
  const { holes } = told.access
  if (!holes) return undefined
  const open = new Set(holes.flatMap((h) => (h.kind === 'no-rls' ? [h.object] : [])))
  const exposed = new Set(sent.input.exposedSchemas)
  const missing = tables.find((t) => isOpen(t, exposed) && !open.has(`${t.schema}.${t.name}`))
  return missing && `${missing.schema}.${missing.name} has no row level security, and is not told among what is open`
}

/** As the sandbox tells them, without anything tried. */
function isOpen(t: Table, exposed: ReadonlySet<string>): boolean {
  return isExposed(t, exposed) && !t.rls.enabled && (!(t.stub || t.outlined) || t.rls.at !== undefined) && !t.extension
}
