import type { FactKind, FactsIndex } from '../facts/facts.ts'
import type { ReplayInput, SqlFile, TableHint } from './database.ts'
import { clientSchemas, openedSchemas } from './plan/client-schemas.ts'
import { declaredSchema } from './plan/declared-schema.ts'
import { exposure } from './plan/exposure.ts'
import { findSqlFiles } from './plan/find-sql-files.ts'
import { tableHints } from './plan/table-hints.ts'

/** The kinds of facts of files that are no code; they tell which SQL is replayed, unless code declares tables. */
export const KINDS_BESIDE_CODE: readonly FactKind[] = ['sql', 'text', 'config-file', 'package-json', 'env-file', 'secrets']

/** What is replayed as far as it is known before the code is read: without hints. Undefined when code may declare more, or expose more. */
export function planWithoutCode(facts: FactsIndex, paths: readonly string[]): ReplayInput | undefined {
  const { exposedSchemas } = apiSettings(facts)
  if ([...openedSchemas(facts)].some((s) => !exposedSchemas.includes(s))) return undefined
  for (const { dependencies } of facts.of('package-json').values()) if (dependencies.some((d) => d.name === 'drizzle-orm')) return undefined
  const { hints: _incomplete, ...plan } = planReplay(facts, paths)
  return plan
}

/** Which SQL is replayed, in which order, and what the sandbox must know beside it. Pure. */
export function planReplay(facts: FactsIndex, paths: readonly string[]): ReplayInput {
  const { exposedToBrowsers } = exposure(facts, paths)
  const written = findSqlFiles(facts)
  const files: SqlFile[] = [...written, ...declaredSchema(facts, written)]
  const api = apiSettings(facts)
  const hints: readonly TableHint[] = tableHints(facts)
  return { files, exposedToBrowsers, ...api, ...(hints.length ? { hints } : {}) }
}

/** `[api]` of every `supabase/config.toml`, and the schemas in which code asks the API. */
function apiSettings(facts: FactsIndex): Pick<ReplayInput, 'exposedSchemas' | 'autoExpose'> {
  const schemas = new Set(['public'])
  let autoExpose: boolean | undefined
  for (const [path, file] of facts.of('config-file')) {
    if (!/(^|\/)supabase\/config\.toml$/.test(path)) continue
    const api = (file.data as { api?: { schemas?: unknown; auto_expose_new_tables?: unknown } } | undefined)?.api
    if (Array.isArray(api?.schemas)) for (const s of api.schemas) if (typeof s === 'string') schemas.add(s)
    if (typeof api?.auto_expose_new_tables === 'boolean') autoExpose = (autoExpose ?? false) || api.auto_expose_new_tables
  }
  for (const schema of clientSchemas(facts)) schemas.add(schema)
  schemas.delete('graphql_public')
  schemas.delete('storage')
  return { exposedSchemas: [...schemas], ...(autoExpose !== undefined ? { autoExpose } : {}) }
}
