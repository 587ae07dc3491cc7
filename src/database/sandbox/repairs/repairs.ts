import type { SqlFailure } from '../../access/trials/access-session.ts'
import type { Engine } from '../engine.ts'
import { REAL_EXTENSIONS } from '../extension-files.ts'
import { tablesInScope } from '../statements/column-scope.ts'
import type { ParsedFile, Statement } from '../statements/statement.ts'
import {
  columnsOnly,
  creates,
  dropsParts,
  foreignTables,
  hasOnlySubtypes,
  isBuckets,
  isColumnSetting,
  isGoneAnyway,
  isSetOf,
  policyTable,
  unquoted,
} from '../statements/statement-shape.ts'
import { ident, identOf, relationName, relationsIn, standardLiteral } from '../statements/tree.ts'
import { MadeTwice } from './duplicate-definition.ts'
import { HeldColumns } from './referenced-columns.ts'
import { NO_EFFECT, RETRY, type Repaired, type RepairPorts } from './repair-outcome.ts'
import { StandIns, succeeds } from './stand-ins.ts'
import { TypeConflicts } from './type-conflicts.ts'

/** Supplies what a statement lacks, or says why it cannot be applied. */
export class Repairs {
  readonly standIns: StandIns
  private readonly engine: Engine
  private readonly ports: RepairPorts
  /** How often a key (`relation:public.posts`) will still be created. */
  private readonly future = new Map<string, number>()
  private readonly rewritten = new Map<string, string>()
  /** Tables that some statement speaks of, whether or not one creates them. */
  private readonly mentioned = new Set<string>()
  private readonly twice: MadeTwice
  private readonly types: TypeConflicts
  private readonly held: HeldColumns

  constructor(engine: Engine, files: readonly ParsedFile[], ports: RepairPorts) {
    this.engine = engine
    this.ports = ports
    this.standIns = new StandIns(engine, (table) => ports.hintOf(table))
    this.twice = new MadeTwice(engine, files, this.standIns, ports)
    this.types = new TypeConflicts(engine, this.standIns, ports)
    this.held = new HeldColumns(engine, files)
    for (const s of files.flatMap((f) => f.statements)) {
      for (const key of creates(s)) this.future.set(key, (this.future.get(key) ?? 0) + 1)
      for (const r of relationsIn(s.node)) this.mentioned.add(`${r.schema ?? 'public'}.${r.name}`)
    }
    for (const { statements } of files) this.expectTables(statements)
  }

  /**
   * A file that makes policies on a table ran when the table was there, whatever its name says of when: `alter table if exists t enable row level
   * security` in the same file found it, and waits for it as the policies do.
   */
  private expectTables(statements: readonly Statement[]): void {
    const withPolicies = new Set(statements.flatMap((s) => (s.kind === 'CreatePolicyStmt' ? [policyTable(s)] : [])))
    for (const s of statements) {
      if (s.kind !== 'AlterTableStmt' || !s.node.missing_ok || !hasOnlySubtypes(s, /^AT_(EnableRowSecurity|ForceRowSecurity)$/)) continue
      if (withPolicies.has(relationName(s.node.relation)))
        this.rewritten.set(
          s.label,
          s.text.replace(IF_EXISTS, (found) => ' '.repeat(found.length)),
        )
    }
  }

  /** The statement's text, with what had to be changed so that the engine takes it. */
  textOf(s: Statement): string {
    return this.rewritten.get(s.label) ?? s.text
  }

  /** Told when a statement's turn comes: what it creates lies no longer ahead. */
  reached(s: Statement): void {
    for (const key of creates(s)) this.future.set(key, (this.future.get(key) ?? 0) - 1)
    this.held.reached(s)
  }

  /** Told when a statement has to wait: what it creates lies ahead again. */
  postponed(s: Statement): void {
    for (const key of creates(s)) this.future.set(key, (this.future.get(key) ?? 0) + 1)
  }

