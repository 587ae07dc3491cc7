import type { Place } from '../../../lib/place.ts'
import type { Node } from '../../access/trials/access-session.ts'
import type { Command, DatabaseGap, SqlFile } from '../../database.ts'
import { mendsOf, SAID_OF_MENDED } from './corrected-text.ts'
import type { Parser } from './parser.ts'
import { type StatementText, splitAtMissingSemicolons, splitStatements } from './split-statements.ts'
import { inside, nameParts, nodeKind, qualified, relationName, type Tree } from './tree.ts'

/** A statement of the repository, parsed. */
export interface Statement {
  /** `position:path#index`, unique and the same in every run. */
  readonly label: string
  readonly path: string
  readonly text: string
  readonly at: Place
  /** `CreateStmt` and so on; '' when PostgreSQL cannot parse it. */
  readonly kind: string
  readonly node: Tree
  /** Set when the text is not as written, because PostgreSQL takes that only so. */
  readonly mended?: keyof typeof SAID_OF_MENDED
  /** Line of the file by UTF-8 byte offset into `text`. */
  lineOf(offset: number): number
}

/** A file's statements and what could not be read. */
export interface ParsedFile {
  readonly file: SqlFile
  readonly statements: readonly Statement[]
  readonly gaps: readonly DatabaseGap[]
}

export const ALL_TOPICS = [{ topic: 'anything' }] as const satisfies DatabaseGap['touches']

/** Splits and parses a file. `mark` is told which statement is next, so that a parser that hangs can be blamed on it. */
export function parseFile(file: SqlFile, position: number, parser: Parser, mark: (label: string) => boolean): ParsedFile {
  const split = splitStatements(file.text)
  const gaps: DatabaseGap[] = split.problems.map((p) => ({
    path: file.path,
    line: line(file, p.line),
    because: p.message,
    touches: p.anything ? ALL_TOPICS : [],
  }))
  let pieces: readonly { text: string; line: number; endLine: number }[] = split.statements
  let parsed = parsePieces(file, position, pieces, parser, mark)
  if (parsed.some((s) => s.kind === '')) {
    const whole = wholeFile(file, parser)
    if (whole) {
      pieces = whole
      parsed = parsePieces(file, position, pieces, parser, mark)
    }
  }
  for (const { at, mended } of parsed) if (mended) gaps.push({ path: at.path, line: at.line, because: SAID_OF_MENDED[mended], touches: [] })
  return { file, statements: parsed, gaps }
}

function parsePieces(
  file: SqlFile,
  position: number,
  pieces: readonly { text: string; line: number; endLine: number }[],
  parser: Parser,
  mark: (label: string) => boolean,
): Statement[] {
  return pieces.flatMap((piece, index) => {
    const label = `${position}:${file.path}#${index}`
    if (!mark(label)) return statement(file, label, piece, undefined)
    const node = parser.parse(piece.text)?.stmts[0]?.stmt
    if (node) return statement(file, label, piece, node)
    for (const { text, how, linesBefore } of mendsOf(piece.text)) {
      const [only, ...others] = parser.parse(text)?.stmts ?? []
      // more than one: an open quote swallowed them
      if (only && !others.length) return { ...statement(file, label, { ...piece, text, line: piece.line + linesBefore }, only.stmt), mended: how }
    }
    return cutApart(file, label, piece, parser) ?? statement(file, label, piece, undefined)
  })
}

/** Statements between which a semicolon was forgotten, when each of them is one. */
function cutApart(file: SqlFile, label: string, piece: StatementText, parser: Parser): Statement[] | undefined {
  const parts = splitAtMissingSemicolons(piece)
  if (parts.length < 2 || parts.length > MAX_PARTS) return undefined
  const nodes = parts.map((p) => parser.parse(p.text)?.stmts)
  if (!nodes.every((n) => n?.length === 1)) return undefined
  return parts.map((part, i) => ({ ...statement(file, `${label}.${i}`, part, nodes[i]?.[0]?.stmt), ...(i ? {} : { mended: 'missing semicolon' as const }) }))
}

const MAX_PARTS = 50

function statement(file: SqlFile, label: string, piece: { text: string; line: number; endLine: number }, node: Node | undefined): Statement {
  const first = line(file, piece.line)
  const last = line(file, piece.endLine)
  return {
    label,
    path: file.path,
    text: piece.text,
    at: { path: file.path, line: first, ...(last !== first ? { endLine: last } : {}) },
    kind: nodeKind(node),
    node: inside(node),
    lineOf: (offset) => line(file, piece.line + newlinesBefore(piece.text, offset)),
  }
}

function line(file: SqlFile, of: number): number {
  return file.lines?.[of - 1] ?? of
}

