import type { FactsIndex } from '../../facts/facts.ts'
import { clientQueries } from './client-queries.ts'
import { createdTables } from './ddl.ts'
import { generatedTables } from './generated-types.ts'

/** Packages that connect a server to a database directly. */
export const DRIVERS =
  /^(pg|postgres|@neondatabase\/serverless|@vercel\/postgres|@planetscale\/database|mysql2?|drizzle-orm|@prisma\/client|kysely|knex|typeorm|sequelize)$/
/** Fewer tables in the generated types than this are a beginning, and say nothing of what is not among them. */
const ENOUGH = 3

/**
 * Scripts that stand beside the platform's migrations and are for a database of another kind, with the reason: what a container begins with that has no
 * data API, what never ran by its own name, and what the types that were generated from the project know nothing of.
 */
export function ofOtherDatabases(facts: FactsIndex, loose: readonly string[], besideMigrations: boolean): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const path of loose) if (NEVER_RAN.test(path)) found.set(path, 'is not in use, as its name says')
  if (besideMigrations) for (const [path, because] of containersOwn(facts, loose)) if (!found.has(path)) found.set(path, because)
  for (const [path, because] of unknownToTypes(facts, loose)) if (!found.has(path)) found.set(path, because)
  return found
}

const NEVER_RAN = /(?:^|[/_.-])(?:not|un)[_-]?(?:implemented|applied|used)(?:[_.-][^/]*)?\.sql$/i

/** What serves the tables of a database to browsers. */
const DATA_API_PRODUCT = /postgrest|supabase|hasura|postgraphile/i

/** `./database/schema.sql:/docker-entrypoint-initdb.d/01.sql` of a PostgreSQL that nothing in the compose file serves to browsers. */
function containersOwn(facts: FactsIndex, loose: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [path, { data }] of facts.of('config-file')) {
    const services = /compose[^/]*\.ya?ml$/i.test(path) ? (data as { services?: unknown } | undefined)?.services : undefined
    if (!services || typeof services !== 'object' || DATA_API_PRODUCT.test(JSON.stringify(services))) continue
    for (const service of Object.values(services)) {
      const volumes: unknown = (service as { volumes?: unknown } | null)?.volumes
      for (const volume of Array.isArray(volumes) ? volumes : []) {
        const source = initScripts(volume)
        const from = source === undefined ? undefined : inFolder(path.slice(0, path.lastIndexOf('/') + 1), source)
        if (!from) continue
        for (const file of loose) if (file === from || file.startsWith(`${from}/`)) found.set(file, `is what the database container of ${path} begins with`)
      }
    }
  }
  return found
}

/** The side of a volume that is in the repository, when its other side is where the image looks for scripts. */
function initScripts(volume: unknown): string | undefined {
  if (typeof volume === 'string') {
    const [from, to] = volume.split(':')
    return to?.startsWith('/docker-entrypoint-initdb.d') ? from : undefined
  }
  const { source, target } = (volume ?? {}) as { source?: unknown; target?: unknown }
  return typeof source === 'string' && typeof target === 'string' && target.startsWith('/docker-entrypoint-initdb.d') ? source : undefined
}

/** A relative path below a folder, `..` resolved; undefined for one that leaves the repository or is absolute. */
function inFolder(folder: string, relative: string): string | undefined {
  if (!/^\.{0,2}\/?[\w.]/.test(relative) || relative.startsWith('/')) return undefined
  const parts = folder.split('/').filter(Boolean)
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/**
 * Folders of scripts for a database that the server reaches by a driver of its own: of most tables in them the project's generated types know nothing, or
 * something else, and no code asks the data API for those.
 */
function unknownToTypes(facts: FactsIndex, loose: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const driver = [...facts.of('package-json')].flatMap(([path, { dependencies }]) =>
    dependencies.flatMap((d) => (d.group === 'dependencies' && DRIVERS.test(d.name) ? [`${path} depends on ${d.name}`] : [])),
  )[0]
  if (!driver) return found
  const known = generatedTables(facts)
  if (known.size < ENOUGH) return found
  const texts = facts.of('sql')
  const asked = new Set(clientQueries(facts).map((q) => q.table.toLowerCase()))
  for (const [folder, paths] of Map.groupBy(loose, (p) => p.slice(0, p.lastIndexOf('/') + 1))) {
    const created = paths.flatMap((p) => [...createdTables([texts.get(p)?.text ?? ''])].map((table) => ({ table, text: texts.get(p)?.text ?? '' })))
    const strangers = created.filter(({ table, text }) => !known.has(table) || numbersRows(text, table) === !isNumbered(known.get(table)?.columns))
    if (strangers.length <= created.length / 2 || strangers.some(({ table }) => !known.has(table) && asked.has(table))) continue
    if (!strangers.some(({ table }) => !known.has(table))) continue
    for (const p of paths)
      found.set(p, `is for another database: the types generated from the project list none of most tables in ${folder || 'it'}, and ${driver}`)
  }
  return found
}

/** Whether a script gives the rows of a table numbers (`id serial`); undefined when it does not say. */
function numbersRows(text: string, table: string): boolean | undefined {
  const key = new RegExp(`create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?(?:"?public"?\\.)?"?${table}"?\\s*\\(\\s*"?id"?\\s+(\\w+)`, 'i').exec(text)?.[1]
  return key === undefined ? undefined : /^(?:big|small)?serial|^(?:big|small)?int/i.test(key)
}

const isNumbered = (columns: readonly { readonly name: string; readonly type: string }[] | undefined): boolean =>
  /^(?:bigint|numeric)/.test(columns?.find((c) => c.name === 'id')?.type ?? '')