  /** After the last statement nothing is waited for. */
  nothingFollows(): void {
    this.future.clear()
  }

  /** CREATE TABLE statements that only their columns could be taken from, and why. */
  readonly simplified = new Map<string, string>()

  /** What is to be said of a policy that was put in the place of another script's. */
  saidOfReplaced = (s: Statement): Extract<Repaired, { how: 'explained' }> | undefined => this.twice.replaced.get(s.label)

  async repair(s: Statement, error: SqlFailure): Promise<Repaired> {
    const repaired = await this.repairOnce(s, error)
    if (repaired.how !== 'explained' || repaired.because === '' || s.kind !== 'CreateStmt' || this.simplified.has(s.label)) return repaired
    const text = columnsOnly(s.node)
    if (!text) return repaired
    this.simplified.set(s.label, repaired.because)
    this.rewritten.set(s.label, text)
    return RETRY
  }

  private async repairOnce(s: Statement, error: SqlFailure): Promise<Repaired> {
    const message = error.message
    switch (error.code) {
      case '42P01':
        return this.missingRelation(s, message)
      case '42703':
        return this.missingColumn(s, error)
      case '42883':
        return this.missingFunction(s, error)
      case '3F000':
        return this.missingSchema(s, message)
      case '42704':
        return this.missingObject(s, message)
      case '42P07':
        return this.twice.madeAnew(s)
      case '42P06':
      case '42723':
        return NO_EFFECT
      case '42710':
        return s.kind === 'CreatePolicyStmt' && s.mended !== 'if not exists' ? this.twice.policy(s) : NO_EFFECT
      case '42701':
        return this.duplicateColumn(s, message)
      case '42830':
        return this.types.missingKey(s, message)
      case '42804':
        return (await this.held.released(s, error)) ? RETRY : this.types.conflict(s, error)
      case '0A000':
        if (await this.held.released(s, error)) return RETRY
        // a view or a policy holds on to the column: it stays as it was, and so does who may do what
        return { how: 'explained', because: `failed: ${message}`, ...(isColumnSetting(s) ? { touches: [] } : {}) }
      case '2BP01':
        // a view still needs the column or the type, a policy the function: all stay, and who may do what stays with them
        return { how: 'explained', because: `failed: ${message}`, ...(dropsParts(s) ? { touches: [] } : {}) }
      case '42601':
        return this.typeModifier(s, message)
      case '42501':
        return this.refusedByPlatform(s, message)
      case '23505':
        // The row, most often a bucket, is there already.
        return { how: 'explained', because: `failed: ${message}`, touches: [] }
      default:
        return { how: 'explained', because: `failed: ${message}` }
    }
  }

  private later(s: Statement, key: string): Repaired | undefined {
    if ((this.future.get(key) ?? 0) <= 0) return undefined
    return this.deferred(s, key)
  }

  private deferred(s: Statement, key: string): Repaired {
    this.postponed(s)
    this.ports.defer(s, key)
    return { how: 'deferred' }
  }

  private async missingRelation(s: Statement, message: string): Promise<Repaired> {
    const name = /^(?:relation|table|view|materialized view|foreign table) "(.+?)" does not exist/.exec(message)?.[1]
    if (!name) return { how: 'explained', because: `failed: ${message}` }
    if (isGoneAnyway(s) || s.kind === 'CommentStmt') return NO_EFFECT
    if (
      /^(InsertStmt|UpdateStmt|DeleteStmt|SelectStmt|TruncateStmt|MergeStmt|CopyStmt|RefreshMatViewStmt|AlterPublicationStmt|CommentStmt|LockStmt)$/.test(
        s.kind,
      )
    )
      return { how: 'explained', because: `failed: ${message}`, touches: [] }
    const target = unquoted(name)
    const later = this.later(s, `relation:${target}`)
    if (later) return later
    if (/^(AlterTableStmt|RenameStmt)$/.test(s.kind) && /_(seq|idx|index|key|pkey)$/.test(target)) return NO_EFFECT
    return this.orExplained(this.standIns.table(target, s), message)
  }

