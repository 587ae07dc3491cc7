import { randomUUID } from 'node:crypto'
import type { Place } from '../../lib/place.ts'
import type { Engine } from './engine.ts'
import type { Statement } from './statement.ts'
import { inside, kindOf, literal, nameParts, relationName, type Tree } from './tree.ts'

interface LogRow {
  readonly dropped: boolean
  readonly tag: string
  readonly class: string | null
  readonly oid: string | number | null
  readonly type: string
  readonly schema: string | null
  readonly identity: string
  readonly rls: boolean | null
  readonly forced: boolean | null
  readonly attributes: number | null
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

/** Which statement made, changed or granted what. Fed by event triggers and by comparing the catalog before and after. */
export class Provenance {
  readonly relations = new Map<number, Relation>()
  /** Last definition of policies, functions, triggers and views, by `class:oid`. */
  readonly definitions = new Map<string, Place>()
  /** Statement that gave a privilege: `class:oid:column|role=privilege`. */
  readonly grants = new Map<string, Place>()
  readonly buckets = new Map<string, Place>()
  private readonly engine: Engine
  private readonly token = randomUUID()
  private acl: AclState = new Map()
  private bucketState = new Map<string, string>()
  private created: string[] = []
  private newViews: string[] = []

  constructor(engine: Engine) {
    this.engine = engine
  }

  /** Opens the log for this run; only the holder of the token may read it. */
  async begin(): Promise<void> {
    await this.engine.exec(`
      create function prelaunch.drain(token text) returns json language plpgsql security definer set search_path = pg_catalog as $$
      declare answer json;
      begin
        if token <> ${literal(this.token)} then raise insufficient_privilege; end if;
        with taken as (delete from prelaunch.ddl_log returning *) select coalesce(json_agg(taken order by taken.n), '[]') from taken into answer;
        return answer;
      end $$;
      delete from prelaunch.ddl_log;
      select 1`)
  }

  /** Notes what a successful statement did. */
  async after(s: Statement): Promise<{ user: string }> {
    const { user, log } = await this.drain()
    for (const row of log) this.note(row, s)
    return { user }
  }

  /** Takes what stand-ins left in the log. */
  async forget(): Promise<void> {
    await this.drain()
  }

  private async drain(): Promise<{ user: string; log: readonly LogRow[] }> {
    const { rows } = await this.engine.exec(`select session_user::text as u, prelaunch.drain(${literal(this.token)}) as log`)
    const row = rows[0] as { u: string; log: LogRow[] } | undefined
    return { user: row?.u ?? '', log: row?.log ?? [] }
  }

  private note(row: LogRow, s: Statement): void {
    if (row.oid === null || row.class === null) return
    const oid = Number(row.oid)
    if (row.dropped) {
      this.relations.delete(oid)
      return
    }
    if (row.class === 'pg_class') this.noteRelation(row, oid, s)
    // COMMENT ON POLICY speaks of a policy and changes nothing of it
    else if ((row.class === 'pg_policy' || row.class === 'pg_trigger') && row.tag !== 'COMMENT') this.definitions.set(`${row.class}:${oid}`, s.at)
    else if (row.class === 'pg_proc' && row.tag === 'CREATE FUNCTION') {
      this.definitions.set(`pg_proc:${oid}`, s.at)
      this.created.push(`function:${row.identity.slice(0, row.identity.indexOf('(')).replaceAll('"', '')}`)
    } else if (row.class === 'pg_type') this.created.push(`type:${row.identity.replaceAll('"', '')}`)
  }

  private noteRelation(row: LogRow, oid: number, s: Statement): void {
    const creates = /^CREATE (TABLE|FOREIGN TABLE|VIEW|MATERIALIZED VIEW)|^SELECT INTO|^IMPORT FOREIGN/.test(row.tag)
    if (creates && /table|view/.test(row.type)) {
      this.created.push(`relation:${row.identity.replaceAll('"', '')}`)
      if (/view/.test(row.type)) {
        this.definitions.set(`pg_class:${oid}`, s.at)
        this.newViews.push(row.identity)
      }
    }
    const known = this.relations.get(oid)
    const rls = row.rls ?? false
    const forced = row.forced ?? false
    if (!known) {
      this.relations.set(oid, {
        created: s.at,
        createdHere: creates,
        rls,
        forced,
        attributes: row.attributes ?? 0,
        columns: new Map(),
        columnLines: columnLines(s),
        ...(rls || mentionsRls(s) ? { rlsAt: s.at } : {}),
      })
      return
    }
    if (known.rls !== rls || known.forced !== forced || mentionsRls(s)) known.rlsAt = s.at
    known.rls = rls
    known.forced = forced
    for (let n = known.attributes + 1; n <= (row.attributes ?? 0); n++) {
      known.columns.set(n, s.at)
      this.created.push(`column:${row.identity.replaceAll('"', '')}`)
    }
    known.attributes = Math.max(known.attributes, row.attributes ?? 0)
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
    const { rows } = await this.engine.exec(parts.join(' union all '))
    return new Map(rows.map((r) => [r['o'] as string, r['a'] as string]))
  }

  mayTouchBuckets(s: Statement): boolean {
    if (s.kind === 'InsertStmt' || s.kind === 'UpdateStmt' || s.kind === 'DeleteStmt')
      return relationName(s.node.relation) === 'storage.buckets' || /\bbuckets\b/i.test(s.text)
    return /^(DoStmt|SelectStmt|CallStmt)$/.test(s.kind) && /bucket/i.test(s.text)
  }

  async afterBuckets(s: Statement): Promise<void> {
    const { rows } = await this.engine.exec('select id, name, public from storage.buckets')
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
  return names.length ? names.map(literal).join(', ') : "''"
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
    if (kindOf(element) !== 'ColumnDef') continue
    const column = inside(element)
    lines.set(column.colname, s.lineOf(column.location ?? 0))
  }
  return lines
}
