import type { FactsIndex } from '../../facts/facts.ts'
import type { SqlFile } from '../database.ts'
import { isContextExport, isForReading, readableExport } from './context-export.ts'
import { ofOtherDatabases } from './other-databases.ts'

/** Folders whose SQL never ran, or ran for something else. */
const LEFT_OUT =
  /(^|\/)(\.bolt\/supabase_discarded_migrations|archived?migrations|discarded(_migrations)?|deprecated|obsolete|(\w*[-_])?old([-_]\w*)?|x[-_]migrations|(\w*[-_])?(archived?|disabled|legacy|unused|backups?)([-_]\w*)?|rollbacks?|\.history|\.temp|\.branches|node_modules|vendor|examples?|fixtures?|__tests__|tests?|spec|e2e|docs?\/examples?|snippets)\//i
const SEED_FILE =
  /(^|\/)(seeds?|seeders?|seed[-_]data|sample[-_]data|mock[-_]data|dumps?)(\/|[^/]*\.sql$)|(^|\/)[^/]*[-_.](seeds?|sample[-_]?data|test[-_]?data|demo[-_]?data)\.sql$/i
/** Steps back, by the word that the name begins or ends with: `lock_down_tables` and, with the version of a migration, `revert_open_policy` are steps ahead. */
const DOWN =
  /(^|\/)(\d{1,7}[._-])?(down|rollback|undo|revert)([._-][^/]*)?\.sql$|(?<!(?:lock|shut|break|tear)(?:ed|ing|s)?)[._-]down\.sql$|[._-](rollback|undo|revert)\.sql$|(^|\/)(down|rollback|revert)[^/]*\.sql$/i
/** A short number of a migration that the platform's tool applies: `supabase/migrations/013`, whatever the name goes on with. */
const SHORT_MIGRATION_NUMBER = /^(?:.*\/)?supabase\/migrations\/\d{1,7}(?=[._-])/
/** What a folder is called that holds one migration says what the migration does: `20250101_drop_legacy_roles/migration.sql`. */
const OWN_FOLDER = /(?<![^/])\d{4}[^/]*\/migration\.sql$/
/** MySQL, SQLite and others: not for this engine. */
const OTHER_DIALECT =
  /\bautoincrement\b|\bauto_increment\b|\)\s*engine\s*=\s*\w|^[ \t]*pragma\s+\w|create\s+table\s+(if\s+not\s+exists\s+)?`|create\s+virtual\s+table\b|create\s+table\s+(if\s+not\s+exists\s+)?(user|order|group)\s*\(|\[dbo\]|\bnvarchar\s*\(/im
/** What MySQL's scripts consist of beside tables: quotes of its own, variables, statements in a text, columns with a place. */
const MYSQL =
  /^[ \t]*(?:(?:alter|drop|truncate)\s{1,9}table\s{1,9}(?:if\s{1,9}exists\s{1,9})?`|(?:insert|replace)\s{1,9}(?:ignore\s{1,9})?into\s{1,9}`|update\s{1,9}`|set\s{1,9}@\w|delimiter\s{1,9}\S|prepare\s{1,9}\w{1,60}\s{1,9}from\s|(?:alter\s{1,9}table\s{1,9}\S{1,99}\s{1,9})?(?:modify\s{1,9}column\s|add\s{1,9}column\s[^\n;]{1,300}\safter\s{1,9}`?\w{1,60}`?\s*[,;]))/im
/** Words of PostgreSQL: a file that has them is read whatever else it mentions. */
const POSTGRES =
  /\brow\s+level\s+security\b|\bplpgsql\b|\btimestamptz\b|\bjsonb\b|gen_random_uuid|\bauth\.uid\b|\bbigserial\b|\$\$|::\w|\bcreate\s+(policy|extension)\b/i
