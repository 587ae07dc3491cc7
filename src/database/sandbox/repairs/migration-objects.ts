import { dropsEveryPolicyBy, type PolicyLinks, policyLinksOf, WITHOUT_OVERSIGHT } from '../statements/policy-links.ts'
import type { ParsedFile, Statement } from '../statements/statement.ts'
import { nameParts, qualified, type Tree } from '../statements/tree.ts'

/** What migrations make beside tables and say of it last. */
export interface MadeByMigrations {
  /** No migrations, nothing to undo. */
  readonly nothing: boolean
  readonly types: ReadonlySet<string>
  /** Functions by name, and with the types of their arguments those that were made or dropped. */
  readonly functions: ReadonlySet<string>
  readonly signatures: ReadonlySet<string>
  /** Functions of which a loop drops every overload. */
  readonly droppedInLoops: string
  /** Tables that have policies. */
  readonly guarded: ReadonlySet<string>
  /** When the last of them was written, by its name. */
  readonly last: Numbers
}

/** What the names of files say of their order. */
interface Numbers {
  readonly date: number | undefined
  readonly number: number | undefined
}

/** Reads what migrations and declared schemas make. */
export function madeBy(files: readonly ParsedFile[]): MadeByMigrations {
  const statements = files.flatMap((f) => f.statements)
  const numbers = files.map((f) => numbersOf(f))
  return {
    nothing: files.length === 0,
    types: new Set(statements.flatMap((s) => (s.kind === 'DoStmt' ? typesMadeIn(s.text) : MAKES_TYPE.test(s.kind) ? [typeMade(s.node)] : []))),
    functions: new Set(statements.flatMap((s) => (s.kind === 'CreateFunctionStmt' ? [functionName(s.node)] : []))),
    signatures: new Set(
      statements.flatMap((s) =>
        s.kind === 'CreateFunctionStmt' ? [signatureMade(s.node)] : isDropOf(s, 'FUNCTION') ? droppedObjects(s).flatMap(signaturesDropped) : [],
      ),
    ),
    droppedInLoops: statements.flatMap((s) => (s.kind === 'DoStmt' && /\bdrop\s+function\b/i.test(s.text) ? [s.text.toLowerCase()] : [])).join('\n'),
    guarded: new Set(files.flatMap((f) => [...policyLinksOf(f).tables])),
    last: { date: largest(numbers.map((n) => n.date)), number: largest(numbers.map((n) => n.number)) },
  }
}

/**
 * Whether a loose script would undo what the migrations made: a type whose columns would go with it, a function or a loop over the catalog, or make an
 * earlier copy of a function the one that counts. When it ran nobody knows, and a database that is made from the migrations has what they say. What
 * its name dates after them stays, and what calls itself a repair may put something else in the place of a function.
 */
export function undoes(s: Statement, file: ParsedFile, made: MadeByMigrations, own: PolicyLinks): boolean {
  if (made.nothing) return false
  switch (s.kind) {
    case 'DropStmt':
      if (isDropOf(s, 'TYPE') || isDropOf(s, 'DOMAIN'))
        return s.node.behavior === 'DROP_CASCADE' && droppedObjects(s).some((o) => made.types.has(typeDropped(o)))
      return isDropOf(s, 'FUNCTION') && !isRepair(file) && droppedObjects(s).some((o) => signaturesDropped(o).some((name) => knows(made, name)))
    case 'CreateFunctionStmt':
      return !isRepair(file) && knows(made, signatureMade(s.node), functionName(s.node))
    case 'DoStmt':
      return loops(s, made, own) || (!isRepair(file) && dropsFunctionOf(s.text.toLowerCase(), made))
    default:
      return false
  }
}

/** A script that its name puts after the last migration: `20260301_open_posts.sql`, `045_fix.sql` beside migrations that end with 044. */
export function isLaterThan({ last }: MadeByMigrations, file: ParsedFile): boolean {
  const { date, number } = numbersOf(file)
  return (date !== undefined && last.date !== undefined && date > last.date) || (number !== undefined && last.number !== undefined && number > last.number)
}

const isRepair = (file: ParsedFile): boolean =>
  /fix|patch|updat|repair|secur|harden|lock[-_]?down|restrict|emergency|parche|corre[gcç]|arregl|segur/i.test(nameOf(file))

const knows = (made: MadeByMigrations, signature: string, name = signature): boolean =>
  made.signatures.has(signature) ||
  made.signatures.has(name) ||
  (made.functions.has(name) && made.droppedInLoops.includes(`'${name.slice(name.indexOf('.') + 1)}'`))