function newlinesBefore(text: string, byteOffset: number): number {
  const before = /^[\x00-\x7f]*$/.test(text) ? text.slice(0, byteOffset) : Buffer.from(text).subarray(0, byteOffset).toString()
  return before.split('\n').length - 1
}

/** The real parser's own split, for files in which the fast one went wrong. */
function wholeFile(file: SqlFile, parser: Parser): { text: string; line: number; endLine: number }[] | undefined {
  const parsed = parser.parse(file.text)
  if (!parsed) return undefined
  const bytes = Buffer.from(file.text)
  return parsed.stmts.map((s) => {
    const from = s.stmt_location ?? 0
    const raw = bytes.subarray(from, s.stmt_len ? from + s.stmt_len : undefined).toString()
    const text = raw.trimStart()
    const startLine = 1 + newlines(bytes.subarray(0, from).toString()) + newlines(raw.slice(0, raw.length - text.length))
    return { text: text.trimEnd(), line: startLine, endLine: startLine + newlines(text.trimEnd()) }
  })
}

function newlines(text: string): number {
  return text.split('\n').length - 1
}

type Touches = DatabaseGap['touches']

const STATEMENTS_WITHOUT_EFFECT = new Set([
  'CommentStmt',
  'IndexStmt',
  'CreateSeqStmt',
  'AlterSeqStmt',
  'CreatePublicationStmt',
  'AlterPublicationStmt',
  'VariableSetStmt',
  'TransactionStmt',
  'VacuumStmt',
  'CheckPointStmt',
  'NotifyStmt',
  'ListenStmt',
  'UnlistenStmt',
  'LockStmt',
  'ExplainStmt',
  'DiscardStmt',
  'ReindexStmt',
  'ClusterStmt',
  'CopyStmt',
  'CreateExtensionStmt',
  'AlterExtensionStmt',
  'AlterExtensionContentsStmt',
  'SecLabelStmt',
  'CreateStatsStmt',
  'AlterStatsStmt',
  'RefreshMatViewStmt',
  'CreateSubscriptionStmt',
  'VariableShowStmt',
  'AlterDatabaseSetStmt',
  'CreatedbStmt',
  'DropdbStmt',
  'CreateSchemaStmt',
  'AlterSystemStmt',
  'LoadStmt',
  'AlterTSConfigurationStmt',
  'DefineStmt',
  'FetchStmt',
  'ClosePortalStmt',
  'DeclareCursorStmt',
  'PrepareStmt',
  'DeallocateStmt',
  'ConstraintsSetStmt',
  'AlterDatabaseStmt',
]) // prettier-ignore

const PLATFORM_ONLY = /^(cron|net|realtime|vault|extensions|graphql|graphql_public|pgmq|supabase_functions|supabase_migrations)\./

/** What a statement that was not applied could have changed, by its parse tree. */
export function touchesOf(s: Pick<Statement, 'kind' | 'node' | 'text'>): Touches {
  const n = s.node
  if (STATEMENTS_WITHOUT_EFFECT.has(s.kind)) return []
  switch (s.kind) {
    case 'CreateStmt':
      return [{ topic: 'table', object: relationName(n.relation) }]
    case 'CreateTableAsStmt':
      return [{ topic: n.objtype === 'OBJECT_MATVIEW' ? 'view' : 'table', object: relationName(n.into?.rel) }]
    case 'CreateForeignTableStmt':
      return [{ topic: 'table', object: relationName(n.base?.relation ?? n.relation) }]
    case 'ViewStmt':
      return [{ topic: 'view', object: relationName(n.view) }]
    case 'AlterTableStmt':
      return alterTable(n)
    case 'RenameStmt':
      return n.relation ? [{ topic: n.renameType === 'OBJECT_POLICY' ? 'policy' : 'table', object: relationName(n.relation) }] : []
    case 'CreatePolicyStmt':
      return [policyTouched(n)]
    case 'AlterPolicyStmt':
      return [{ topic: 'policy', object: relationName(n.table) }]
    case 'CreateTrigStmt':
      return PLATFORM_ONLY.test(relationName(n.relation)) ? [] : [{ topic: 'policy', object: relationName(n.relation) }]
    case 'CreateFunctionStmt':
      return [{ topic: 'function', object: qualified(nameParts(n.funcname)) }]
    case 'AlterFunctionStmt':
      return [{ topic: 'function', object: qualified(nameParts(n.func?.objname)) }]
    case 'AlterOwnerStmt':
    case 'AlterObjectSchemaStmt':
      return n.relation ? [{ topic: 'table', object: relationName(n.relation) }] : []
    case 'GrantStmt':
      return grant(n)
    case 'AlterDefaultPrivilegesStmt':
      return [{ topic: 'grant' }]
    case 'CreateEventTrigStmt':
    case 'AlterEventTrigStmt':
      return [{ topic: 'rls' }]
    case 'GrantRoleStmt':
    case 'CreateRoleStmt':
    case 'AlterRoleStmt':
    case 'AlterRoleSetStmt':
    case 'DropRoleStmt':
      return []
    case 'DropStmt':
      return drop(n)
    case 'InsertStmt':
    case 'UpdateStmt':
    case 'DeleteStmt':
      return relationName(n.relation) === 'storage.buckets' ? [{ topic: 'bucket' }] : []
    case 'TruncateStmt':
    case 'MergeStmt':
      return []
    case 'CreateEnumStmt':
    case 'AlterEnumStmt':
    case 'CreateDomainStmt':
    case 'CompositeTypeStmt':
    case 'AlterTypeStmt':
    case 'CreateCastStmt':
    case 'RuleStmt':
      return [{ topic: 'table' }]
    case 'SelectStmt':
      return byWords(s.text, [])
    case 'DoStmt':
    case 'CallStmt':
    case 'ExecuteStmt':
      return byWords(s.text, s.kind === 'DoStmt' ? [] : ALL_TOPICS)
    default:
      return byWords(s.text, ALL_TOPICS)
  }
}

