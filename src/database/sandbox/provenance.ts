import type { Place } from '../../lib/place.ts'
import { type Engine, EngineDied } from './engine.ts'
import type { Statement } from './statements/statement.ts'
import { inside, nameParts, nodeKind, relationName, standardLiteral, type Tree } from './statements/tree.ts'

/** A row of the catalog that a statement wrote. */
interface Written {
  readonly class: 'pg_class' | 'pg_proc' | 'pg_policy' | 'pg_trigger' | 'pg_rewrite' | 'pg_type'
  readonly oid: number
  /** Of a relation its kind; of a function a digest of what it does. */
  readonly what: string
  /** Quoted and qualified where it is a relation, a function or a type; of a rule the object id of its view. */
  readonly name: string
  readonly rls: boolean
  readonly forced: boolean
  readonly attributes: number
}

/** What the catalog shows after a statement. */
interface Seen {
  readonly user: string
  /** The transaction that comes next. */
  readonly next: number
  /** The newest object ids. */
  readonly relation: number
  readonly function: number
  readonly eventTriggers: boolean
  readonly written: readonly Written[]
}

/** Access lists by `class:oid:column`, as JSON text. */
type AclState = ReadonlyMap<string, string>

interface Relation {
  created: Place
  /** False for the platform's tables and stand-ins, which a statement only altered. */
  createdHere: boolean
  rls: boolean
  forced: boolean
  attributes: number
  rlsAt?: Place
  /** Places of columns by attribute number, for those that came later. */
  columns: Map<number, Place>
  /** Lines of the columns of CREATE TABLE by name. */
  columnLines: Map<string, number>
}

/** Object ids below are the engine's own. */
const FIRST_OBJECT = 16_384

