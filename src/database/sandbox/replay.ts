import { SqlFailure } from '../access/trials/access-session.ts'
import type { StatementOutcome } from '../answer/outcome.ts'
import type { DatabaseGap, ReplayInput, TableHint } from '../database.ts'
import { type Engine, EngineDied } from './engine.ts'
import { createExtension, isMovedExtension, moveExtension } from './extensions.ts'
import { Outcomes } from './outcomes.ts'
import { Provenance } from './provenance.ts'
import type { Repaired } from './repairs/repair-outcome.ts'
import { Repairs } from './repairs/repairs.ts'
import { ReservedRoles } from './reserved-roles.ts'
import { closedByDrops, dropsSchema } from './statements/dropped-schemas.ts'
import { orderFiles } from './statements/order-files.ts'
import type { Parser } from './statements/parser.ts'
import { droppedPolicies, policyKey } from './statements/policy-links.ts'
import { ALL_TOPICS, type ParsedFile, parseFile, type Statement, touchesOf } from './statements/statement.ts'
import { ident, inside, nameParts, nodeKind, qualified, relationName, standardLiteral, type Tree } from './statements/tree.ts'
import { lostWith } from './statements/unparsed.ts'
import { RESERVED_MS } from './stopwatch.ts'

/** What a replay has to know of its surroundings. */
export interface ReplayHost {
  /** Told before each step that may hang; false when the step killed an earlier run and is to be left out. */
  mark(label: string): boolean
  remainingMs(): number
  /** What code says of tables that the SQL may lack; known only when the code is read. */
  hints(): Promise<readonly TableHint[]>
}

export interface Replayed {
  readonly gaps: DatabaseGap[]
  readonly statements: { total: number; applied: number; explained: number }
  readonly provenance: Provenance
  readonly repairs: Repairs
  readonly order: string[]
  /** Exports for reading among the files. */
  readonly outlines: ReadonlySet<string>
  readonly speaksOfStorage: boolean
  /** The time budget ended before every statement was applied. */
  readonly cutShort: boolean
  /** What became of each statement, those that were left out among them. */
  readonly outcomes: readonly StatementOutcome[]
}

/** Policies on these tables belong to the project, although the tables do not: the platform lets `postgres` write them. */
const POLICY_GRANTS = new Set(['storage.objects', 'storage.buckets', 'realtime.messages', 'auth.users'])

/** Kinds of statements that may change a role, in what they call too. */
const RESERVED_REACH: ReadonlySet<string> = new Set(['DoStmt', 'SelectStmt', 'CallStmt', 'AlterRoleStmt', 'RenameStmt'])

/** The roles that own the platform's tables, by schema; `postgres` is a member of the one that owns those of `realtime`. */
const OWNERS: Readonly<Record<string, string>> = { auth: 'supabase_auth_admin', storage: 'supabase_storage_admin' }

/** Replays the files of one database, statement by statement in autocommit, as the platform's `postgres`. */
export class Replay {
  private readonly engine: Engine
  private readonly input: ReplayInput
  private readonly host: ReplayHost
  private readonly files: readonly ParsedFile[]
  private readonly gaps: DatabaseGap[] = []
  private readonly count = { total: 0, applied: 0, explained: 0 }
  private readonly provenance: Provenance
  private readonly reservedRoles: ReservedRoles
  private readonly repairs: Repairs
  private readonly deferred = new Map<string, Statement[]>()
  private role: string | undefined
  /** Statements that undo SET LOCAL at the file's COMMIT. */
  private localSettings: string[] = []
  private outOfTime = false
  private readonly outlines: ReadonlySet<string>
  /** Statements that dropped a schema. */
  private readonly emptied: Statement[] = []
  private readonly outcomes: Outcomes

