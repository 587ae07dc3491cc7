import { plural } from '../../../lib/plural.ts'
import type { DatabaseGap } from '../../database.ts'
import { isLaterThan, type MadeByMigrations, madeBy, undoes } from '../repairs/migration-objects.ts'
import { dropsEveryPolicy, type PolicyLinks, policyLinksOf, startedOver } from './policy-links.ts'
import { type ParsedFile, type Statement, touchesOf } from './statement.ts'
import { nameParts, relationName, relationsIn } from './tree.ts'

/** What a file creates and what it needs from others, as qualified names of relations. */
interface Links {
  readonly creates: ReadonlySet<string>
  readonly needs: ReadonlySet<string>
}

/**
 * Puts loose files where they work: before the migrations when those need what only the loose file creates, otherwise after,
 * each after the files whose tables it needs. Copies of what the migrations create (a squashed schema.sql) are left out
 * statement by statement, so that a table has one history.
 */
export function orderFiles(all: readonly ParsedFile[], gaps: DatabaseGap[]): ParsedFile[] {
  const files = all.filter((f) => f.file.role !== 'outline')
  return [...outlines(all), ...inOrder(files, gaps)]
}

/** Exports for reading come first, for what the others need and do not create; what these create has its history there. */
function outlines(all: readonly ParsedFile[]): ParsedFile[] {
  const created = new Set(all.flatMap((f) => (f.file.role === 'outline' ? [] : [...links(f).creates])))
  return all.flatMap((f) => (f.file.role === 'outline' ? [{ ...f, statements: f.statements.filter((s) => !created.has(subjectOf(s) ?? '')) }] : []))
}

function inOrder(files: readonly ParsedFile[], gaps: DatabaseGap[]): ParsedFile[] {
  const fixed = clearedFirst(files.filter((f) => f.file.role !== 'loose'))
  const every = new Set(files.flatMap((f) => [...links(f).creates]))
  const loose = files.filter((f) => {
    if (f.file.role !== 'loose') return false
    if (!isTeardown(f, every)) return true
    gaps.push(leftOut(f, [], 'would take down what other files create'))
    return false
  })
  if (loose.length === 0) return fixed
  const created = new Set(fixed.flatMap((f) => [...links(f).creates]))
  const needed = new Set(fixed.flatMap((f) => [...links(f).needs]).filter((n) => !created.has(n)))
  const isBase = (f: ParsedFile) => [...links(f).creates].some((n) => needed.has(n))
  const said = saidBy(fixed)
  const made = madeBy(fixed)
  const anew = created.size ? [] : loose.filter(buildsAnew)
  const kept = loose
    .map((f) => (anew.length === 1 && anew[0] === f ? f : withoutCopies(f, created, isBase(f), { ...said, made }, gaps)))
    .filter((f) => f.statements.length > 0 || f.gaps.length > 0)
  const late = foldersThatBeginLate(fixed)
  const precedes = (f: ParsedFile) => isBase(f) || (late.has(folderOf(f)) && ![...links(f).needs].some((n) => created.has(n)))
  const before = kept.filter(precedes)
  const after = kept.filter((f) => !precedes(f))
  return [...byNeeds(before), ...fixed, ...byNeeds(after)]
}

/** Folders of migrations whose numbers begin late (`044_notes.sql`): what has no number there was written before. Dates are no such numbers. */
function foldersThatBeginLate(migrations: readonly ParsedFile[]): ReadonlySet<string> {
  const first = new Map<string, number>()
  for (const f of migrations) {
    const number = Number(/^[vV]?(\d+)/.exec(nameOf(f))?.[1] ?? 0)
    first.set(folderOf(f), Math.min(number, first.get(folderOf(f)) ?? number))
  }
  return new Set([...first].flatMap(([folder, number]) => (number > 10 && number < 1000 ? [folder] : [])))
}

/**
 * Leaves out what a loose file says of tables that both it and the migrations create. A base that the migrations build on and
 * that they repeat in small part (CREATE TABLE IF NOT EXISTS) stays whole: it ran first. Scripts that take the database down
 * or build it anew are kept for a developer's machine: what the migrations create stays.
 */
