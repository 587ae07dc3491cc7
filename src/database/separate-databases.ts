import type { Catalog, DatabaseGap, DatabaseResult, Hole, ReplayInput } from './database.ts'
import { createdTables } from './plan/ddl.ts'

/** More databases than this in one repository are copies of a template, not an application. */
const MAX_DATABASES = 4

/**
 * One input for each independent database of the repository. Databases that create no table of the same name are replayed
 * together, as one: that is cheaper, and tells nothing apart that could be mixed up.
 */
export function separateDatabases(input: ReplayInput): ReplayInput[] {
  const labels = [...new Set(input.files.map((f) => f.database ?? ''))]
  if (labels.length < 2) return [input]
  const groups: { files: ReplayInput['files'][number][]; tables: Set<string> }[] = []
  for (const label of labels) {
    const files = input.files.filter((f) => (f.database ?? '') === label)
    const tables = createdTables(files.map((f) => f.text))
    const free = groups.find((g) => ![...tables].some((t) => g.tables.has(t)))
    if (free) {
      free.files.push(...files)
      for (const t of tables) free.tables.add(t)
    } else groups.push({ files: [...files], tables })
  }
  return groups
    .sort((a, b) => b.files.length - a.files.length)
    .slice(0, MAX_DATABASES)
    .map((g) => ({ ...input, files: g.files }))
}

/** The results as one. Where two databases have a table of the same name, the open one stands. */
export function mergeResults(results: readonly DatabaseResult[]): DatabaseResult {
  const [first, ...others] = results as [DatabaseResult, ...DatabaseResult[]]
  return others.reduce(merge, first)
}

function merge(first: DatabaseResult, b: DatabaseResult): DatabaseResult {
  // What one database only made up, the other may really have.
  const real = new Set(b.catalog.tables.filter((t) => !isMadeUp(t)).map(nameOf))
  const a = withOpenTables(
    { ...first, catalog: { ...first.catalog, tables: first.catalog.tables.filter((t) => !isMadeUp(t) || !real.has(nameOf(t))) } },
    b.catalog,
  )
  const taken = new Set([...a.catalog.tables, ...a.catalog.views].map(nameOf))
  const fresh = (name: string) => !taken.has(name)
  const shown = new Set(a.catalog.tables.filter((t) => b.catalog.tables.includes(t)).map(nameOf))
  const buckets = new Set(a.catalog.buckets.map((x) => x.name))
  const functions = new Set(a.catalog.functions.map((f) => `${f.schema}.${f.identity}`))
  const hole = (h: Hole) => [h.kind, h.object, h.policy ?? '', h.command, h.bucket ?? ''].join('\0')
  const holes = new Set(a.access.holes?.map(hole))
  const namesakes: DatabaseGap[] = b.catalog.tables
    .filter((t) => !fresh(nameOf(t)) && !isMadeUp(t))
    .map((t) => ({
      path: t.at.path,
      line: t.at.line,
      because: `another database of the repository has a table ${nameOf(t)} too; both were judged, one is shown`,
      touches: [],
    }))
  return {
    catalog: {
      tables: [...a.catalog.tables, ...b.catalog.tables.filter((t) => fresh(nameOf(t)))],
      policies: [...a.catalog.policies, ...b.catalog.policies.filter((p) => fresh(`${p.schema}.${p.table}`))],
      views: [...a.catalog.views, ...b.catalog.views.filter((v) => fresh(nameOf(v)))],
      functions: [...a.catalog.functions, ...b.catalog.functions.filter((f) => !functions.has(`${f.schema}.${f.identity}`))],
      buckets: [...a.catalog.buckets, ...b.catalog.buckets.filter((x) => !buckets.has(x.name))],
      enums: [...a.catalog.enums, ...b.catalog.enums.filter((e) => !a.catalog.enums.some((x) => x.schema === e.schema && x.name === e.name))],
      triggers: [...a.catalog.triggers, ...b.catalog.triggers.filter((t) => fresh(t.table))],
      speaksOfStorage: a.catalog.speaksOfStorage || b.catalog.speaksOfStorage,
    },
    access: {
      ...a.access,
      ...(a.access.holes || b.access.holes ? { holes: [...(a.access.holes ?? []), ...(b.access.holes ?? []).filter((h) => !holes.has(hole(h)))] } : {}),
      ...(a.access.storage || b.access.storage ? { storage: [...(a.access.storage ?? []), ...(b.access.storage ?? [])] } : {}),
      ...(a.access.undecided || b.access.undecided ? { undecided: [...(a.access.undecided ?? []), ...(b.access.undecided ?? [])] } : {}),
      objects: [
        ...a.access.objects.filter((o) => !shown.has(o.object)),
        ...b.access.objects.filter((o) => (o.kind === 'bucket' ? !buckets.has(o.object) : o.kind === 'function' ? !functions.has(o.object) : fresh(o.object))),
      ],
    },
    gaps: [...a.gaps, ...b.gaps, ...namesakes],
    statements: {
      total: a.statements.total + b.statements.total,
      applied: a.statements.applied + b.statements.applied,
      explained: a.statements.explained + b.statements.explained,
    },
    order: [...(a.order ?? []), ...(b.order ?? [])],
  }
}

/** Where the other database leaves a table of the same name without row level security, that table is the one to show. */
function withOpenTables(a: DatabaseResult, other: Catalog): DatabaseResult {
  const open = new Map(other.tables.filter((t) => !isMadeUp(t) && !t.rls.enabled && !t.extension).map((t) => [nameOf(t), t]))
  const swapped = new Set<string>()
  const tables = a.catalog.tables.map((t) => {
    const namesake = open.get(nameOf(t))
    if (!namesake || isMadeUp(t)) return t
    if (!t.rls.enabled) return { ...t, alsoOpenAt: [...(t.alsoOpenAt ?? []), namesake.at] }
    swapped.add(nameOf(t))
    return namesake
  })
  if (!swapped.size) return { ...a, catalog: { ...a.catalog, tables } }
  const of = (p: { readonly schema: string; readonly table: string }) => swapped.has(`${p.schema}.${p.table}`)
  return {
    ...a,
    catalog: { ...a.catalog, tables, policies: [...a.catalog.policies.filter((p) => !of(p)), ...other.policies.filter(of)] },
  }
}

/** Whether no SQL that runs creates it. */
function isMadeUp(t: Catalog['tables'][number]): boolean {
  return t.stub === true || t.outlined === true
}

function nameOf(x: { readonly schema: string; readonly name: string }): string {
  return `${x.schema}.${x.name}`
}