const PGTAP = /\bselect\s+(\*\s+from\s+)?(plan|no_plan|finish)\s*\(/i
const CREATES_SOMETHING =
  /\b(create\s+(or\s+replace\s+)?((global|local|temp|temporary|unlogged|materialized|constraint)\s+)?(table|view|policy|function|trigger|type|procedure)|alter\s+(table|policy|default)|grant|revoke|storage\.buckets|drop\s+(policy|table|function|view)|enable\s+row)\b/i

/** The platform's tool skips names that do not begin with a version; builders write `<version>_name` and `<version>-name`. */
const MIGRATION_NAME = /^\d[^/]*\.sql$/

/** Every SQL file that is part of the schema, in the order of replay; loose files last, for the sandbox to order. */
export const findSqlFiles = (facts: FactsIndex): readonly SqlFile[] => sortSqlFiles(facts).files

/** Scripts that look like part of the schema and are for another database, with the reason. */
export const otherDatabases = (facts: FactsIndex): readonly LeftOut[] => sortSqlFiles(facts).leftOut

interface LeftOut {
  readonly path: string
  readonly because: string
}

function sortSqlFiles(facts: FactsIndex): { readonly files: readonly SqlFile[]; readonly leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = []
  const texts = facts.of('sql')
  const numbers = numbersOf([...texts.keys()])
  const other = new Set([...texts].filter(([p, { text }]) => isOtherDialect(p, text)).map(([p]) => p))
  // of one folder all migrations are for one database
  const ofOther = new Set([...other].flatMap((p) => prismaRoot(p) ?? []))
  const besideOther = foldersOfOther(other, texts)
  const usable = [...texts.keys()].filter(
    (p) =>
      !LEFT_OUT.test(p.replace(OWN_FOLDER, '')) &&
      !isStepBack(p, numbers) &&
      !isTest(texts.get(p)?.text ?? '') &&
      !other.has(p) &&
      !ofOther.has(prismaRoot(p) ?? p) &&
      !besideOther.has(folderOf(p)),
  )
  const taken = new Set<string>()
  const files: SqlFile[] = []
  const roots = databaseRoots(usable)
  const several = roots.length > 1
  const add = (path: string, role: SqlFile['role'], root: string) => {
    if (taken.has(path)) return
    taken.add(path)
    const text = texts.get(path)?.text ?? ''
    const database = several ? { database: root } : {}
    const isRecord = isContextExport(text) || (role === 'loose' && isForReading(text))
    files.push(isRecord ? { path, text: readableExport(text), role: 'outline', ...database } : { path, text, role, ...database })
  }
  const journals = drizzleJournals(facts, usable)
  const chains = numberedChains(usable, roots).filter((p) => !journals.some((j) => p.startsWith(j.dir)))
  for (const root of roots) for (const { path, role } of ofRoot(root, usable, facts)) add(path, role, root)
  for (const j of journals) for (const path of j.listed) add(path, 'migration', nearestRoot(path, roots))
  for (const path of chains) add(path, 'migration', nearestRoot(path, roots))
  const loose = usable.filter(
    (p) => !taken.has(p) && !SEED_FILE.test(p) && !journals.some((j) => p.startsWith(j.dir)) && CREATES_SOMETHING.test(texts.get(p)?.text ?? ''),
  )
  const elsewhere = ofOtherDatabases(facts, loose, files.length > 0)
  for (const path of loose) {
    const because = elsewhere.get(path)
    if (because === undefined) add(path, 'loose', nearestRoot(path, roots))
    else leftOut.push({ path, because })
  }
  return { files, leftOut }
}

/** How many migrations have the same short number. */
function numbersOf(paths: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  for (const p of paths) {
    const number = SHORT_MIGRATION_NUMBER.exec(p)?.[0]
    if (number) numbers.set(number, (numbers.get(number) ?? 0) + 1)
  }
  return numbers
}

/** The way back from another file; with a number of its own, `013_rollback_policies` is the next step. */
function isStepBack(path: string, numbers: ReadonlyMap<string, number>): boolean {
  const number = SHORT_MIGRATION_NUMBER.exec(path)?.[0]
  const ahead = number !== undefined && numbers.get(number) === 1 && !/[._-](?:down|rollback|undo|revert)\.sql$/i.test(path)
  return !ahead && DOWN.test(path)
}

/** The folder of a Prisma schema, by the path of one of its migrations. */
const prismaRoot = (path: string): string | undefined => /^((?:.*\/)?)migrations\/[^/]+\/migration\.sql$/.exec(path)?.[1]

/** `supabase/`-like folders, Drizzle output folders and Prisma migration folders, by the files in them. */
function databaseRoots(paths: readonly string[]): string[] {
  const roots = new Set<string>()
  for (const p of paths) {
    const supabase = /^(.*?)(^|\/)supabase\/(migrations|schemas)\//.exec(p)
    if (supabase) roots.add(p.slice(0, p.indexOf('supabase/', supabase[1]?.length ?? 0) + 9))
    const prisma = prismaRoot(p)
    if (prisma !== undefined) roots.add(prisma)
  }
  return [...roots].sort()
}

/** The ordered files of one root. */
function ofRoot(root: string, usable: readonly string[], facts: FactsIndex): { path: string; role: SqlFile['role'] }[] {
  const inRoot = usable.filter((p) => p.startsWith(root))
  const migrations = inRoot.filter((p) => isMigration(p.slice(root.length))).map((path) => ({ path, role: 'migration' as const }))
  const prisma = inRoot.filter((p) => prismaRoot(p) === root).map((path) => ({ path, role: 'migration' as const }))
  const { declared, first } = declaredFiles(root, inRoot, facts)
  const schemas = declared.map((path) => ({ path, role: 'schema' as const }))
  const ordered = [...migrations, ...prisma].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return first ? [...schemas, ...ordered] : [...ordered, ...schemas]
}

function isMigration(rest: string): boolean {
  return rest.startsWith('migrations/') && MIGRATION_NAME.test(rest.slice('migrations/'.length))
}

/** `[db.migrations] schema_paths`, otherwise every file of `schemas/`. Declared files come after the migrations, which are diffs towards them. */
function declaredFiles(root: string, inRoot: readonly string[], facts: FactsIndex): { declared: string[]; first: boolean } {
  const config = facts.of('config-file').get(`${root}config.toml`)?.data as { db?: { migrations?: { schema_paths?: unknown } } } | undefined
  const listed = config?.db?.migrations?.schema_paths
  const all = inRoot.filter((p) => p.slice(root.length).startsWith('schemas/')).sort()
  if (!Array.isArray(listed)) return { declared: all, first: false }
  const ordered: string[] = []
  for (const pattern of listed)
    if (typeof pattern === 'string')
      for (const p of all) if (matches(p.slice(root.length), pattern.replace(/^\.\//, '')) && !ordered.includes(p)) ordered.push(p)
  return { declared: [...ordered, ...all.filter((p) => !ordered.includes(p))], first: false }
}

function matches(path: string, pattern: string): boolean {
  if (!pattern.includes('*')) return path === pattern
  const [head = '', tail = ''] = [pattern.slice(0, pattern.indexOf('*')), pattern.slice(pattern.lastIndexOf('*') + 1)]
  return (
    path.length >= head.length + tail.length &&
    path.startsWith(head) &&
    path.endsWith(tail) &&
    (pattern.includes('**') || !path.slice(head.length, path.length - tail.length).includes('/'))
  )
}

/**
 * Drizzle applies what its journal lists, in that order. What was written by hand after it, under higher numbers, is applied by hand: nobody who
 * goes on numbering leaves it out. Other files of the folder are left overs.
 */
function drizzleJournals(facts: FactsIndex, usable: readonly string[]): { dir: string; listed: string[] }[] {
  const present = new Set(usable)
  return [...facts.of('config-file')].flatMap(([path, file]) => {
    if (!path.endsWith('meta/_journal.json')) return []
    const dir = path.slice(0, -'meta/_journal.json'.length)
    const entries = (file.data as { entries?: { idx?: number; tag?: string }[] } | undefined)?.entries
    if (!Array.isArray(entries) || /(^|\/)supabase\/migrations\/$/.test(dir)) return []
    const listed = entries.flatMap((e) => (typeof e?.tag === 'string' && present.has(`${dir}${e.tag}.sql`) ? [`${dir}${e.tag}.sql`] : []))
    const last = Math.max(...listed.map(numberOf))
    const byHand = listed.length
      ? usable.filter((p) => folder(p) === dir && numberOf(p) > last).sort((a, b) => numberOf(a) - numberOf(b) || compareText(a, b))
      : []
    return [{ dir, listed: [...listed, ...byHand] }]
  })
}

/** The number that a file name begins with; none is no number at all. */
const numberOf = (path: string): number => Number(/^[vV]?(\d{1,15})/.exec(name(path))?.[1] ?? Number.NaN)

/** Numbered files of other `migrations` folders: a chain in the order of their numbers. */
function numberedChains(usable: readonly string[], roots: readonly string[]): string[] {
  return usable
    .filter((p) => /(^|\/)(migrations?|drizzle)\/[vV]?\d[^/]*\.sql$/.test(p) && !SEED_FILE.test(p) && !roots.some((r) => p.startsWith(`${r}migrations/`)))
    .sort((a, b) => compareText(folder(a), folder(b)) || Number(/\d+/.exec(name(a))?.[0]) - Number(/\d+/.exec(name(b))?.[0]) || compareText(a, b))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function folder(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function name(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The root whose folder (or its parent's) is nearest to the path. */
function nearestRoot(path: string, roots: readonly string[]): string {
  let best = roots[0] ?? ''
  let length = -1
  for (const root of roots) {
    const parent = root.replace(/(?<![^/])[^/]+\/$/, '')
    if (path.startsWith(parent) && parent.length > length) {
      best = root
      length = parent.length
    }
  }
  return best
}

function isOtherDialect(path: string, text: string): boolean {
  // what is written for the platform is PostgreSQL, words of another database in it are mistakes
  return (
    (OTHER_DIALECT.test(text) || ((MYSQL.test(text) || MYSQL_KEY.test(text) || OF_ANOTHER.test(path)) && !OF_THE_PLATFORM.test(path))) && !POSTGRES.test(text)
  )
}

const OF_THE_PLATFORM = /(?:^|\/)supabase\//
/** A folder that is called after another database. */
const OF_ANOTHER = /(?:^|\/)(?:mysql|mariadb|sqlite|mssql|sql_?server|oracle)\//i
/** `KEY user (user_id)` among the columns. */
const MYSQL_KEY =
  /^[ \t]*(?:unique[ \t]{1,9})?key[ \t]{1,9}(?!(?:var|n)?char|character|numeric|decimal|bit|varbit|time|vector|interval)`?\w{1,60}`?[ \t]{0,9}\(/im
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Folders with scripts of another database and none that only PostgreSQL understands: what both could read is for the other one there. */
function foldersOfOther(other: ReadonlySet<string>, texts: ReadonlyMap<string, { readonly text: string }>): ReadonlySet<string> {
  const folders = new Set([...other].map(folderOf).filter((f) => f !== '' && !OF_THE_PLATFORM.test(f)))
  for (const [path, { text }] of texts) if (folders.size && !other.has(path) && POSTGRES.test(text)) folders.delete(folderOf(path))
  return folders
}

function isTest(text: string): boolean {
  return PGTAP.test(text)
}
