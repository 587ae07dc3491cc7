import { isDeepStrictEqual } from 'node:util'
import type { AccessMatrix, DatabaseGap } from '../database/database.ts'
import { otherDatabases } from '../database/plan/find-sql-files.ts'
import { isApplicationPath } from '../lexicon/application-folders.ts'
import { isServedPath } from '../lexicon/served-paths.ts'
import type { AppModel, DeclaredModel, ModelBase } from './app-model.ts'
import { buildAuth } from './auth/build-auth.ts'
import { buildCode } from './code/build-code.ts'
import { buildCoverage } from './coverage/build-coverage.ts'
import { importedByEndpoints } from './coverage/reach.ts'
import { buildDependencies } from './dependencies/build-dependencies.ts'
import { buildEnv } from './env/build-env.ts'
import { buildFiles, fileRole } from './files/files.ts'
import { isScript } from './files/script.ts'
import type { Gap } from './gap.ts'
import type { ModelInput } from './model-input.ts'
import { buildModules } from './modules/build-modules.ts'
import { buildPayments } from './payments/build-payments.ts'
import { buildRoutes } from './routes/build-routes.ts'
import { buildSchema } from './schema/build-schema.ts'
import type { SchemaModel } from './schema/schema-model.ts'
import { buildWorkspaces } from './workspaces/workspaces.ts'

/** Folds facts into what the application is. Pure. */
export function buildModel(input: ModelInput): AppModel {
  const files = buildFiles(input.files.map((f) => f.path))
  const workspaces = buildWorkspaces(input.facts)
  const declared: DeclaredModel = {
    public: input.config.public,
    productionDomains: input.config.production.domains,
    ...(input.hosted ? { hosted: input.hosted } : {}),
  }
  const modules = buildModules(input, { files, workspaces })
  const { schema, access } = asBefore(input, buildSchema(input, { files, workspaces, modules }), input.database?.access ?? { objects: [] })
  const base: ModelBase = { files, workspaces, declared, schema, access, modules }
  const routes = buildRoutes(input, base)
  const withRoutes = { ...base, routes }
  const env = buildEnv(input, withRoutes)
  const code = buildCode(input, { ...withRoutes, env })
  const auth = buildAuth(input, { ...withRoutes, env })
  const payments = buildPayments(input, withRoutes)
  const dependencies = buildDependencies(input, { workspaces })
  return {
    ...withRoutes,
    env,
    code,
    auth,
    payments,
    dependencies,
    coverage: buildCoverage(input, withRoutes),
    gaps: [
      ...input.gaps.map((g) => sourceGap(g, input, withRoutes)),
      ...(input.database?.gaps ?? []).map(databaseGap),
      ...otherDatabases(input.facts).map((o) => ({ path: o.path, because: `${o.because}; it was left out`, touches: [] })),
    ],
  }
}

/** Tables, functions, policies and access as they were known before where they are equal: what was judged by them holds then. */
function asBefore({ memory }: ModelInput, schema: SchemaModel, access: AccessMatrix): { readonly schema: SchemaModel; readonly access: AccessMatrix } {
  const before = memory?.database
  const same = <T>(known: T | undefined, now: T): T => (known !== undefined && isDeepStrictEqual(known, now) ? known : now)
  const now = {
    tables: same(before?.tables, schema.tables),
    functions: same(before?.functions, schema.functions),
    policies: same(before?.policies, schema.policies),
    access: same(before?.access, access),
  }
  if (memory) memory.database = now
  const { tables, functions, policies } = now
  return { schema: { ...schema, tables, functions, policies }, access: now.access }
}

const SQL_TOPICS = ['table', 'rls', 'policy', 'grant', 'function', 'view', 'bucket'] as const

/** To the database `anything` is anything that SQL says; it casts no doubt on what only code shows. */
function databaseGap(gap: DatabaseGap): Gap {
  return gap.touches.some((t) => t.topic === 'anything') ? { ...gap, touches: SQL_TOPICS.map((topic) => ({ topic })) } : gap
}