  constructor(engine: Engine, parser: Parser, input: ReplayInput, host: ReplayHost) {
    this.engine = engine
    this.input = input
    this.host = host
    const parsed = input.files.map((f, i) => parseFile(f, i, parser, (label) => host.mark(`parse ${label}`)))
    this.outcomes = new Outcomes(parsed)
    this.files = orderFiles(parsed, this.gaps)
    this.outlines = new Set(input.files.filter((f) => f.role === 'outline').map((f) => f.path))
    this.provenance = new Provenance(engine)
    this.reservedRoles = new ReservedRoles(engine)
    this.repairs = new Repairs(engine, this.files, {
      hintOf: async (table) => (await host.hints()).findLast((h) => (h.table.includes('.') ? h.table : `public.${h.table}`) === table),
      administer: (sql) => this.administer(sql),
      asOwnerOf: (table, sql) => this.asOwnerOf(table, sql),
      defer: (s, key) => this.defer(s, key),
      parse: (sql) => {
        const node = parser.parse(sql)?.stmts[0]?.stmt
        return node && { kind: nodeKind(node), node: inside(node) }
      },
    })
  }

  async run(): Promise<Replayed> {
    await this.provenance.begin()
    await this.reservedRoles.begin()
    if (this.input.autoExpose === false)
      await this.engine.exec('alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role')
    await this.startFile()
    for (const { statements, gaps } of this.files) {
      this.gaps.push(...gaps)
      for (const s of statements) await this.replay(s)
      await this.startFile()
    }
    await this.runLeftovers()
    this.gaps.push(...(await closedByDrops(this.engine, this.emptied, this.input)))
    return {
      gaps: this.gaps,
      statements: this.count,
      provenance: this.provenance,
      repairs: this.repairs,
      cutShort: this.outOfTime,
      order: [...new Set(this.files.map((f) => f.file.path))],
      outlines: this.outlines,
      speaksOfStorage: this.files.some((f) => f.statements.some((s) => /\bstorage\s*\.\s*"?(objects|buckets)\b/i.test(s.text))),
      outcomes: this.outcomes.told(),
    }
  }

  private async startFile(): Promise<void> {
    this.role = undefined
    this.localSettings = []
    await this.engine.exec('set session authorization postgres; reset all; set search_path = "$user", public, extensions; set check_function_bodies = off')
  }

  private async replay(s: Statement): Promise<void> {
    this.count.total++
    this.outcomes.reached(s)
    if (!this.outOfTime && this.host.remainingMs() < RESERVED_MS) this.outOfTime = true
    if (this.outOfTime) return this.explain(s, 'the time budget ended before it was applied', this.touches(s, true))
    if (s.kind === '') {
      const statements = this.files.flatMap((f) => f.statements)
      return this.explain(s, 'PostgreSQL cannot parse it', lostWith(s, statements))
    }
    const refused = refusal(s)
    if (refused) return this.explain(s, refused.because, refused.touches)
    if (await this.control(s)) return this.applied(s)
    if (!this.host.mark(s.label)) return this.explain(s, 'it did not end in time or broke the database engine', this.touches(s, true))
    await this.apply(s)
  }

  /** Transaction control is left out: every statement commits on its own. */
  private async control(s: Statement): Promise<boolean> {
    if (s.kind !== 'TransactionStmt')
      return s.kind === 'VariableSetStmt' && /^(check_function_bodies|max_stack_depth|transaction_\w+)$/i.test(s.node.name ?? '')
    if (/^TRANS_STMT_(COMMIT|ROLLBACK)$/.test(s.node.kind)) for (const undo of this.localSettings.splice(0)) await this.engine.exec(undo).catch(() => undefined)
    return true
  }

  private async apply(s: Statement): Promise<void> {
    this.repairs.reached(s)
    for (let attempt = 0; attempt < 60; attempt++) {
      const error = await this.attempt(s, this.repairs.textOf(s))
      if (!error) {
        const partly = this.repairs.simplified.get(s.label)
        const replaced = this.repairs.saidOfReplaced(s)
        if (partly) this.explain(s, `only its columns were applied: ${partly}`, this.touches(s))
        else if (replaced) this.explain(s, replaced.because, replaced.touches ?? this.touches(s))
        else this.applied(s)
        this.overtaken(s)
        await this.runDeferred()
        return
      }
      const repaired = await this.repaired(s, error)
      await this.restoreSession()
      await this.provenance.forget()
      if (repaired.how === 'retry') continue
      if (repaired.how === 'deferred') return
      return this.explain(s, repaired.because, repaired.touches ?? this.touches(s))
    }
    this.explain(s, 'too much of what it needs is missing', this.touches(s))
  }

  /** What became of a statement; one whose repair fails as well stays as it is. */
  private async repaired(s: Statement, error: SqlFailure): Promise<Repaired> {
    try {
      return await this.repairs.repair(s, error)
    } catch (again) {
      if (!(again instanceof SqlFailure)) throw again
      return { how: 'explained', because: `failed: ${error.message}` }
    }
  }

  private async attempt(s: Statement, text: string): Promise<SqlFailure | undefined> {
    const watchesAcl = this.provenance.mayGrant(s)
    const watchesBuckets = this.provenance.mayTouchBuckets(s)
    if (watchesAcl) await this.provenance.beforeGrant(s)
    try {
      if (RESERVED_REACH.has(s.kind)) await this.reservedRoles.keptBy(text)
      else await this.execute(s, text)
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error
      await this.checkAlive(error)
      if (!(await this.asStorageOwner(s, text, error))) return error
    }
    const { user } = await this.provenance.after(s)
    if (user !== 'postgres') await this.restoreSession()
    if (watchesAcl) await this.provenance.afterGrant(s)
    if (dropsSchema(s)) this.emptied.push(s)
    if (watchesBuckets) await this.provenance.afterBuckets(s)
    if (this.input.autoExpose === false) await this.exposeNewViews()
    if (s.kind === 'VariableSetStmt' && s.node.name === 'role') this.role = s.node.kind === 'VAR_SET_VALUE' ? s.node.args?.[0]?.A_Const?.sval?.sval : undefined
    if (s.kind === 'DiscardStmt' || (s.kind === 'VariableSetStmt' && s.node.kind === 'VAR_RESET_ALL')) await this.startFile()
    return undefined
  }

  /**
   * Policies on the platform's storage tables that a DO block or function creates: allowed there too, although only the owner may.
   * Switching row security off is not, and is undone.
   */
  private async asStorageOwner(s: Statement, text: string, error: SqlFailure): Promise<boolean> {
    if (
      error.code !== '42501' ||
      !/^(DoStmt|SelectStmt|CallStmt)$/.test(s.kind) ||
      !/^must be owner of (table|relation) (objects|buckets)$/.test(error.message)
    )
      return false
    try {
      await this.asOwnerOf('storage.objects', text)
      return true
    } catch (again) {
      if (!(again instanceof SqlFailure)) throw again
      return false
    } finally {
      await this.protectStorage()
    }
  }

  /** Row security of the platform's files is on, whatever a block did that was run as their owner. */
  private async protectStorage(): Promise<void> {
    const { rows } = await this.engine.ask(
      "select format('alter table %I.%I enable row level security', n.nspname, c.relname) as mend from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'storage' and c.relname in ('objects', 'buckets') and not c.relrowsecurity",
    )
    for (const row of rows) await this.administer(String(row['mend']))
  }

  private async execute(s: Statement, text: string): Promise<void> {
    if (s.kind === 'CreateExtensionStmt') return createExtension(s.node, (sql) => this.administer(sql))
    if (isMovedExtension(s.kind, s.node)) return moveExtension(s.node, (sql) => this.administer(sql))
    const platforms = policyTable(s) ?? droppedTriggerTable(s)
    if (platforms) return this.asOwnerOf(platforms, text)
    if (isEventTrigger(s)) return this.eventTrigger(text)
    if (s.kind === 'VariableSetStmt' && s.node.is_local) {
      const name = String(s.node.name ?? '')
      const { rows } = await this.engine.exec(`select pg_catalog.current_setting(${standardLiteral(name)}, true) as v`)
      if (typeof rows[0]?.['v'] === 'string')
        this.localSettings.push(`select pg_catalog.set_config(${standardLiteral(name)}, ${standardLiteral(rows[0]['v'])}, false)`)
      await this.engine.exec(text.replace(/^\s*set\s+local\b/i, 'set'))
      return
    }
    await this.engine.exec(text)
  }

  /** Runs SQL of the auditor as the superuser, and goes on as before. */
  private async administer(sql: string): Promise<void> {
    try {
      await this.engine.administer(sql)
    } finally {
      await this.restoreSession()
    }
  }

  /**
   * The platform lets `postgres` keep event triggers, most often to enable RLS on every new table; PostgreSQL lets only superusers. The statement holds names
   * and no expressions, so nothing of the repository runs with these rights; the function is found where the file would find it.
   */
  private async eventTrigger(text: string): Promise<void> {
    const { rows } = await this.engine.exec("select pg_catalog.current_setting('search_path') as path")
    await this.administer(`select pg_catalog.set_config('search_path', ${standardLiteral(String(rows[0]?.['path']))}, true); ${text}`)
  }

  /**
   * Runs SQL of the repository with the rights of the role that owns a table of the platform, where that lets `postgres` do it: as a member of that role,
   * which is no superuser either.
   */
  private async asOwnerOf(table: string, sql: string): Promise<void> {
    const owner = OWNERS[table.slice(0, table.indexOf('.'))]
    if (!owner) return void (await this.engine.exec(sql))
    await this.administer(`grant ${owner} to postgres`)
    try {
      await this.engine.exec(sql)
    } finally {
      await this.administer(`revoke ${owner} from postgres`)
    }
  }

  private async restoreSession(): Promise<void> {
    await this.engine.exec(`set session authorization postgres${this.role ? `; set role ${ident(this.role)}` : ''}`)
  }

  /** After errors that a damaged engine gives too, asks for an answer that only a sound one knows. */
  private async checkAlive(error: SqlFailure): Promise<void> {
    if (!/^(XX|53|54|58)/.test(error.code)) return
    const { rows } = await this.engine.ask('select 6 * 7 as sentinel')
    if (rows[0]?.['sentinel'] !== 42) throw new EngineDied('the engine no longer answers')
  }

  private async exposeNewViews(): Promise<void> {
    for (const view of this.provenance.takeNewViews())
      await this.engine.exec(`grant all on ${view} to anon, authenticated, service_role`).catch(() => undefined)
  }

  private touches(s: Statement, uncertain = false): DatabaseGap['touches'] {
    const touches = touchesOf(s)
    return uncertain && s.kind === 'DoStmt' && touches.length === 0 ? ALL_TOPICS : touches
  }

  private applied(s: Statement): void {
    this.count.applied++
    this.outcomes.become(s, 'applied')
  }

  private explain(s: Statement, because: string, touches: DatabaseGap['touches']): void {
    const isDoubtful = touches.some((t) => t.topic === 'anything')
    if (!isDoubtful) this.count.explained++
    this.outcomes.become(s, isDoubtful ? 'doubtful' : 'explained')
    // what an export for reading leaves open is open anyway
    if (because !== '') this.gaps.push({ path: s.path, line: s.at.line, because: because.slice(0, 240), touches: this.outlines.has(s.path) ? [] : touches })
  }

  private defer(s: Statement, key: string): void {
    this.deferred.set(key, [...(this.deferred.get(key) ?? []), s])
  }

  /** A policy or a view that waits, and that a later statement takes away or makes anew, is none any more when what it waits for is there. */
  private overtaken(s: Statement): void {
    const names = replaceable(s)
    if (!names.length) return
    for (const [key, waiting] of this.deferred) {
      const left = waiting.filter((w) => !isMade(w) || !names.includes(replaceable(w)[0] ?? ''))
      for (const w of waiting) if (!left.includes(w)) this.applied(w)
      this.deferred.set(key, left)
    }
  }

  /** Statements that waited for something to be created run when it was. */
  private async runDeferred(): Promise<void> {
    for (const key of this.provenance.takeCreated()) {
      const waiting = this.deferred.get(key)
      if (!waiting) continue
      this.deferred.delete(key)
      for (const s of waiting) await this.apply(s)
    }
  }

  private async runLeftovers(): Promise<void> {
    this.repairs.nothingFollows()
    for (let round = 0; this.deferred.size && round < 5; round++) {
      const waiting = [...this.deferred.values()].flat()
      this.deferred.clear()
      for (const s of waiting) {
        if (this.outOfTime || !this.host.mark(`${s.label} again`)) this.explain(s, 'what it needs was not created', this.touches(s))
        else await this.apply(s)
      }
    }
  }
}

/** Statements that are never given to the engine. */
function refusal(s: Statement): { because: string; touches: DatabaseGap['touches'] } | undefined {
  if (s.kind === 'CopyStmt') return { because: s.node.is_program ? 'COPY with a program is never run' : '', touches: [] }
  if (s.kind === 'VariableSetStmt' && s.node.name === 'session_authorization')
    return { because: 'SET SESSION AUTHORIZATION is refused, as the platform does', touches: [] }
  if (
    s.kind === 'LoadStmt' ||
    s.kind === 'AlterSystemStmt' ||
    s.kind === 'CreateTableSpaceStmt' ||
    s.kind === 'CreateSubscriptionStmt' ||
    s.kind === 'CreatedbStmt' ||
    s.kind === 'DropdbStmt'
  )
    return { because: 'it concerns the server, not the schema', touches: [] }
  return undefined
}

/** The policies, by table and name, and the views that a statement makes or drops. */
const replaceable = (s: Statement): readonly string[] => {
  if (s.kind === 'CreatePolicyStmt') return [policyKey(relationName(s.node.table), s.node.policy_name)]
  if (s.kind === 'ViewStmt') return [relationName(s.node.view)]
  if (s.kind !== 'DropStmt') return []
  if (s.node.removeType === 'OBJECT_POLICY') return droppedPolicies(s)
  return s.node.removeType === 'OBJECT_VIEW' ? ((s.node.objects ?? []) as readonly Tree[]).map((o) => qualified(nameParts(o.List?.items))) : []
}

const isMade = (s: Statement): boolean => s.kind === 'CreatePolicyStmt' || s.kind === 'ViewStmt'

function isEventTrigger(s: Statement): boolean {
  return s.kind === 'CreateEventTrigStmt' || s.kind === 'AlterEventTrigStmt' || (s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_EVENT_TRIGGER')
}

/** The table of the platform whose trigger a statement drops: the platform lets `postgres` do that, although it owns none of the tables. */
function droppedTriggerTable(s: Statement): string | undefined {
  if (s.kind !== 'DropStmt' || s.node.removeType !== 'OBJECT_TRIGGER') return undefined
  const table = nameParts(s.node.objects?.[0]?.List?.items).slice(0, -1).join('.')
  return /^(auth|storage|realtime)\./.test(table) ? table : undefined
}

/** The table of a statement about policies that the platform allows on tables of its own. */
function policyTable(s: Statement): string | undefined {
  const table = tableOfPolicy(s)
  return table !== undefined && POLICY_GRANTS.has(table) ? table : undefined
}

function tableOfPolicy(s: Statement): string | undefined {
  if (s.kind === 'CreatePolicyStmt' || s.kind === 'AlterPolicyStmt') return relationName(s.node.table, '')
  if (s.kind === 'RenameStmt' && s.node.renameType === 'OBJECT_POLICY') return relationName(s.node.relation, '')
  const parts =
    s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_POLICY'
      ? s.node.objects?.[0]?.List?.items
      : s.kind === 'CommentStmt' && s.node.objtype === 'OBJECT_POLICY'
        ? s.node.object?.List?.items
        : undefined
  return parts && nameParts(parts).slice(0, -1).join('.')
}
