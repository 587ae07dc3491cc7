import type { FactsIndex } from '../../facts/facts.ts'
import type { ImportFact, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { withoutSqlComments } from '../../lib/sql-comments.ts'
import { DRIVERS } from './other-databases.ts'

/** Packages with which a browser or a server talks to Supabase's data API. */
const SUPABASE_CLIENTS =
  /^(@supabase\/(supabase-js|ssr|auth-helpers-[\w-]+|auth-ui-react|postgrest-js)|@nuxtjs\/supabase|nuxt-supabase|supabase-js|@supabase-cache-helpers\/[\w-]+|@refinedev\/supabase|ra-supabase)$/
const FROM_URL = /^(npm:|jsr:|https:\/\/(esm\.sh|cdn\.jsdelivr\.net\/npm|cdn\.skypack\.dev|unpkg\.com|deno\.land\/x)\/?)@?supabase([/@_-]|$)/

/** Whether a data platform exposes tables to browsers, and by which evidence. */
export interface Exposure {
  readonly exposedToBrowsers: boolean
  readonly because: string
  /** Nothing shows that it does, and a client of the platform is installed all the same. */
  readonly unusedClient?: string
}

/** Whether a data platform exposes the tables of an application to browsers, by its packages, imports, folders and SQL. */
export function exposure(facts: FactsIndex, paths: readonly string[]): Exposure {
  const imported = [...clientImports(facts.of('javascript'))][0]
  const installed = [...facts.of('package-json')].flatMap(([path, { dependencies }]) => {
    const client = dependencies.find((d) => d.group !== 'peerDependencies' && SUPABASE_CLIENTS.test(d.name))
    return client ? [`${path} depends on ${client.name}`] : []
  })[0]
  const kept = (installed || imported) && onServerAlone(facts, paths)
  if (kept) return { exposedToBrowsers: false, because: kept }
  const unused = installed !== undefined && !imported && hasDatabaseOfItsOwn(facts)
  if (installed !== undefined && !unused) return { exposedToBrowsers: true, because: installed }
  if (imported) return { exposedToBrowsers: true, because: `${imported[0]} imports ${imported[1]}` }
  const page = pageWithClient(facts)
  if (page !== undefined) return { exposedToBrowsers: true, because: `${page} loads Supabase's client` }
  const folder = paths.find((p) => /(^|\/)supabase\/(config\.toml|migrations\/|functions\/|schemas\/)/.test(p))
  const left = folder && (leftBehind(facts, paths) ?? onlyConfigured(facts, paths))
  if (folder && !left) return { exposedToBrowsers: true, because: `${folder.slice(0, folder.indexOf('supabase/') + 9)} belongs to Supabase` }
  for (const [path, file] of facts.of('sql')) {
    if (!/\bauth\.uid\(\)/.test(withoutSqlComments(file.text))) continue
    const elsewhere = folder ? undefined : (onNeon(facts) ?? onAnotherEngine(facts, path))
    if (elsewhere) return { exposedToBrowsers: false, because: elsewhere }
    return { exposedToBrowsers: true, because: `${path} speaks of auth.uid()` }
  }
  return {
    exposedToBrowsers: false,
    because: left || 'nothing in the repository uses Supabase',
    ...(unused ? { unusedClient: `${installed}, but nothing imports it` } : {}),
  }
}

/** Neon's driver, and its clients for the data API, with which a browser reaches tables as on Supabase. */
const NEON = /^@neondatabase\//
const NEON_DATA_API = /^@neondatabase\/(?:neon-js|postgrest-js)$/

/**
 * Neon knows `auth.uid()` and a role `authenticated` too, for connections that carry the user's token. Browsers reach tables there only
 * through its data API. Says so, or nothing when the repository does not show Neon, or shows a client of that API.
 */
function onNeon(facts: FactsIndex): string | undefined {
  const used = [...facts.of('package-json')].flatMap(([path, { dependencies }]) => dependencies.map(({ name }) => ({ path, name })))
  const driver = used.find(({ name }) => NEON.test(name))
  if (!driver || used.some(({ name }) => NEON_DATA_API.test(name))) return undefined
  return `the policies are Neon's (${driver.path} depends on ${driver.name}), and nothing in the repository uses its data API, which alone would let browsers reach tables`
}

/** Drivers of databases that are no PostgreSQL. */
const OTHER_ENGINES = /^(?:mysql2?|mariadb|mongodb|mongoose|better-sqlite3|sqlite3|@libsql\/client|mssql|oracledb|@planetscale\/database)(?:\/|$)/
const OF_POSTGRES = /^(?:pg|postgres|@neondatabase\/serverless|@vercel\/postgres)$/

const otherEngines = collectByCodeFile((_, file: JavaScriptFacts) => file.imports.find((i) => !i.typeOnly && OTHER_ENGINES.test(i.from))?.from)

/**
 * A draft of the schema for this platform, in an application that was then written for another database: its code connects to that one, and neither a
 * client, a folder nor a setting of the platform is left. Says so, or nothing.
 */
function onAnotherEngine(facts: FactsIndex, draft: string): string | undefined {
  const [used] = [...otherEngines(facts.of('javascript'))]
  if (!used) return undefined
  for (const file of facts.of('env-file').values()) if (file.variables.some((v) => /supabase/i.test(v.name) || HOSTED.test(v.value))) return undefined
  for (const { dependencies } of facts.of('package-json').values()) if (dependencies.some((d) => OF_POSTGRES.test(d.name))) return undefined
  return `${used[0]} connects to another database (${used[1]}), and nothing in the repository uses Supabase but the SQL of ${draft}`
}

const drizzleDrivers = collectByCodeFile((_, file: JavaScriptFacts) => {
  const drivers = file.imports.flatMap((i) => (!i.typeOnly && DRIZZLE_DRIVER.test(i.from) ? [i.from] : []))
  return drivers.length ? drivers : undefined
})
const DRIZZLE_DRIVER =
  /^drizzle-orm\/(?:neon-serverless|neon-http|postgres-js|node-postgres|vercel-postgres|aws-data-api|pg-proxy|pglite|bun-sql|supabase|xata-http)/

/**
 * Whether Drizzle's tables stand on Neon, beside a project of Supabase that signs people in: Neon's driver speaks to no other database, and
 * nothing of the repository connects to one.
 */
export function drizzleOnNeon(facts: FactsIndex): boolean {
  const drivers = [...drizzleDrivers(facts.of('javascript')).values()].flat()
  if (!drivers.length || !drivers.every((d) => /\/neon-/.test(d))) return false
  for (const file of facts.of('env-file').values()) if (file.variables.some((v) => /^postgres/i.test(v.value) && HOSTED.test(v.value))) return false
  return ![...facts.of('package-json').values()].some(({ dependencies }) => dependencies.some((d) => NEON_DATA_API.test(d.name)))
}

/** An import that brings a client in; types alone bring none. */
const isClient = (i: ImportFact): boolean => !i.typeOnly && (SUPABASE_CLIENTS.test(i.from) || FROM_URL.test(i.from))

const clientImports = collectByCodeFile((_, file: JavaScriptFacts) => file.imports.find(isClient)?.from)

/** Whether any code makes a client of the platform. */
export const clientOfPlatform = (facts: FactsIndex): boolean => clientImports(facts.of('javascript')).size > 0

const PUBLIC_ENV_VARIABLE = /\b(?:(?:NEXT|EXPO|NUXT|GATSBY)_PUBLIC|VITE|REACT_APP|PUBLIC|VUE_APP)_\w{0,40}SUPABASE/
const SECRET_SETTING = /"SUPABASE_\w+"/
const OF_BROWSERS = /(?:^|\/)(?:client|frontend|components|hooks|integrations)\//

/** Which files make a client, and whether it is one of settings that no browser is given. */
const serverClients = collectByCodeFile((path, file: JavaScriptFacts): boolean | undefined => {
  const packages = file.imports.filter(isClient).map((i) => i.from)
  if (!packages.length) return undefined
  if (packages.some((p) => p !== '@supabase/supabase-js') || file.directives.includes('use client') || OF_BROWSERS.test(path)) return false
  const code = JSON.stringify(file.functions)
  return SECRET_SETTING.test(code) && !PUBLIC_ENV_VARIABLE.test(code) && !/"import","l"|supabase\.co\b/.test(code)
})

/**
 * An application whose server alone speaks to the platform (to keep pictures there), with a key that no browser is given, while the tables
 * are Prisma's or Drizzle's. Says so, or nothing when it is otherwise.
 */
function onServerAlone(facts: FactsIndex, paths: readonly string[]): string | undefined {
  const clients = [...serverClients(facts.of('javascript'))]
  const [first] = clients
  if (!first || clients.some(([, kept]) => !kept)) return undefined
  for (const { dependencies } of facts.of('package-json').values())
    if (dependencies.some((d) => d.name !== '@supabase/supabase-js' && SUPABASE_CLIENTS.test(d.name))) return undefined
  for (const file of facts.of('env-file').values()) if (file.variables.some((v) => PUBLIC_ENV_VARIABLE.test(v.name))) return undefined
  for (const file of facts.of('sql').values()) if (PLATFORM_SQL.test(file.text)) return undefined
  const orm = ofAnOrm(facts, paths)
  return orm && `${first[0]} speaks to Supabase with a key that only the server has, and the tables are those of ${orm}: browsers have no key for them`
}

/** The files of code that make a client of the platform, or take one from its packages. */
export const filesWithClient = (facts: FactsIndex): readonly string[] => [...clientImports(facts.of('javascript')).keys()]

/** A page of plain HTML that loads the platform's client. */
export function pageWithClient(facts: FactsIndex): string | undefined {
  for (const [path, file] of facts.of('text')) if (/\.html?$/i.test(path) && /@supabase\/supabase-js|supabase\.createClient\(/.test(file.text)) return path
  return undefined
}

/** What only SQL for this platform speaks of: its users, its roles, its storage, row level security. */
const PLATFORM_SQL =
  /\bauth\s*\.\s*(?:uid|users|role|jwt|email)\b|\bstorage\s*\.\s*\w|\b(?:anon|authenticated|service_role|supabase_\w+)\b|\brow\s+level\s+security\b/i

/** A connection to a database that Supabase hosts. */
const HOSTED = /\bsupabase\.(?:co|com|net)\b/i

/**
 * Whether an application reaches a database over a connection of its own, and neither its SQL nor its settings place that on Supabase: a
 * client that is only listed in package.json is left over then.
 */
function hasDatabaseOfItsOwn(facts: FactsIndex): boolean {
  for (const file of facts.of('sql').values()) if (PLATFORM_SQL.test(file.text)) return false
  for (const file of facts.of('env-file').values()) if (file.variables.some((v) => /^postgres/i.test(v.value) && HOSTED.test(v.value))) return false
  return [...facts.of('package-json').values()].some(({ dependencies }) => dependencies.some((d) => d.group === 'dependencies' && DRIVERS.test(d.name)))
}

/**
 * Migrations in a folder `supabase/` that an application has left: nothing but plain SQL, a driver of its own, and neither a
 * configuration of the platform nor a function for it. Says so, or nothing when the platform may still be in use.
 */
function leftBehind(facts: FactsIndex, paths: readonly string[]): string | undefined {
  if (paths.some((p) => /(^|\/)supabase\/(config\.toml$|functions\/|schemas\/)/.test(p))) return undefined
  for (const [path, file] of facts.of('sql')) if (/(^|\/)supabase\//.test(path) && PLATFORM_SQL.test(file.text)) return undefined
  for (const file of facts.of('env-file').values()) if (file.variables.some((v) => /supabase/i.test(v.name))) return undefined
  for (const [path, manifest] of facts.of('package-json')) {
    const driver = manifest.dependencies.find((d) => d.group === 'dependencies' && DRIVERS.test(d.name))
    if (driver)
      return `the migrations in supabase/ say nothing of Supabase, nothing else uses it, and ${path} connects to a database of its own (${driver.name})`
  }
  return undefined
}

const ORM_FOLDER = /(?:^|\/)(?:prisma|drizzle)\//
const CREATES_TABLES = /\bcreate\s+(?:unlogged\s+)?table\b/i

/** The file that declares the tables, where they are Prisma's or Drizzle's alone. */
function ofAnOrm(facts: FactsIndex, paths: readonly string[]): string | undefined {
  if (paths.some((p) => /(^|\/)supabase\/(?:functions\/|schemas\/|.{1,200}\.sql$)/.test(p))) return undefined
  const orm = paths.find((p) => /\.prisma$/.test(p) || /(?:^|\/)drizzle\.config\.[cm]?[jt]s$/.test(p))
  if (!orm) return undefined
  for (const [path, file] of facts.of('sql')) if (!ORM_FOLDER.test(path) && CREATES_TABLES.test(file.text)) return undefined
  return orm
}

/**
 * The configuration of the local stack beside tables of an ORM, in an application without a client of the platform: browsers hold no key to
 * reach them with. Says so, or nothing when it is otherwise.
 */
function onlyConfigured(facts: FactsIndex, paths: readonly string[]): string | undefined {
  const orm = ofAnOrm(facts, paths)
  return (
    orm &&
    `supabase/ only configures the local stack, nothing in the repository uses Supabase's client, and the tables are those of ${orm}: browsers have no key for them`
  )
}