  /** Another attempt when what was missing could be made up. */
  private async orExplained(made: Promise<boolean>, message: string): Promise<Repaired> {
    return (await made) ? RETRY : { how: 'explained', because: `failed: ${message}` }
  }

  private async missingColumn(s: Statement, { message, position, inner }: SqlFailure): Promise<Repaired> {
    const of = /^column "?([^"\s]+?)"? of relation "(.+?)" does not exist/.exec(message)
    const bare = /^column "?(.+?)"? (?:named in key |referenced in foreign key constraint )?does not exist/.exec(message)
    const column = (of?.[1] ?? bare?.[1]?.split('.').at(-1))?.replaceAll('"', '')
    if (isGoneAnyway(s) || s.kind === 'CommentStmt') return NO_EFFECT
    if (!column) return { how: 'explained', because: `failed: ${message}` }
    if (/^(InsertStmt|UpdateStmt|DeleteStmt|SelectStmt|IndexStmt|MergeStmt)$/.test(s.kind))
      return { how: 'explained', because: `failed: ${message}`, touches: isBuckets(s) ? [{ topic: 'bucket' }] : [] }
    if (isColumnSetting(s) || (s.kind === 'AlterTableStmt' && hasOnlySubtypes(s, /^AT_DropColumn/)))
      return { how: 'explained', because: `failed: ${message}`, touches: [] }
    if (s.kind === 'RenameStmt') return { how: 'explained', because: `failed: ${message}`, touches: [] }
    const inBlock = inner === undefined ? undefined : this.ports.parse(inner)
    const wanting = inBlock ? { ...s, ...inBlock } : s
    const table = of ? unquoted(of[2] as string) : await this.tableLacking(wanting, bare?.[1] as string, column, inBlock ? undefined : position)
    if (!table) return { how: 'explained', because: `failed: ${message}` }
    const later = (this.future.get(`column:${table}.${column}`) ?? 0) > 0 ? this.deferred(s, `column:${table}`) : undefined
    if (later) return later
    return this.orExplained(this.standIns.column(table, column, wanting), message)
  }

  /** Which of the statement's tables the column was meant for: the one named, the nearest stand-in, or the only one that lacks it. */
  private async tableLacking(s: Statement, written: string, column: string, position: number | undefined): Promise<string | undefined> {
    const mentioned = relationsIn(s.node).map((r) => ({ ...r, full: `${r.schema ?? 'public'}.${r.name}` }))
    const own = policyTable(s)
    const qualifier = written.includes('.') ? written.slice(0, written.lastIndexOf('.')).replaceAll('"', '') : undefined
    if (qualifier) {
      const named = mentioned.find((r) => r.alias === qualifier) ?? mentioned.find((r) => r.name === qualifier || r.full === qualifier)
      return named?.full ?? own
    }
    if (s.kind === 'CreateStmt') {
      const foreign = foreignTables(s.node)
      return foreign.find((t) => this.standIns.all.has(t)) ?? foreign[0]
    }
    const scope = tablesInScope(s.node, column, position === undefined ? undefined : position - 1, own)
    const candidates = [...new Set([...scope, ...(own ? [own] : []), ...mentioned.map((r) => r.full)])]
    const standIn = candidates.find((c) => this.standIns.all.has(c) && !this.standIns.all.has(`${c}.${column}`))
    return standIn ?? candidates[0]
  }

  private async missingFunction(s: Statement, { message, inner }: SqlFailure): Promise<Repaired> {
    const operator = /^operator does not exist: (.+)$/.exec(message)
    if (operator) return this.types.operator(s, operator[1] as string, inner)
    const found = /^(?:function|procedure|aggregate) ([^(]+)\((.*)\) does not exist/.exec(message)
    if (!found) return { how: 'explained', because: `failed: ${message}` }
    if (isGoneAnyway(s) || s.kind === 'CommentStmt') return NO_EFFECT
    const name = unquoted(found[1] as string)
    const later = this.later(s, `function:${name}`)
    if (later) return later
    if (/^(SelectStmt|InsertStmt|UpdateStmt|DeleteStmt|DoStmt|CallStmt)$/.test(s.kind))
      return { how: 'explained', because: `failed: ${message}`, touches: s.kind === 'DoStmt' ? undefined : [] } as Repaired
    const args = (found[2] as string)
      .split(', ')
      .filter(Boolean)
      .map((a) => (a === 'unknown' ? 'text' : a))
    return this.orExplained(this.standIns.function(name, args, s), message)
  }

  private async missingSchema(s: Statement, message: string): Promise<Repaired> {
    const name = /schema "(.+?)" does not exist/.exec(message)?.[1]
    if (!name || isGoneAnyway(s)) return NO_EFFECT
    if (/^(CommentStmt|InsertStmt|UpdateStmt|DeleteStmt|SelectStmt)$/.test(s.kind)) return { how: 'explained', because: `failed: ${message}`, touches: [] }
    const made = await succeeds(this.engine.exec(`create schema ${ident(name)}`))
    return made ? RETRY : { how: 'explained', because: `failed: ${message}` }
  }

  private async missingObject(s: Statement, message: string): Promise<Repaired> {
    const found =
      /^(type|role|publication|extension|policy|trigger|constraint|index|collation|access method|operator class|schema|text search \w+|event trigger|server|foreign-data wrapper|unrecognized configuration parameter) "(.+?)"/.exec(
        message,
      )
    const [, what, name] = found ?? []
    if (isGoneAnyway(s) || s.kind === 'CommentStmt' || s.kind === 'AlterExtensionStmt') return NO_EFFECT
    if (what === 'role' && name && !(await this.exists(`select 1 from pg_roles where rolname = ${standardLiteral(name)}`))) {
      await this.ports.administer(`create role ${ident(name)} nologin; grant ${ident(name)} to postgres with admin option`)
      return RETRY
    }
    if (what === 'type' && name) return this.missingType(s, unquoted(name), message)
    // of a function's arguments it is told without quotation marks
    const argument = /^type ([\w.]+)(?:\[\])* does not exist$/.exec(message)?.[1]
    if (argument) return this.missingType(s, unquoted(argument), message)
    if ((what === 'foreign-data wrapper' || what === 'server') && name) return this.missingForeign(what, name)
    if (what === 'publication' && name) {
      await this.engine.exec(`create publication ${ident(name)}`).catch(() => undefined)
      return (await this.exists(`select 1 from pg_publication where pubname = ${standardLiteral(name)}`)) ? RETRY : NO_EFFECT
    }
    if (s.kind === 'AlterTableStmt' && (what === 'constraint' || what === 'trigger')) return NO_EFFECT
    if (s.kind === 'IndexStmt' || s.kind === 'VariableSetStmt') return { how: 'explained', because: `failed: ${message}`, touches: [] }
    return { how: 'explained', because: `failed: ${message}` }
  }

  /** Wrappers come with extensions that the engine lacks; without a handler they still carry servers and foreign tables. */
  private async missingForeign(what: 'foreign-data wrapper' | 'server', name: string): Promise<Repaired> {
    const wrapper = ident(what === 'server' ? 'prelaunch_wrapper' : name)
    const server =
      what === 'server' ? `create server ${ident(name)} foreign data wrapper ${wrapper}; grant usage on foreign server ${ident(name)} to postgres` : 'select 1'
    await this.ports
      .administer(`create foreign data wrapper ${wrapper}; grant usage on foreign data wrapper ${wrapper} to postgres with grant option`)
      .catch(() => undefined)
    return this.ports.administer(server).then(
      () => RETRY,
      () => ({ how: 'explained', because: `the ${what} "${name}" could not be made up` }) as const,
    )
  }

  private async missingType(s: Statement, name: string, message: string): Promise<Repaired> {
    const base = name.replace(/(\[\])+$/, '')
    const later = this.later(s, `type:${base}`)
    if (later) return later
    const short = base.slice(base.indexOf('.') + 1)
    const extension = { vector: 'vector', halfvec: 'vector', sparsevec: 'vector', citext: 'citext', hstore: 'hstore', ltree: 'ltree', cube: 'cube' }[short]
    if (extension && REAL_EXTENSIONS.has(extension)) {
      const schema = base.startsWith('extensions.') ? 'extensions' : 'public'
      await this.ports.administer(`create extension if not exists ${ident(extension)} schema ${schema}`)
      return RETRY
    }
    // `returns setof events`: the row of a table that no SQL creates
    if (this.mentioned.has(base) || isSetOf(s) || (await this.ports.hintOf(base))) return this.orExplained(this.standIns.table(base, s), message)
    const made = await succeeds(this.engine.exec(`create domain ${identOf(base)} as text`))
    return made ? RETRY : { how: 'explained', because: `failed: ${message}` }
  }

  /** One of several ADD COLUMN exists already: the others are added. */
  private duplicateColumn(s: Statement, message: string): Repaired {
    const name = /column "(.+?)"/.exec(message)?.[1]
    if (s.kind !== 'AlterTableStmt' || !name || (s.node.cmds ?? []).length < 2) return NO_EFFECT
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const before = this.textOf(s)
    const after = before.replace(new RegExp(`\\badd\\s+(column\\s+)?(?!if\\b)"?${escaped}"?(?=\\s)`, 'i'), `add column if not exists ${ident(name)}`)
    if (after === before) return NO_EFFECT
    this.rewritten.set(s.label, after)
    return RETRY
  }

  /** Stand-ins of types such as geometry(Point, 4326) take no modifiers. */
  private typeModifier(s: Statement, message: string): Repaired {
    const type = /type modifier is not allowed for type "(.+?)"/.exec(message)?.[1]
    if (!type) return { how: 'explained', because: `failed: ${message}` }
    const before = this.textOf(s)
    const after = before.replace(new RegExp(`\\b(${type.replace(/\W/g, '.')})\\s*\\([^()]{0,80}\\)`, 'gi'), '$1')
    if (after === before) return { how: 'explained', because: `failed: ${message}` }
    this.rewritten.set(s.label, after)
    return RETRY
  }

  private async refusedByPlatform(s: Statement, message: string): Promise<Repaired> {
    const because = `the platform refuses it: ${message}`
    if (s.kind === 'AlterTableStmt' && hasOnlySubtypes(s, /^AT_(EnableRowSecurity|ForceRowSecurity|ChangeOwner|AddConstraint|ReplicaIdentity|EnableTrig)$/))
      return NO_EFFECT
    // older projects own the tables of auth; a column of theirs lets views and functions be made and opens nothing
    if (s.kind === 'AlterTableStmt' && relationName(s.node.relation) === 'auth.users' && hasOnlySubtypes(s, /^AT_AddColumn$/)) {
      const added = await succeeds(this.ports.asOwnerOf('auth.users', s.text))
      if (added) return NO_EFFECT
    }
    if (s.kind === 'AlterTableStmt' && /^storage\./.test(relationName(s.node.relation)))
      return { how: 'explained', because, touches: [{ topic: 'policy', object: relationName(s.node.relation) }] }
    if (/^(DoStmt|CreatePolicyStmt|DropStmt|CallStmt|SelectStmt)$/.test(s.kind)) return { how: 'explained', because }
    return { how: 'explained', because, touches: [] }
  }

  private async exists(sql: string): Promise<boolean> {
    return (await this.engine.ask(sql)).rows.length > 0
  }
}

const IF_EXISTS = /(?<=\balter\s{1,9}table\s{1,9})if\s{1,9}exists\b/i