function withoutCopies(
  file: ParsedFile,
  created: ReadonlySet<string>,
  isBase: boolean,
  said: Said & { readonly made: MadeByMigrations },
  gaps: DatabaseGap[],
): ParsedFile {
  const own = links(file).creates
  const copies = new Set([...own].filter((n) => created.has(n)))
  if (isBase && copies.size < own.size / 2) return file
  const rebuilds = (copies.size > 0 && copies.size >= own.size / 2) || tablesDropped(file.statements, created).size >= SEVERAL
  const staying = file.statements.filter((s) => !takesDown(s, created, rebuilds))
  if (staying.length < file.statements.length)
    gaps.push(leftOut(file, staying, `would take down what ${created.size ? 'the migrations' : 'other files'} create`))
  const policies = policyLinksOf(file)
  const kept = isLaterThan(said.made, file) ? staying : staying.filter((s) => !undoes(s, file, said.made, policies))
  if (kept.length < staying.length)
    gaps.push(leftOut({ ...file, statements: staying }, kept, 'would undo what the migrations make, or put an earlier copy in its place,'))
  const alone = new Set(saidHereAlone(file.statements, said))
  const statements = kept.filter((s) => alone.has(s) || !(copies.size > 0 && (copies.size === own.size || copies.has(subjectOf(s) ?? ''))))
  if (statements.length < kept.length) gaps.push(leftOut({ ...file, statements: kept }, statements, 'would repeat what the migrations create'))
  return { ...file, statements }
}

/** What the migrations say of more than tables. */
interface Said {
  /** Tables on which they set or drop a policy. */
  readonly policies: ReadonlySet<string>
  /** Tables for which they switch row level security on. */
  readonly locked: ReadonlySet<string>
  readonly functions: ReadonlySet<string>
  /** Whether they do something when somebody signs up, or did. */
  readonly signUp: boolean
}

const functionOf = (s: Statement): string => (nameParts(s.node.funcname).at(-1) ?? '').toLowerCase()
const isOnSignUp = (s: Statement): boolean => s.kind === 'CreateTrigStmt' && subjectOf(s) === 'auth.users'