/** Members of extensions are not the statement's. */
const notOfExtension = (name: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${name}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

/** Catalogs of which a statement may have written rows. */
type CatalogName = Written['class']

/** Relations that are told about; indexes, sequences and the like are not. */
const TOLD = "relkind in ('r', 'p', 'f', 'v', 'm')"

/**
 * Rows of the catalog by who wrote them: every row version carries the transaction that made it (`xmin`), and statements run one by one. Nothing is
 * added to the database for that, so a statement can neither see nor switch off nor forge it. `age` counts transactions backwards from now.
 */
const WRITTEN: Readonly<Record<CatalogName, (transactions: string) => string>> = {
  pg_class: (
    transactions,
  ) => `select 'pg_class' as class, c.oid::int as oid, c.relkind::text as what, quote_ident(case when n.nspname like 'pg\\_temp%' then 'pg_temp' else n.nspname end) || '.' || quote_ident(c.relname) as name, c.relrowsecurity as rls, c.relforcerowsecurity as forced, c.relnatts::int as attributes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid >= ${FIRST_OBJECT} and c.${TOLD} and age(c.xmin) <= ${transactions} and ${notOfExtension('pg_class', 'c.oid')}`,
  pg_proc: (
    transactions,
  ) => `select 'pg_proc' as class, p.oid::int as oid, md5(concat_ws('|', p.prosrc, p.probin, p.prosqlbody, p.prolang, p.prorettype, p.proallargtypes, p.proargdefaults)) as what, quote_ident(n.nspname) || '.' || quote_ident(p.proname) as name, false as rls, false as forced, 0 as attributes
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.oid >= ${FIRST_OBJECT} and age(p.xmin) <= ${transactions} and ${notOfExtension('pg_proc', 'p.oid')}`,
  pg_policy: (transactions) =>
    `select 'pg_policy' as class, oid::int as oid, '' as what, '' as name, false as rls, false as forced, 0 as attributes from pg_policy where age(xmin) <= ${transactions}`,
  pg_trigger: (transactions) =>
    `select 'pg_trigger' as class, oid::int as oid, '' as what, '' as name, false as rls, false as forced, 0 as attributes from pg_trigger where age(xmin) <= ${transactions} and not tgisinternal`,
  pg_rewrite: (transactions) =>
    `select 'pg_rewrite' as class, oid::int as oid, '' as what, ev_class::oid::text as name, false as rls, false as forced, 0 as attributes from pg_rewrite where oid >= ${FIRST_OBJECT} and age(xmin) <= ${transactions} and rulename = '_RETURN'`,
  pg_type: (
    transactions,
  ) => `select 'pg_type' as class, t.oid::int as oid, '' as what, quote_ident(n.nspname) || '.' || quote_ident(t.typname) as name, false as rls, false as forced, 0 as attributes
    from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
    where t.oid >= ${FIRST_OBJECT} and age(t.xmin) <= ${transactions} and t.typcategory <> 'A' and (t.typrelid = 0 or c.relkind = 'c')`,
}
const ALL_CATALOGS = Object.keys(WRITTEN) as CatalogName[]

/**
 * What a statement of a kind writes by itself. Reading all catalogs takes longer than most statements; whether code that ran along made something else
 * is told by the newest object ids.
 */
const WRITES: Readonly<Record<string, readonly CatalogName[]>> = {
  CreateStmt: ['pg_class'],
  AlterTableStmt: ['pg_class'],
  CreatePolicyStmt: ['pg_policy'],
  AlterPolicyStmt: ['pg_policy'],
  CreateFunctionStmt: ['pg_proc'],
  AlterFunctionStmt: ['pg_proc'],
  CreateTrigStmt: ['pg_trigger'],
  ViewStmt: ['pg_class', 'pg_rewrite'],
  CreateEnumStmt: ['pg_type'],
  AlterEnumStmt: [],
  IndexStmt: [],
  CommentStmt: [],
  GrantStmt: [],
  DropStmt: [],
  VariableSetStmt: [],
  InsertStmt: [],
  UpdateStmt: [],
  DeleteStmt: [],
}

const NEWEST = `(select max(oid) from pg_class where ${TOLD})::int8 as relation, (select max(oid) from pg_proc)::int8 as function`

const NEXT_TRANSACTION = 'pg_snapshot_xmax(pg_current_snapshot())::text::int8'

/** Which statement made, changed or granted what, from the catalog after each one. */
export class Provenance {
  readonly relations = new Map<number, Relation>()
  /** Last definition of policies, functions, triggers and views, by `class:oid`. */
  readonly definitions = new Map<string, Place>()
  /** Statement that gave a privilege: `class:oid:column|role=privilege`. */
  readonly grants = new Map<string, Place>()
  readonly buckets = new Map<string, Place>()
  private readonly engine: Engine
  /** The first transaction that is not accounted for. */
  private next = 0
  /** Object ids are given in order: what is above did not exist then. */
  private newest = { relation: 0, function: 0 }
  /** An event trigger of the repository may run along with any statement. */
  #eventTriggers = false
  /** What functions did when they were last seen. */
  private readonly bodies = new Map<number, string>()
  private acl: AclState = new Map()
  private bucketState = new Map<string, string>()
  private created: string[] = []
  private newViews: string[] = []

  constructor(engine: Engine) {
    this.engine = engine
  }

  /** What is there now is nobody's. */
  async begin(): Promise<void> {
    await this.forget()
  }

  /** Notes what a successful statement did. */
  async after(s: Statement): Promise<{ user: string }> {
    const usual = this.#eventTriggers ? ALL_CATALOGS : (WRITES[s.kind] ?? ALL_CATALOGS)
    const { newest } = this
    const seen = await this.readWritten(usual)
    const written = [...seen.written]
    const isTold = (catalog: CatalogName, last: number, now: number) => now <= last || written.some((w) => w.class === catalog && w.oid >= now)
    const stood = isTold('pg_class', newest.relation, seen.relation) && isTold('pg_proc', newest.function, seen.function)
    if (!stood && usual !== ALL_CATALOGS) written.push(...(await this.readWritten(ALL_CATALOGS.filter((c) => !usual.includes(c)))).written)
    this.#eventTriggers ||= seen.eventTriggers
    this.next = seen.next
    this.newest = { relation: seen.relation, function: seen.function }
    const replacedViews = new Set(written.filter((w) => w.class === 'pg_rewrite').map((w) => Number(w.name)))
    for (const w of written.toSorted((a, b) => a.oid - b.oid)) {
      const isNew = w.class === 'pg_proc' ? w.oid > newest.function : w.oid > newest.relation
      this.note(w, s, { isNew, isReplacedView: replacedViews.has(w.oid) })
    }
    return { user: seen.user }
  }

  /** Takes what stand-ins and the auditor's own statements wrote for what was there before. */
  async forget(): Promise<void> {
    const { next, relation, function: newestFunction } = await this.readWritten([])
    this.next = next
    this.newest = { relation, function: newestFunction }
  }

  /** The rows of some catalogs that no statement accounts for yet. */
  private async readWritten(catalogs: readonly CatalogName[]): Promise<Seen> {
    const parts = catalogs.map((c) => WRITTEN[c](`${NEXT_TRANSACTION} - ${this.next}`))
    const written = parts.length ? `(select coalesce(json_agg(w), '[]') from (${parts.join(' union all ')}) w)` : "'[]'::json"
    const { rows } = await this.engine.ask(
      `select session_user::text as user, ${NEXT_TRANSACTION} as next, ${NEWEST}, exists (select from pg_event_trigger) as "eventTriggers", ${written} as written`,
    )
    const row = rows[0] as (Omit<Seen, 'next' | 'relation' | 'function'> & { next: unknown; relation: unknown; function: unknown }) | undefined
    if (!row) throw new EngineDied('the catalog gave no answer')
    return { ...row, next: Number(row.next), relation: Number(row.relation), function: Number(row.function) }
  }

  private note(w: Written, s: Statement, { isNew, isReplacedView }: { readonly isNew: boolean; readonly isReplacedView: boolean }): void {
    const name = w.name.replaceAll('"', '')
    if (w.class === 'pg_class') this.noteRelation(w, s, isNew || isReplacedView)
    // COMMENT ON POLICY writes elsewhere; switching a trigger off and on defines nothing
    else if (w.class === 'pg_policy' || (w.class === 'pg_trigger' && s.kind !== 'AlterTableStmt')) this.definitions.set(`${w.class}:${w.oid}`, s.at)
    else if (w.class === 'pg_proc') {
      // who may call it, who owns it and how it is run is no definition of it
      const isDefined = isNew || s.kind === 'CreateFunctionStmt' || (/^(DoStmt|SelectStmt|CallStmt)$/.test(s.kind) && this.bodies.get(w.oid) !== w.what)
      this.bodies.set(w.oid, w.what)
      if (!isDefined) return
      this.definitions.set(`pg_proc:${w.oid}`, s.at)
      this.created.push(`function:${name}`)
    } else if (w.class === 'pg_type') this.created.push(`type:${name}`)
  }

  private noteRelation(w: Written, s: Statement, creates: boolean): void {
    const { oid, rls, forced, attributes } = w
    const name = w.name.replaceAll('"', '')
    const isView = w.what === 'v' || w.what === 'm'
    if (creates) {
      this.created.push(`relation:${name}`)
      if (isView) {
        this.definitions.set(`pg_class:${oid}`, s.at)
        this.newViews.push(w.name)
      }
    }
    const known = this.relations.get(oid)
    if (!known) {
      // a privilege on a table of the platform says nothing of the table
      if (!creates && s.kind === 'GrantStmt') return
      this.relations.set(oid, {
        created: s.at,
        createdHere: creates,
        rls,
        forced,
        attributes,
        columns: new Map(),
        columnLines: columnLines(s),
        ...(rls || mentionsRls(s) ? { rlsAt: s.at } : {}),
      })
      return
    }
    if (known.rls !== rls || known.forced !== forced || mentionsRls(s)) known.rlsAt = s.at
    known.rls = rls
    known.forced = forced
    for (let n = known.attributes + 1; n <= attributes; n++) {
      known.columns.set(n, s.at)
      this.created.push(`column:${name}`)
    }
    known.attributes = Math.max(known.attributes, attributes)
  }

  /** Keys (`relation:public.posts`) of what came into being since the last call. */
  takeCreated(): string[] {
    const created = this.created
    this.created = []
    return created
  }

  takeNewViews(): string[] {
    const views = this.newViews
    this.newViews = []
    return views
  }

  mayGrant(s: Statement): boolean {
    return s.kind === 'GrantStmt' || (/^(DoStmt|SelectStmt|CallStmt)$/.test(s.kind) && /\b(grant|revoke)\b/i.test(s.text))
  }

  async beforeGrant(s: Statement): Promise<void> {
    this.acl = await this.readAcl(s)
  }

  async afterGrant(s: Statement): Promise<void> {
    const now = await this.readAcl(s)
    for (const [object, text] of now) {
      const before = this.acl.get(object)
      if (before === text) continue
      const held = new Set(aclItems(before))
      const holds = new Set(aclItems(text))
      for (const item of holds) if (!held.has(item)) this.grants.set(`${object}|${item}`, s.at)
      for (const item of held) if (!holds.has(item)) this.grants.delete(`${object}|${item}`)
    }
  }

  /** Access lists as text: most statements change one of them, and only that one is taken apart. */
  private async readAcl(s: Statement): Promise<AclState> {
    const named = namedObjects(s)
    const relations = named ? `c.relname in (${list(named.relations)})` : 'c.oid >= 16384'
    const functions = named ? `p.proname in (${list(named.functions)})` : 'p.oid >= 16384'
    const parts = [
      ...(!named || named.relations.length
        ? [
            `select 'pg_class:' || c.oid || ':' as o, pg_catalog.array_to_json(c.relacl::text[])::text as a from pg_catalog.pg_class c where c.relacl is not null and ${relations}`,
            `select 'pg_class:' || c.oid || ':' || t.attname, pg_catalog.array_to_json(t.attacl::text[])::text from pg_catalog.pg_class c join pg_catalog.pg_attribute t on t.attrelid = c.oid where t.attacl is not null and ${relations}`,
          ]
        : []),
      ...(!named || named.functions.length
        ? [
            `select 'pg_proc:' || p.oid || ':' as o, pg_catalog.array_to_json(p.proacl::text[])::text as a from pg_catalog.pg_proc p where p.proacl is not null and ${functions}`,
          ]
        : []),
    ]
    if (parts.length === 0) return new Map()
    const { rows } = await this.engine.ask(parts.join(' union all '))
    return new Map(rows.map((r) => [r['o'] as string, r['a'] as string]))
  }

  mayTouchBuckets(s: Statement): boolean {
    if (s.kind === 'InsertStmt' || s.kind === 'UpdateStmt' || s.kind === 'DeleteStmt')
      return relationName(s.node.relation) === 'storage.buckets' || /\bbuckets\b/i.test(s.text)
    return /^(DoStmt|SelectStmt|CallStmt)$/.test(s.kind) && /bucket/i.test(s.text)
  }

  async afterBuckets(s: Statement): Promise<void> {
    const { rows } = await this.engine.ask('select id, name, public from storage.buckets')
    const now = new Map(rows.map((r) => [r['id'] as string, JSON.stringify(r)]))
    for (const [id, row] of now) if (this.bucketState.get(id) !== row) this.buckets.set(id, bucketPlace(s, id))
    this.bucketState = now
  }
}

/** The tables and functions that a GRANT names; undefined when it may reach any. */
function namedObjects(s: Statement): { relations: string[]; functions: string[] } | undefined {
  if (s.kind !== 'GrantStmt' || s.node.targtype !== 'ACL_TARGET_OBJECT') return undefined
  const objects: Tree[] = s.node.objects ?? []
  const relations = objects.flatMap((o) => (o.RangeVar && s.node.objtype === 'OBJECT_TABLE' ? [o.RangeVar.relname as string] : []))
  const functions = objects.flatMap((o) => (o.ObjectWithArgs ? nameParts(o.ObjectWithArgs.objname).slice(-1) : []))
  return { relations, functions }
}

function list(names: readonly string[]): string {
  return names.length ? names.map(standardLiteral).join(', ') : "''"
}

const LETTERS: Readonly<Record<string, string>> = {
  r: 'SELECT',
  a: 'INSERT',
  w: 'UPDATE',
  d: 'DELETE',
  D: 'TRUNCATE',
  x: 'REFERENCES',
  t: 'TRIGGER',
  X: 'EXECUTE',
}

/** `["anon=arw/postgres"]` as `anon=INSERT`, `anon=SELECT`, ... */
function aclItems(json: string | undefined): string[] {
  if (!json) return []
  return (JSON.parse(json) as string[]).flatMap((item) => {
    const quoted = /^"((?:[^"]|"")*)"=/.exec(item)
    const role = quoted ? (quoted[1] as string).replaceAll('""', '"') : item.slice(0, item.indexOf('='))
    const letters = item.slice(quoted ? quoted[0].length : role.length + 1, item.lastIndexOf('/'))
    return [...letters].flatMap((l) => (LETTERS[l] ? [`${role || 'public'}=${LETTERS[l]}`] : []))
  })
}

/** In an INSERT of several buckets each has its own line. */
function bucketPlace(s: Statement, id: string): Place {
  let found: Place | undefined
  const rows: Tree[] = s.kind === 'InsertStmt' ? (s.node.selectStmt?.SelectStmt?.valuesLists ?? []) : []
  if (rows.length < 2) return s.at
  for (const row of rows) {
    const first = row.List?.items?.find((i: Tree) => i.A_Const?.sval?.sval === id)
    if (first && found === undefined) found = { path: s.at.path, line: s.lineOf(first.A_Const.location ?? 0) }
  }
  return found ?? s.at
}

function mentionsRls(s: Statement): boolean {
  return s.kind === 'AlterTableStmt' && (s.node.cmds ?? []).some((c: Tree) => /RowSecurity/.test(c.AlterTableCmd?.subtype ?? ''))
}

function columnLines(s: Statement): Map<string, number> {
  const lines = new Map<string, number>()
  if (s.kind !== 'CreateStmt') return lines
  for (const element of s.node.tableElts ?? []) {
    if (nodeKind(element) !== 'ColumnDef') continue
    const column = inside(element)
    lines.set(column.colname, s.lineOf(column.location ?? 0))
  }
  return lines
}