/**
 * Tests, examples and documents never make or hide a finding, nor does a script that stands alone, and what only browsers run decides nothing about what
 * servers do: what could not be read of them casts no doubt there.
 */
function sourceGap(gap: Gap, input: ModelInput, slices: Pick<AppModel, 'modules' | 'routes'>): Gap {
  const role = fileRole(gap.path)
  if (role !== 'source' && role !== 'seed') return { ...gap, touches: gap.touches.filter((t) => t.topic !== 'code' && t.topic !== 'source-text') }
  if (standsAlone(gap.path, input, slices) || isScript(gap.path, slices) || runsInBrowsersAlone(gap.path, input, slices))
    return { ...gap, touches: gap.touches.filter((t) => t.topic !== 'code') }
  if (isBesideTheApplication(gap.path, slices)) return { ...gap, touches: gap.touches.filter((t) => t.topic !== 'code') }
  return servesPagesAlone(gap.path, slices) ? { ...gap, touches: gap.touches.map((t) => (t.topic === 'code' ? { ...t, topic: 'pages' } : t)) } : gap
}

/** A file in none of the folders of the application that nothing imports and that serves nothing: a tool of whoever works on it. */
const isBesideTheApplication = (path: string, slices: Pick<AppModel, 'modules' | 'routes'>): boolean =>
  !isApplicationPath(path) &&
  !isServedPath(path) &&
  slices.modules.importers(path).length === 0 &&
  slices.modules.side(path) === 'unreached' &&
  !importedByEndpoints(path, slices)

/** A page, or a part of pages: whoever imports it, however far away, is one, and no endpoint runs it. */
function servesPagesAlone(path: string, { modules, routes }: Pick<AppModel, 'modules' | 'routes'>): boolean {
  const pages = new Set(routes.routes.flatMap((r) => (r.kind === 'page' ? [r.path] : [])))
  const endpoints = new Set(routes.routes.flatMap((r) => (r.kind === 'page' ? [] : [r.path])))
  const seen = new Set([path])
  for (const file of seen) {
    if (endpoints.has(file)) return false
    const importers = modules.importers(file)
    if (!importers.length && !pages.has(file)) return false
    for (const { path: importer } of importers) seen.add(importer)
  }
  return true
}

/**
 * A module that is part of a page's bundle, and that nothing a server runs imports, however far away; or a component that nothing imports.
 * Whatever imports a module that says `use client` on a server has a reference to it alone.
 */
function runsInBrowsersAlone(path: string, { facts }: ModelInput, { modules, routes }: Pick<AppModel, 'modules' | 'routes'>): boolean {
  const side = modules.side(path)
  const unusedComponent = side === 'unreached' && /\.[jt]sx$/.test(path) && modules.clientEntries.length > 0 && modules.importers(path).length === 0
  if (side !== 'client' && !unusedComponent) return false
  const handlers = new Set(routes.routes.map((r) => r.path))
  const seen = new Set([path])
  for (const file of seen) {
    if (handlers.has(file) || /^(?:server|both)$/.test(modules.side(file))) return false
    if (facts.of('javascript').get(file)?.directives.includes('use client')) continue
    for (const { path: importer } of modules.importers(file)) seen.add(importer)
  }
  return true
}

/** A script that imports nothing, gives nothing away, serves nothing and is imported by nothing: a snippet for a console, a userscript. */
function standsAlone(path: string, input: ModelInput, slices: Pick<AppModel, 'modules' | 'routes'>): boolean {
  const js = input.facts.of('javascript').get(path)
  return (
    js !== undefined &&
    js.imports.length === 0 &&
    js.exports.length === 0 &&
    slices.modules.importers(path).length === 0 &&
    !slices.routes.routes.some((r) => r.path === path)
  )
}