/** A loop that drops whatever the catalog lists: policies of tables that this script gives none, types, triggers. */
function loops(s: Statement, made: MadeByMigrations, own: PolicyLinks): boolean {
  if (dropsEveryPolicyBy(s)) {
    const passedOver = [...made.guarded].filter((t) => !own.tables.has(t)).length
    return made.guarded.size > 0 && (own.tables.size === 0 || passedOver >= WITHOUT_OVERSIGHT)
  }
  return /\bdrop\s+(?:type|trigger|function|table|view)\b/i.test(s.text) && OF_THE_CATALOG.test(s.text) && !ONE_BY_NAME.test(s.text)
}

const OF_THE_CATALOG = /\b(?:pg_type|pg_trigger|pg_proc|pg_tables|pg_class|pg_views|information_schema\s*\.\s*(?:triggers|tables|routines|views))\b/i
const ONE_BY_NAME =
  /\b(?:typname|tgname|proname|relname|tablename|viewname|trigger_name|event_object_table|table_name|routine_name)\s{0,9}(?:=|<>|!=|in\b|~|(?:not\s+)?i?like\b)/i

/** A loop over the overloads of a function that the migrations make. */
function dropsFunctionOf(text: string, made: MadeByMigrations): boolean {
  return /\bdrop\s+function\b/.test(text) && [...made.functions].some((name) => text.includes(`'${name.slice(name.indexOf('.') + 1).toLowerCase()}'`))
}

const MAKES_TYPE = /^(?:CreateEnumStmt|CompositeTypeStmt|CreateDomainStmt)$/

/** `do $$ begin create type user_role as enum (…); exception when duplicate_object then null; end $$`: there is no CREATE TYPE IF NOT EXISTS. */
const typesMadeIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bcreate\s{1,9}(?:type|domain)\s{1,9}(?:"?(\w{1,63})"?\s{0,9}\.\s{0,9})?"?(\w{1,63})"?/gi)].map(([, schema, name]) =>
    qualified([...(schema ? [schema.toLowerCase()] : []), (name as string).toLowerCase()]),
  )

const isDropOf = (s: Statement, what: string): boolean => s.kind === 'DropStmt' && s.node.removeType === `OBJECT_${what}`
const droppedObjects = ({ node }: Statement): readonly Tree[] => (node.objects ?? []) as readonly Tree[]
const functionName = (node: Tree): string => qualified(nameParts(node.funcname))
const typeMade = (node: Tree): string =>
  node.typevar
    ? qualified([...(node.typevar.schemaname ? [node.typevar.schemaname] : []), node.typevar.relname])
    : qualified(nameParts(node.typeName ?? node.domainname))
const typeDropped = (o: Tree): string => qualified(nameParts(o.TypeName?.names ?? o.List?.items))

function signatureMade(node: Tree): string {
  const taken = ((node.parameters ?? []) as readonly Tree[]).filter(
    (p) => !/OUT$|TABLE$/.test(p.FunctionParameter?.mode ?? '') || /INOUT$/.test(p.FunctionParameter?.mode ?? ''),
  )
  return `${functionName(node)}(${taken.map((p) => typeName(p.FunctionParameter?.argType)).join(',')})`
}

/** By name alone where no types are given. */
function signaturesDropped(o: Tree): readonly string[] {
  const f = o.ObjectWithArgs
  if (!f) return []
  const name = qualified(nameParts(f.objname))
  return [f.args_unspecified ? name : `${name}(${((f.objargs ?? []) as readonly Tree[]).map((t) => typeName(t.TypeName)).join(',')})`]
}

const typeName = (type: Tree): string => `${nameParts(type?.names).at(-1) ?? ''}${type?.arrayBounds?.length ? '[]' : ''}`

/** `20260301…`, `2026-03-01_…` and `003_…` at the head of a name. */
function numbersOf(file: ParsedFile): Numbers {
  const head = /^[a-z]{0,2}(\d{4})[-_]?(\d{2})[-_]?(\d{2})(\d{0,6})(?!\d)/i.exec(nameOf(file))
  if (head && Number(head[1]) > 1990 && Number(head[2]) <= 12 && Number(head[3]) <= 31)
    return { date: Number(`${head[1]}${head[2]}${head[3]}${(head[4] ?? '').padEnd(6, '0')}`), number: undefined }
  const short = /^[a-z]{0,2}(\d{1,5})(?!\d)/i.exec(nameOf(file))
  return { date: undefined, number: short ? Number(short[1]) : undefined }
}

const largest = (numbers: readonly (number | undefined)[]): number | undefined => {
  const known = numbers.filter((n) => n !== undefined)
  return known.length ? Math.max(...known) : undefined
}

const nameOf = (f: ParsedFile): string => {
  const own = f.file.path.slice(f.file.path.lastIndexOf('/') + 1)
  // of folders that hold one migration each the folder has the number
  return own === 'migration.sql' ? (f.file.path.split('/').at(-2) ?? own) : own
}
