import { SqlFailure } from '../access/session.ts'
import type { StatementOutcome } from '../answer/outcome.ts'
import type { DatabaseGap, ReplayInput, TableHint } from '../database.ts'
import { closedByDrops, dropsSchema } from './emptied-schemas.ts'
import { type Engine, EngineDied } from './engine.ts'
import { createExtension, isMovedExtension, moveExtension } from './extensions.ts'
import { orderFiles } from './order-files.ts'
import { Outcomes } from './outcomes.ts'
import type { Parser } from './parser.ts'
import { droppedPolicies, policyKey } from './policy-links.ts'
import { Provenance } from './provenance.ts'
import type { Repaired } from './repaired.ts'
import { Repairs } from './repairs.ts'
import { ALL_TOPICS, type ParsedFile, parseFile, type Statement, touchesOf } from './statement.ts'
import { RESERVED_MS } from './stopwatch.ts'
import { ident, inside, kindOf, literal, nameParts, qualified, relationName, type Tree } from './tree.ts'
import { lostWith } from './unparsed.ts'

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

/** Replays the files of one database, statement by statement in autocommit, as the platform's `postgres`. */
export class Replay {
  private readonly engine: Engine
  private readonly input: ReplayInput
  private readonly host: ReplayHost
  private readonly files: readonly ParsedFile[]
  private readonly gaps: DatabaseGap[] = []
  private readonly count = { total: 0, applied: 0, explained: 0 }
  private readonly provenance: Provenance
  private readonly repairs: Repairs
  private readonly deferred = new Map<string, Statement[]>()
  private role: string | undefined
  /** Statements that undo SET LOCAL at the file's COMMIT. */
  private localSettings: string[] = []
  private outOfTime = false
  private readonly outlines: ReadonlySet<string>
  private eventTriggers: readonly string[] = []
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
    this.repairs = new Repairs(engine, this.files, {
      hintOf: async (table) => (await host.hints()).findLast((h) => (h.table.includes('.') ? h.table : `public.${h.table}`) === table),
      admin: (sql) => this.admin(sql),
      defer: (s, key) => this.defer(s, key),
      parse: (sql) => {
        const node = parser.parse(sql)?.stmts[0]?.stmt
        return node && { kind: kindOf(node), node: inside(node) }
      },
    })
  }

  async run(): Promise<Replayed> {
    await this.provenance.begin()
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
    for (const name of this.eventTriggers) await this.engine.exec(`set session authorization supabase_admin; alter event trigger ${ident(name)} disable`)
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
    await this.engine.exec(
      'set session authorization supabase_admin; reset all; set session authorization postgres; set search_path = "$user", public, extensions; set check_function_bodies = off',
    )
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
      await this.execute(s, text)
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
    await this.admin('grant supabase_storage_admin to postgres')
    try {
      await this.engine.exec(text)
      return true
    } catch (again) {
      if (!(again instanceof SqlFailure)) throw again
      return false
    } finally {
      await this.restoreSession()
      await this.admin(
        'revoke supabase_storage_admin from postgres; alter table storage.objects enable row level security; alter table storage.buckets enable row level security',
      )
    }
  }

  private async execute(s: Statement, text: string): Promise<void> {
    if (s.kind === 'CreateExtensionStmt') return createExtension(s.node, (sql) => this.admin(sql))
    if (isMovedExtension(s.kind, s.node)) return moveExtension(s.node, text, (sql) => this.admin(sql))
    if (isGrantedPolicy(s) || isGrantedTriggerDrop(s)) return this.admin(text)
    if (isEventTrigger(s)) return this.eventTrigger(s, text)
    if (s.kind === 'VariableSetStmt' && s.node.is_local) {
      const name = String(s.node.name ?? '')
      const { rows } = await this.engine.exec(`select pg_catalog.current_setting(${literal(name)}, true) as v`)
      if (typeof rows[0]?.['v'] === 'string') this.localSettings.push(`select pg_catalog.set_config(${literal(name)}, ${literal(rows[0]['v'])}, false)`)
      await this.engine.exec(text.replace(/^\s*set\s+local\b/i, 'set'))
      return
    }
    await this.engine.exec(text)
  }

  /** Runs SQL as another role, and comes back. */
  private async as(role: string, sql: string): Promise<void> {
    await this.engine.exec(`set session authorization ${ident(role)}`)
    try {
      await this.engine.exec(sql)
    } finally {
      await this.restoreSession()
    }
  }

  /** Event triggers of the repository never run with the superuser's rights. */
  private async admin(sql: string): Promise<void> {
    const toggle = (how: string) => this.eventTriggers.map((name) => `alter event trigger ${ident(name)} ${how};`).join(' ')
    await this.as('supabase_admin', `${toggle('disable')} ${sql}; ${toggle('enable')} select 1`)
  }

  /** The platform lets `postgres` keep event triggers, most often to enable RLS on every new table. */
  private async eventTrigger(s: Statement, text: string): Promise<void> {
    if (s.kind === 'DropStmt') await this.as('supabase_admin', text)
    else await this.admin(text)
    const { rows } = await this.engine.exec(
      "select evtname from pg_catalog.pg_event_trigger where evtname not like 'prelaunch%' and evtenabled <> 'D' order by 1",
    )
    this.eventTriggers = rows.map((r) => r['evtname'] as string)
    if (s.kind === 'CreateEventTrigStmt' && /^prelaunch/.test(s.node.trigname)) throw new SqlFailure('42501', 'the name is reserved')
  }

  private async restoreSession(): Promise<void> {
    await this.engine.exec(`set session authorization postgres${this.role ? `; set role ${ident(this.role)}` : ''}`)
  }

  /** After errors that a damaged engine gives too, asks for an answer that only a sound one knows. */
  private async checkAlive(error: SqlFailure): Promise<void> {
    if (!/^(XX|53|54|58)/.test(error.code)) return
    const { rows } = await this.engine.exec('select 6 * 7 as sentinel')
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

/** Triggers on the platform's own tables: the platform lets `postgres` drop them, although it owns none of the tables. */
function isGrantedTriggerDrop(s: Statement): boolean {
  if (s.kind !== 'DropStmt' || s.node.removeType !== 'OBJECT_TRIGGER') return false
  return /^(auth|storage|realtime)\./.test(nameParts(s.node.objects?.[0]?.List?.items).slice(0, -1).join('.'))
}

/** Policy DDL that the platform allows on tables of its own. */
function isGrantedPolicy(s: Statement): boolean {
  if (s.kind === 'CreatePolicyStmt' || s.kind === 'AlterPolicyStmt') return POLICY_GRANTS.has(relationName(s.node.table, ''))
  if (s.kind === 'RenameStmt' && s.node.renameType === 'OBJECT_POLICY') return POLICY_GRANTS.has(relationName(s.node.relation, ''))
  const parts =
    s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_POLICY'
      ? s.node.objects?.[0]?.List?.items
      : s.kind === 'CommentStmt' && s.node.objtype === 'OBJECT_POLICY'
        ? s.node.object?.List?.items
        : undefined
  return POLICY_GRANTS.has(nameParts(parts).slice(0, -1).join('.'))
}
