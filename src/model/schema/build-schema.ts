import type { Catalog } from '../../database/database.ts'
import { clientQueries } from '../../database/plan/client-queries.ts'
import { clientSchemas } from '../../database/plan/client-schemas.ts'
import { exposure, filesWithClient, pageWithClient } from '../../database/plan/exposure.ts'
import { prismaAccessors } from '../../database/plan/prisma/prisma-ddl.ts'
import type { AppModel } from '../app-model.ts'
import { fileRole, sourceFiles } from '../files/files.ts'
import type { ModelInput } from '../model-input.ts'
import { type BucketInCode, bucketsInCode } from './buckets-in-code.ts'
import { bucketsInConfig } from './buckets-in-config.ts'
import { callsInCode } from './calls-in-code.ts'
import { otherClients } from './own-clients.ts'
import type { SchemaModel } from './schema-model.ts'

const EMPTY_SCHEMA: Catalog = { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false }

/** The schema slice: the replayed catalog, and which tables code queries that no SQL creates. */
export function buildSchema(input: ModelInput, slices: Pick<AppModel, 'files' | 'workspaces' | 'modules'>): SchemaModel {
  const catalog = input.database?.catalog ?? EMPTY_SCHEMA
  const accessors = prismaAccessors(input.facts)
  const queries = throughPlatform(input, slices.modules)
  const { exposedToBrowsers, because, unusedClient } = exposure(input.facts, slices.files.paths)
  return {
    ...catalog,
    tables: withAccessors(catalog.tables, accessors),
    files: input.database?.order ?? [],
    exposedToBrowsers,
    exposedBecause: because,
    ...(unusedClient === undefined ? {} : { unusedClient }),
    queriedButNotCreated: exposedToBrowsers ? queriedButNotCreated(input, catalog) : [],
    queries,
    ...(isKeyInPage(input, slices.modules, queries) ? {} : { keyOnServerAlone: true as const }),
    calls: callsInCode(sourceFiles(input.facts.of('javascript'))),
    accessors,
    bucketsInCode: withConfigured(bucketsInCode(sourceFiles(input.facts.of('javascript'))), bucketsInConfig(input.facts)),
  }
}

/**
 * The queries through the platform's client. Where the application has a client of its own, and no page has the platform's, what pages ask by any other
 * name (a parameter, a variable of a function) is asked through that one as well.
 */
function throughPlatform({ facts }: ModelInput, modules: AppModel['modules']): NonNullable<SchemaModel['queries']> {
  const otherClient = otherClients(facts, modules)
  const asked = clientQueries(facts).flatMap((q) => (isTestOrExample(q.path) ? [] : [{ q, other: otherClient(q) }]))
  const withClient = new Set(filesWithClient(facts))
  const inPage = pageWithClient(facts) !== undefined || [...withClient].some((path) => isLoaded(path, modules))
  const ownAlone = !inPage && asked.some(({ other }) => other === 'own')
  return asked.flatMap(({ q, other }) => {
    if (other === 'own' || (ownAlone && other === undefined && q.verb && !withClient.has(q.path))) return []
    return [other === 'service' ? { ...q, onServer: true as const } : q]
  })
}

const isLoaded = (path: string, modules: AppModel['modules']): boolean => /^(?:client|both)$/.test(modules.side(path))

/** Whether code that browsers load may hold the platform's public key; where no such code is known, nothing says otherwise. */
function isKeyInPage({ facts }: ModelInput, modules: AppModel['modules'], queries: NonNullable<SchemaModel['queries']>): boolean {
  if (!modules.clientEntries.length || pageWithClient(facts) !== undefined) return true
  return filesWithClient(facts).some((path) => isLoaded(path, modules)) || queries.some((q) => modules.inBrowser(q.path, q.line))
}

/** The tables, with what Prisma's client calls those that have another name. */
function withAccessors(tables: Catalog['tables'], accessors: ReadonlyMap<string, string>): Catalog['tables'] {
  const calls = new Map([...accessors].map(([called, table]) => [table, called]))
  return tables.map((t) => {
    const called = calls.get(t.schema === 'public' ? t.name : `${t.schema}.${t.name}`)
    return called !== undefined && called !== t.name.toLowerCase() ? { ...t, calledInCode: called } : t
  })
}

/** The buckets of the code; where the configuration speaks of one, its flag and line count. */
function withConfigured(inCode: readonly BucketInCode[], configured: readonly BucketInCode[]): readonly BucketInCode[] {
  const named = new Map(configured.map((b) => [b.name, b]))
  const used = inCode.map((b) => ({ ...b, ...named.get(b.name) }))
  return [...used, ...configured.filter((b) => !inCode.some((c) => c.name === b.name))]
}

/** The first place that queries each table (or view) which the SQL lacks or the replay had to make up. */
function queriedButNotCreated(input: ModelInput, catalog: Catalog): SchemaModel['queriedButNotCreated'] {
  const asked = clientSchemas(input.facts)
  const created = new Set(
    [...catalog.tables.filter((t) => !t.stub && !t.outlined), ...catalog.views].flatMap((t) => [
      `${t.schema}.${t.name}`,
      ...(t.schema === 'public' || asked.has(t.schema) ? [t.name] : []),
    ]),
  )
  const missing = new Map<string, { table: string; path: string; line: number }>()
  for (const q of clientQueries(input.facts)) {
    if (created.has(q.table) || missing.has(q.table) || isTestOrExample(q.path)) continue
    missing.set(q.table, { table: q.table.includes('.') ? q.table : `public.${q.table}`, path: q.path, line: q.line })
  }
  return [...missing.values()].sort((a, b) => (a.table < b.table ? -1 : 1))
}

function isTestOrExample(path: string): boolean {
  return fileRole(path) !== 'source'
}