function saidBy(files: readonly ParsedFile[]): Said {
  const statements = files.flatMap((f) => f.statements)
  return {
    policies: new Set(
      statements.flatMap((s) =>
        s.kind === 'CreatePolicyStmt' || s.kind === 'AlterPolicyStmt' || (s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_POLICY')
          ? s.kind === 'DropStmt'
            ? touchesOf(s).flatMap((t) => ('object' in t && t.object ? [t.object] : []))
            : [subjectOf(s) as string]
          : s.kind === 'DoStmt' && /\bpolicy\b/i.test(s.text)
            ? [ANY]
            : [],
      ),
    ),
    locked: new Set(
      statements.flatMap((s) => {
        if (!/\benable\s+row\s+level\s+security\b/i.test(s.text)) return []
        return s.kind === 'AlterTableStmt' ? [subjectOf(s) as string] : [ANY]
      }),
    ),
    functions: new Set(statements.flatMap((s) => (s.kind === 'CreateFunctionStmt' ? [functionOf(s)] : []))),
    signUp: statements.some((s) => isOnSignUp(s) || (s.kind !== 'CreateTrigStmt' && /\btrigger\b[^;]{1,200}\bauth\s*\.\s*"?users\b/i.test(s.text))),
  }
}

const ANY = '*'

/**
 * What a squashed copy says that no migration does: the policies of a table that the migrations lock and give none, and what happens when somebody signs
 * up, with the functions that these call. It was set in the dashboard and exported with the rest.
 */
function saidHereAlone(statements: readonly Statement[], { policies, locked, functions, signUp }: Said): readonly Statement[] {
  const isLocked = (table: string) => locked.has(ANY) || locked.has(table)
  const own = statements.filter(
    (s) =>
      (s.kind === 'CreatePolicyStmt' && !policies.has(ANY) && !policies.has(subjectOf(s) as string) && isLocked(subjectOf(s) as string)) ||
      (isOnSignUp(s) && !signUp && !functions.has(functionOf(s))),
  )
  if (!own.length) return []
  const texts = own.map((s) => s.text)
  const needed = statements.filter((s) => s.kind === 'CreateFunctionStmt' && !functions.has(functionOf(s)))
  const called = new Set<Statement>()
  for (let grown = true; grown; ) {
    grown = false
    for (const s of needed) {
      const name = functionOf(s)
      if (called.has(s) || !texts.some((t) => t.toLowerCase().includes(`${name}(`) || t.toLowerCase().includes(`"${name}"(`))) continue
      called.add(s)
      texts.push(s.text)
      grown = true
    }
  }
  return [...called, ...own]
}

/**
 * A script that only drops, tables of the application among them, empties a developer's database before the others run: where it
 * stands among them by name says nothing. One that clears away what is no longer used is a repair like any other.
 */
function isTeardown(file: ParsedFile, created: ReadonlySet<string>): boolean {
  const work = file.statements.filter((s) => !/^(TransactionStmt|SelectStmt|VariableSetStmt|CommentStmt)$/.test(s.kind))
  if (!work.every((s) => s.kind === 'DropStmt' || s.kind === 'TruncateStmt' || s.kind === 'DeleteStmt')) return false
  const dropped = tablesDropped(work, created)
  const name = nameOf(file)
  if (/legacy|unused|deprecated|obsolete|(^|[-_.])old([-_.]|$)/i.test(name)) return false
  return dropped.size >= (/clean|tear|reset|wipe|destroy|nuke|purge|drop[-_]?all|uninstall/i.test(name) ? 1 : SEVERAL)
}

/** So many tables are dropped together by who begins anew. */
const SEVERAL = 3

/** Of the tables that others create, those that statements drop by name. */
function tablesDropped(statements: readonly Statement[], created: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    statements
      .filter((s) => s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_TABLE')
      .flatMap(touchesOf)
      .flatMap((t) => ('object' in t && t.object && created.has(t.object) ? [t.object] : [])),
  )
}

/**
 * A script that empties a schema before it builds it (`DROP SCHEMA public CASCADE` at its head). Where it is the only one, and no migrations say
 * what there is, the database began with it: what it dropped stays dropped, the privileges that the platform gives in that schema among it.
 */
function buildsAnew(file: ParsedFile): boolean {
  const head = file.statements.find((s) => !/^(TransactionStmt|SelectStmt|VariableSetStmt|CommentStmt)$/.test(s.kind))
  return head?.kind === 'DropStmt' && head.node.removeType === 'OBJECT_SCHEMA' && links(file).creates.size > 0
}

/**
 * Of migrations with one number (`09_cleanup.sql`, `09_features.sql`), one that only drops what another of them makes ran before it: nobody makes what the
 * same step takes away.
 */
function clearedFirst(migrations: readonly ParsedFile[]): ParsedFile[] {
  const ordered = [...migrations]
  for (const f of migrations) {
    const number = numberOf(f)
    const alike = number === undefined ? [] : ordered.filter((o) => o !== f && numberOf(o) === number && folderOf(o) === folderOf(f))
    const [first] = alike
    if (!first || ordered.indexOf(first) > ordered.indexOf(f)) continue
    if (!isTeardown(f, new Set(alike.flatMap((o) => [...links(o).creates])))) continue
    ordered.splice(ordered.indexOf(f), 1)
    ordered.splice(ordered.indexOf(first), 0, f)
  }
  return ordered
}

const numberOf = (f: ParsedFile): string | undefined => /^[vV]?\d+(?=[-_.])/.exec(nameOf(f))?.[0]

function leftOut(file: ParsedFile, kept: readonly Statement[], what: string): DatabaseGap {
  const left = file.statements.length - kept.length
  return { path: file.file.path, because: `${plural(left, 'statement')} ${what} and ${left === 1 ? 'was' : 'were'} left out`, touches: [] }
}

/** Drops tables of the migrations, or, in a script that builds them anew, drops anything of theirs, by name or in a loop over the catalog. */
function takesDown(s: Statement, created: ReadonlySet<string>, rebuilds: boolean): boolean {
  if (s.kind === 'DoStmt') return rebuilds && /\bdrop\b/i.test(s.text)
  if (s.kind !== 'DropStmt') return false
  const tables = s.node.removeType === 'OBJECT_SCHEMA' || s.node.removeType === 'OBJECT_TABLE'
  return (
    (rebuilds || tables) &&
    (s.node.removeType === 'OBJECT_SCHEMA' || touchesOf(s).some((t) => t.topic !== 'function' && 'object' in t && created.has(t.object ?? '')))
  )
}

/** The relation that a statement defines or belongs to. */
function subjectOf(s: Statement): string | undefined {
  const n = s.node
  switch (s.kind) {
    case 'CreateStmt':
    case 'AlterTableStmt':
    case 'IndexStmt':
    case 'CreateTrigStmt':
    case 'RenameStmt':
    case 'InsertStmt':
    case 'UpdateStmt':
    case 'DeleteStmt':
      return n.relation ? relationName(n.relation) : undefined
    case 'CreatePolicyStmt':
    case 'AlterPolicyStmt':
      return relationName(n.table)
    case 'ViewStmt':
      return relationName(n.view)
    case 'CreateTableAsStmt':
      return relationName(n.into?.rel)
    default:
      return undefined
  }
}

function links(file: ParsedFile): Links {
  const creates = new Set<string>()
  const needs = new Set<string>()
  for (const s of file.statements) {
    if (s.kind === 'CreateStmt' || s.kind === 'ViewStmt' || s.kind === 'CreateTableAsStmt') creates.add(subjectOf(s) as string)
    if (!NEEDY.has(s.kind)) continue
    for (const r of relationsIn(s.node)) needs.add(`${r.schema ?? 'public'}.${r.name}`)
  }
  for (const own of creates) needs.delete(own)
  return { creates, needs }
}

const NEEDY = new Set([
  'CreateStmt',
  'AlterTableStmt',
  'IndexStmt',
  'CreateTrigStmt',
  'CreatePolicyStmt',
  'AlterPolicyStmt',
  'ViewStmt',
  'CreateTableAsStmt',
  'GrantStmt',
  'InsertStmt',
  'UpdateStmt',
])

/**
 * Files after those that create what they need and those whose policies they take away; otherwise by rank and name. A table is there once one file
 * has created it, however many create it if it does not exist. Cycles are cut at the first in that order, and what is needed counts more.
 */
function byNeeds(files: readonly ParsedFile[]): ParsedFile[] {
  const sequence = inSequence(files)
  const rankOf = (f: ParsedFile) => (buildsAnew(f) ? -1 : sequence.has(f) ? 1 : rank(f))
  const policies = new Map(files.map((f) => [f, policyLinksOf(f)]))
  const rest = startedOver(
    [...files].sort((a, b) => rankOf(a) - rankOf(b) || compareNames(a.file.path, b.file.path)),
    policies,
  )
  const all = new Map(rest.map((f) => [f, links(f)]))
  const creators = filesBy(rest, (f) => (all.get(f) as Links).creates)
  const authors = filesBy(rest, (f) => (policies.get(f) as PolicyLinks).made)
  const created = new Set<string>()
  const done = new Set<ParsedFile>()
  const isFree = (f: ParsedFile): boolean => [...(all.get(f) as Links).needs].every((n) => created.has(n) || !creators.get(n)?.some((other) => other !== f))
  const isLast = (f: ParsedFile): boolean =>
    dropsEveryPolicy(f) ||
    [...(policies.get(f) as PolicyLinks).dropped].every(
      (n) => !authors.get(n)?.some((other) => other !== f && !done.has(other) && !(sequence.has(f) && sequence.has(other))),
    )
  while (rest.length) {
    let next: ParsedFile | undefined
    for (const f of rest) {
      if (!isFree(f)) continue
      next ??= f
      if (!isLast(f)) continue
      next = f
      break
    }
    next ??= rest[0] as ParsedFile
    rest.splice(rest.indexOf(next), 1)
    done.add(next)
    for (const n of (all.get(next) as Links).creates) created.add(n)
  }
  return [...done]
}

/** Files by the names that each of them gives. */
function filesBy(files: readonly ParsedFile[], namesOf: (file: ParsedFile) => ReadonlySet<string>): ReadonlyMap<string, readonly ParsedFile[]> {
  const found = new Map<string, ParsedFile[]>()
  for (const f of files)
    for (const name of namesOf(f)) {
      const known = found.get(name)
      if (known) known.push(f)
      else found.set(name, [f])
    }
  return found
}

const folderOf = (f: ParsedFile): string => f.file.path.slice(0, f.file.path.lastIndexOf('/') + 1)
const nameOf = (f: ParsedFile): string => f.file.path.slice(f.file.path.lastIndexOf('/') + 1)

/** Scripts whose numbers say in which order they ran (`001_tables.sql`, `002_fix_roles.sql`): the words after the number say nothing of it. */
function inSequence(files: readonly ParsedFile[]): ReadonlySet<ParsedFile> {
  const numbered = files.filter((f) => /^[a-z]{0,2}\d+[-_. ]/i.test(nameOf(f)))
  return new Set([...Map.groupBy(numbered, folderOf).values()].filter((list) => list.length > 1).flat())
}

/** Words before what a script is: `complete-setup`, `full_schema`, `BATCH-1-core-setup`. */
const WHOLE: ReadonlySet<string> = new Set([
  'all',
  'batch',
  'combined',
  'complete',
  'consolidated',
  'core',
  'entire',
  'full',
  'main',
  'master',
  'part',
  'whole',
])

/** A base schema comes first and repairs come last when nothing else decides. */
function rank(file: ParsedFile): number {
  const name = nameOf(file)
  const words = /^[a-z]/i.test(name) ? name.toLowerCase().split(/[^a-z]+/) : []
  const said = words.find((w) => w && !WHOLE.has(w))
  if (/^(?:schema|init|setup|base|create|structure|database|supabase)/.test(said ?? '')) return 0
  return /(fix|patch|update|migrat|add|alter|repair|hotfix)/i.test(name) ? 2 : 1
}

/** Numbers in names count as numbers: 2_b.sql comes before 10_a.sql; and what is written again goes by its name: fix.sql comes before fix-v2.sql. */
function compareNames(a: string, b: string): number {
  const pa = a.replace(/\.sql$/i, '').split(/(\d+)/)
  const pb = b.replace(/\.sql$/i, '').split(/(\d+)/)
  for (let i = 0; i < Math.min(pa.length, pb.length); i++) {
    const x = pa[i] as string
    const y = pb[i] as string
    if (x === y) continue
    if (i % 2 === 1 && Number(x) !== Number(y)) return Number(x) - Number(y)
    return x < y ? -1 : 1
  }
  return pa.length - pb.length
}