/** A policy that a statement would have made; one for a single command decides about no other. */
export function policyTouched(n: Tree): Touches[number] {
  const command = /^(?:select|insert|update|delete)$/.exec(String(n.cmd_name ?? ''))?.[0] as Command | undefined
  return { topic: 'policy', object: relationName(n.table), ...(command ? { command } : {}) }
}

function alterTable(n: Tree): Touches {
  const object = relationName(n.relation)
  const topics = new Set<'table' | 'rls'>()
  for (const cmd of n.cmds ?? []) topics.add(/RowSecurity/.test(cmd.AlterTableCmd?.subtype ?? '') ? 'rls' : 'table')
  return [...topics].map((topic) => ({ topic, object }))
}

function grant(n: Tree): Touches {
  if (n.targtype !== 'ACL_TARGET_OBJECT') return [{ topic: 'grant' }]
  const topic = n.objtype === 'OBJECT_FUNCTION' || n.objtype === 'OBJECT_PROCEDURE' || n.objtype === 'OBJECT_ROUTINE' ? 'function' : 'grant'
  if (n.objtype !== 'OBJECT_TABLE' && topic === 'grant') return []
  return (n.objects ?? []).map((o: Tree) => ({ topic, object: o.RangeVar ? relationName(o.RangeVar) : qualified(nameParts(o.ObjectWithArgs?.objname)) }))
}

function drop(n: Tree): Touches {
  const topic = {
    OBJECT_TABLE: 'table',
    OBJECT_VIEW: 'view',
    OBJECT_MATVIEW: 'view',
    OBJECT_POLICY: 'policy',
    OBJECT_FUNCTION: 'function',
    OBJECT_TRIGGER: 'policy',
    OBJECT_SCHEMA: 'table',
  }[n.removeType as string] as 'table' | 'view' | 'policy' | 'function' | undefined
  if (!topic) return []
  return (n.objects ?? []).map((o: Tree) => {
    const parts = nameParts(o.List?.items ?? o.ObjectWithArgs?.objname)
    return { topic, object: qualified(n.removeType === 'OBJECT_POLICY' || n.removeType === 'OBJECT_TRIGGER' ? parts.slice(0, -1) : parts) }
  })
}

/** Of text without a tree: what its words speak of. */
export function byWords(text: string, otherwise: Touches): Touches {
  const topics: [RegExp, Touches[number]['topic']][] = [
    [/\bpolicy\b|\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\b/i, 'policy'],
    [/\brow\s+level\s+security\b/i, 'rls'],
    [/\b(grant|revoke)\b/i, 'grant'],
    [/\b(create|alter|drop)\s+(unlogged\s+)?table\b/i, 'table'],
    [/(?<!\bexecute\s{1,20})\bfunction\b/i, 'function'],
    [/\bview\b/i, 'view'],
    [/\bstorage\.buckets\b/i, 'bucket'],
  ]
  const found = topics.filter(([words]) => words.test(text)).map(([, topic]) => ({ topic, ...(topic === 'policy' ? tableOfPolicy(text) : {}) }))
  return found.length ? found : otherwise
}

function tableOfPolicy(text: string): { readonly object?: string } {
  const name = /\bpolicy\b(?:\s+if\s+not\s+exists)?\s+(?:"[^"]{1,200}"|\w{1,63})\s+on\s+((?:\w{1,63}\.)?\w{1,63})/i.exec(text)?.[1]?.toLowerCase()
  return name ? { object: qualified(name.split('.')) } : {}
}
