import { lastPart } from '../../lib/last-part.ts'
import type { Place } from '../../lib/place.ts'
import type { Bucket, Catalog, Column, Command, Grant, Policy, SqlFunction, Table, Trigger, View } from '../database.ts'
import { markCopies } from './classification/row-copies.ts'
import { classifyUserData } from './classification/user-data.ts'
import type { Engine } from './engine.ts'
import { STAND_IN_TABLES } from './extensions.ts'
import { assumeRowSecurity } from './repairs/assumed-security.ts'
import type { Replayed } from './replay.ts'

/** Schemas of the platform: their objects count only when the repository made them. */
const PLATFORM_OWNED_SCHEMAS = [
  'auth',
  'storage',
  'extensions',
  'realtime',
  'vault',
  'cron',
  'net',
  'graphql',
  'graphql_public',
  'supabase_functions',
  'supabase_migrations',
  'pgsodium',
  'pgsodium_masks',
  'pgmq',
  'pg_catalog',
  'information_schema',
  'pg_toast',
]

// biome-ignore lint/suspicious/noExplicitAny: rows of many shapes, each read by the query that made it.
type Row = Readonly<Record<string, any>>

/** Reads what the database is after the replay, as its owner; no object of the repository is found by name meanwhile. */
export async function readCatalog(engine: Engine, replayed: Replayed): Promise<Catalog> {
  const reader = new CatalogReader(engine, replayed, await assumeRowSecurity(engine, replayed))
  return reader.read()
}

class CatalogReader {
  private readonly engine: Engine
  private readonly replayed: Replayed
  private readonly assumedSecurity: ReadonlySet<string>

  constructor(engine: Engine, replayed: Replayed, assumedSecurity: ReadonlySet<string>) {
    this.engine = engine
    this.replayed = replayed
    this.assumedSecurity = assumedSecurity
  }

  async read(): Promise<Catalog> {
    await this.engine.exec('set search_path = pg_catalog, pg_temp; set quote_all_identifiers = off')
    const tables = await this.tables()
    const policies = await this.policies()
    const views = await this.views()
    const functions = await this.functions()
    const triggers = await this.triggers()
    const catalog = {
      tables: markCopies(classifyUserData(tables, policies), triggers, functions),
      policies,
      views,
      functions,
      buckets: await this.buckets(),
      enums: await this.enums(),
      triggers,
      speaksOfStorage: this.replayed.speaksOfStorage,
    }
    return { ...catalog, policies: this.withStandIns(catalog) }
  }

  private async rows(sql: string): Promise<readonly Row[]> {
    return (await this.engine.exec(sql)).rows
  }

  private place(key: string): Place | undefined {
    return this.replayed.provenance.definitions.get(key)
  }

  /** Everything in the project's own schemas, and what the repository put into the platform's. */
  private mine(schema: string, oid: number): boolean {
    return !PLATFORM_OWNED_SCHEMAS.includes(schema) || this.replayed.provenance.relations.get(oid)?.createdHere === true
  }

  private async tables(): Promise<Table[]> {
    const rows = await this.rows(`
      select c.oid::int as oid, n.nspname as schema, c.relname as name, c.relkind::text as kind, c.relispartition as partition, c.relrowsecurity as rls, c.relforcerowsecurity as forced, r.rolname as owner,
        (select pn.nspname || '.' || p.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class p on p.oid = i.inhparent join pg_catalog.pg_namespace pn on pn.oid = p.relnamespace where i.inhrelid = c.oid and c.relispartition limit 1) as parent,
        (select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid where d.objid = c.oid and d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'e' limit 1) as extension,
        (select coalesce(json_agg(json_build_object('name', a.attname, 'number', a.attnum, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'notnull', a.attnotnull, 'default', pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'generated', a.attgenerated::text, 'identity', a.attidentity::text) order by a.attnum), '[]')
          from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        (select coalesce(json_agg(json_build_object('type', k.contype::text, 'def', pg_catalog.pg_get_constraintdef(k.oid), 'columns', (select array_agg(a.attname order by x.o) from unnest(k.conkey) with ordinality x (n, o) join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.n),
            'references', (select fn.nspname || '.' || f.relname from pg_catalog.pg_class f join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace where f.oid = k.confrelid),
            'referenced', (select array_agg(a.attname order by x.o) from unnest(k.confkey) with ordinality x (n, o) join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.n)) order by k.conname), '[]')
          from pg_catalog.pg_constraint k where k.conrelid = c.oid) as constraints,
        (select coalesce(json_agg(json_build_object('columns', (select array_agg(a.attname order by x.o) from unnest(i.indkey::int2[]) with ordinality x (n, o) join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = x.n), 'partial', i.indpred is not null or i.indexprs is not null, 'primary', i.indisprimary)), '[]')
          from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisunique) as uniques,
        ${aclOf('c.relacl', "'r'", 'c.relowner')} as acl, ${columnAcl('c.oid')} as columnacl
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_roles r on r.oid = c.relowner
      where c.relkind in ('r', 'p', 'f') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)' order by 2, 3`)
    return rows.filter((r) => this.mine(r['schema'], r['oid'])).map((r) => this.table(r))
  }

  private table(r: Row): Table {
    const known = this.replayed.provenance.relations.get(r['oid'])
    const name = `${r['schema']}.${r['name']}`
    const standIn = this.replayed.repairs.standIns.all.get(name)
    const at = (known?.createdHere ? known.created : undefined) ?? standIn?.neededBy.at ?? known?.created ?? UNKNOWN_PLACE
    const outlined = !standIn && known !== undefined && this.replayed.outlines.has(known.created.path)
    const constraints: Row[] = r['constraints']
    const extension: string | undefined = r['extension'] ?? STAND_IN_TABLES[r['name']]
    return {
      schema: r['schema'],
      name: r['name'],
      kind: r['kind'] === 'f' ? 'foreign' : r['kind'] === 'p' ? 'partitioned' : r['partition'] ? 'partition' : 'table',
      owner: r['owner'],
      ...(r['parent'] ? { parent: r['parent'] } : {}),
      ...(extension ? { extension } : {}),
      columns: (r['columns'] as Row[]).map((c) => this.column(c, name, known, at)),
      primaryKey: constraints.find((k) => k['type'] === 'p')?.['columns'] ?? [],
      uniques: (r['uniques'] as Row[]).map((u) => ({ columns: u['columns'] ?? [], ...(u['partial'] ? { partial: true as const } : {}) })),
      foreignKeys: this.foreignKeys(name, constraints),
      ...(constraints.some((k) => k['type'] === 'c') ? { checks: constraints.filter((k) => k['type'] === 'c').map((k) => k['def']) } : {}),
      rls: {
        enabled: r['rls'],
        forced: r['forced'],
        ...(known?.rlsAt ? { at: known.rlsAt } : {}),
        ...(this.assumedSecurity.has(name) ? { assumed: true as const } : {}),
      },
      grants: this.grants('pg_class', r['oid'], r['acl'], r['columnacl']),
      at,
      ...(standIn && !known?.createdHere ? { stub: true as const } : {}),
      ...(outlined ? { outlined } : {}),
    }
  }

  private foreignKeys(name: string, constraints: readonly Row[]): Table['foreignKeys'] {
    const declared = constraints
      .filter((k) => k['type'] === 'f')
      .map((k) => ({
        columns: k['columns'] as string[],
        references: k['references'] as string,
        referencedColumns: k['referenced'] as string[],
        ...(/\bON DELETE CASCADE\b/.test(String(k['def'])) ? { cascades: true as const } : {}),
      }))
    // whatever happens to the row when the one that it cannot be without goes, it is a part of that one
    const told = this.replayed.repairs.standIns
      .referencesOf(name)
      .filter((r) => !declared.some((d) => d.columns.includes(r.column)))
      .map((r) => ({ columns: [r.column], references: `public.${r.table}`, referencedColumns: [r.key], cascades: true as const }))
    return [...declared, ...told]
  }

  private column(
    c: Row,
    table: string,
    known: { created: Place; columns: Map<number, Place>; columnLines: Map<string, number> } | undefined,
    tableAt: Place,
  ): Column {
    const line = known?.columnLines.get(c['name'])
    const at = known?.columns.get(c['number']) ?? (line !== undefined ? { path: tableAt.path, line } : known ? tableAt : undefined)
    return {
      name: c['name'],
      type: c['type'],
      notNull: c['notnull'],
      ...(c['default'] !== null && !c['generated'] ? { default: c['default'] } : {}),
      ...(c['generated'] ? { generated: true as const } : {}),
      ...(c['identity'] ? { identity: c['identity'] === 'a' ? ('always' as const) : ('by default' as const) } : {}),
      ...(at ? { at } : {}),
      ...(this.replayed.repairs.standIns.all.has(`${table}.${c['name']}`) ? { stub: true as const } : {}),
    }
  }

  /** Privileges of roles other than the owner, one entry each; `at` is the GRANT that gave it. */
  private grants(klass: string, oid: number, acl: Row[], columnAcl: Row[]): Grant[] {
    const places = this.replayed.provenance.grants
    const whole = acl.flatMap((a): Grant[] => {
      const privilege = PRIVILEGES[a['p']]
      if (!privilege) return []
      const at = places.get(`${klass}:${oid}:|${a['r']}=${a['p']}`)
      return [{ role: a['r'], privilege, ...(at ? { at } : {}) }]
    })
    const byKey = new Map<string, { role: string; privilege: Grant['privilege']; columns: string[]; at?: Place }>()
    for (const a of columnAcl) {
      const privilege = PRIVILEGES[a['p']]
      if (!privilege) continue
      const key = `${a['r']}=${a['p']}`
      const entry: { role: string; privilege: Grant['privilege']; columns: string[]; at?: Place } = byKey.get(key) ?? { role: a['r'], privilege, columns: [] }
      entry.columns.push(a['c'])
      const at = places.get(`${klass}:${oid}:${a['c']}|${key}`)
      if (at) entry.at = at
      byKey.set(key, entry)
    }
    return [...whole, ...byKey.values()]
  }

  private async policies(): Promise<Policy[]> {
    const rows = await this.rows(`
      select p.oid::int as oid, n.nspname as schema, c.relname as "table", p.polname as name, p.polcmd::text as cmd, p.polpermissive as permissive,
        array(select case when r = 0 then 'public' else pg_catalog.pg_get_userbyid(r)::text end from unnest(p.polroles) r) as roles, pg_catalog.pg_get_expr(p.polqual, p.polrelid) as using, pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) as "check"
      from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace order by 2, 3, 4`)
    return rows.map((r) => ({
      schema: r['schema'],
      table: r['table'],
      name: r['name'],
      command: COMMAND_BY_POLICY_LETTER[r['cmd']] ?? 'all',
      permissive: r['permissive'],
      roles: r['roles'],
      ...(r['using'] !== null ? { using: r['using'] } : {}),
      ...(r['check'] !== null ? { check: r['check'] } : {}),
      at: this.place(`pg_policy:${r['oid']}`) ?? UNKNOWN_PLACE,
    }))
  }

  private async views(): Promise<View[]> {
    const rows = await this.rows(`
      select c.oid::int as oid, n.nspname as schema, c.relname as name, c.relkind = 'm' as materialized, r.rolname as owner, coalesce((select bool_or(o ~* '^security_invoker=(true|on|1|yes)$') from unnest(c.reloptions) o), false) as invoker, pg_catalog.pg_get_viewdef(c.oid) as definition,
        (select coalesce(json_agg(json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod)) order by a.attnum), '[]') from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        array(with recursive reads as (
            select d.refobjid as o from pg_catalog.pg_rewrite w join pg_catalog.pg_depend d on d.objid = w.oid and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass where w.ev_class = c.oid and d.refobjid <> c.oid
            union select d.refobjid from reads join pg_catalog.pg_rewrite w on w.ev_class = reads.o join pg_catalog.pg_depend d on d.objid = w.oid and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)
          select distinct rn.nspname || '.' || rc.relname from reads join pg_catalog.pg_class rc on rc.oid = reads.o join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace where rc.oid <> c.oid order by 1) as reads,
        ${aclOf('c.relacl', "'r'", 'c.relowner')} as acl, ${columnAcl('c.oid')} as columnacl
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_roles r on r.oid = c.relowner
      where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
        and not exists (select 1 from pg_catalog.pg_depend d where d.objid = c.oid and d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype = 'e') order by 2, 3`)
    return rows
      .filter((r) => this.mine(r['schema'], r['oid']))
      .map((r) => ({
        schema: r['schema'],
        name: r['name'],
        materialized: r['materialized'],
        securityInvoker: r['invoker'],
        definition: r['definition'],
        reads: r['reads'],
        owner: r['owner'],
        columns: r['columns'],
        grants: this.grants('pg_class', r['oid'], r['acl'], r['columnacl']),
        at: this.place(`pg_class:${r['oid']}`) ?? this.replayed.provenance.relations.get(r['oid'])?.created ?? UNKNOWN_PLACE,
      }))
  }

  private async functions(): Promise<SqlFunction[]> {
    const rows = await this.rows(`
      select p.oid::int as oid, n.nspname as schema, p.proname as name, pg_catalog.pg_get_function_identity_arguments(p.oid) as identity, pg_catalog.oidvectortypes(p.proargtypes) as types, pg_catalog.pg_get_function_result(p.oid) as returns, l.lanname as language, p.prosecdef as definer, p.provolatile::text as volatility,
        p.prorettype = 'pg_catalog.trigger'::pg_catalog.regtype or p.prorettype = 'pg_catalog.event_trigger'::pg_catalog.regtype as trigger, coalesce(nullif(p.prosrc, ''), pg_catalog.pg_get_function_sqlbody(p.oid), '') as body, r.rolname as owner,
        coalesce((select bool_or(o like 'search_path=%') from unnest(p.proconfig) o), false) as path, p.pronargs as nargs, p.pronargdefaults as ndefaults, p.proargnames as names, p.proargmodes::text[] as modes,
        array(select pg_catalog.format_type(t, null) from unnest(p.proargtypes) with ordinality x (t, o) order by o) as argtypes,
        ${aclOf('p.proacl', "'f'", 'p.proowner')} as acl,
        array(select x from unnest(array['anon', 'authenticated', 'service_role']) x where pg_catalog.has_function_privilege(x, p.oid, 'execute') and pg_catalog.has_schema_privilege(x, p.pronamespace, 'usage')) as callers
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace join pg_catalog.pg_language l on l.oid = p.prolang join pg_catalog.pg_roles r on r.oid = p.proowner
      where n.nspname not in ('pg_catalog', 'information_schema') and p.prokind in ('f', 'p')
        and not exists (select 1 from pg_catalog.pg_depend d where d.objid = p.oid and d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.deptype = 'e') order by 2, 3, 4`)
    return rows.filter((r) => !PLATFORM_OWNED_SCHEMAS.includes(r['schema']) || this.place(`pg_proc:${r['oid']}`) !== undefined).map((r) => this.sqlFunction(r))
  }

  private sqlFunction(r: Row): SqlFunction {
    const standIn = this.replayed.repairs.standIns.all.get(`${r['schema']}.${r['name']}`)
    const at = this.place(`pg_proc:${r['oid']}`)
    const modes: string[] | null = r['modes']
    const inNames = ((r['names'] as string[] | null) ?? []).filter((_, i) => !modes || /[ibv]/.test(modes[i] as string))
    const outNames = ((r['names'] as string[] | null) ?? []).filter((name, i) => name && /[ot]/.test(modes?.[i] ?? ''))
    const types: string[] = r['argtypes']
    return {
      schema: r['schema'],
      name: r['name'],
      identity: `${r['name']}(${r['types']})`,
      args: types.map((type, i) => ({ ...(inNames[i] ? { name: inNames[i] } : {}), type, ...(i >= r['nargs'] - r['ndefaults'] ? { hasDefault: true } : {}) })),
      ...(outNames.length ? { outputs: outNames } : {}),
      returns: r['returns'] ?? 'void',
      language: r['language'],
      securityDefiner: r['definer'],
      volatility: r['volatility'] === 'i' ? 'immutable' : r['volatility'] === 's' ? 'stable' : 'volatile',
      isTrigger: r['trigger'],
      body: r['body'],
      setsSearchPath: r['path'],
      executableBy: r['callers'],
      owner: r['owner'],
      grants: this.grants('pg_proc', r['oid'], r['acl'], []),
      at: at ?? standIn?.neededBy.at ?? UNKNOWN_PLACE,
      ...(standIn && !at ? { stub: true as const } : {}),
    }
  }

  private async buckets(): Promise<Bucket[]> {
    const rows = await this.rows('select id, name, coalesce(public, false) as public from storage.buckets order by 1')
    return rows.map((r) => {
      const at = this.replayed.provenance.buckets.get(r['id'])
      return { name: r['id'], public: r['public'], ...(at ? { at } : {}) }
    })
  }

  private async enums(): Promise<Catalog['enums']> {
    const rows = await this.rows(`
      select n.nspname as schema, t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as values
      from pg_catalog.pg_enum e join pg_catalog.pg_type t on t.oid = e.enumtypid join pg_catalog.pg_namespace n on n.oid = t.typnamespace
      where n.nspname not in (${PLATFORM_OWNED_SCHEMAS.map((p) => `'${p}'`).join(', ')}) group by 1, 2 order by 1, 2`)
    return rows.map((r) => ({ schema: r['schema'], name: r['name'], values: r['values'] }))
  }

  private async triggers(): Promise<Trigger[]> {
    const rows = await this.rows(`
      select t.oid::int as oid, n.nspname || '.' || c.relname as "table", t.tgname as name, fn.nspname || '.' || f.proname || '()' as function, pg_catalog.pg_get_triggerdef(t.oid) as definition, t.tgtype::int as type, t.tgenabled::text as enabled
      from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_proc f on f.oid = t.tgfoid join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
      where not t.tgisinternal order by 2, 3`)
    return rows.map((r) => {
      const at = this.place(`pg_trigger:${r['oid']}`)
      const type: number = r['type']
      return {
        table: r['table'],
        name: r['name'],
        function: r['function'],
        when: r['definition'],
        timing: type & 64 ? ('instead of' as const) : type & 2 ? ('before' as const) : ('after' as const),
        events: [
          ...(type & 4 ? ['insert' as const] : []),
          ...(type & 8 ? ['delete' as const] : []),
          ...(type & 16 ? ['update' as const] : []),
          ...(type & 32 ? ['truncate' as const] : []),
        ],
        perRow: (type & 1) !== 0,
        enabled: r['enabled'] !== 'D',
        ...(at ? { at } : {}),
      }
    })
  }

  /** Names the made-up objects that a policy's expressions speak of. */
  private withStandIns(catalog: Catalog): Policy[] {
    const standIns = [...this.replayed.repairs.standIns.all.values()]
    if (standIns.length === 0) return [...catalog.policies]
    return catalog.policies.map((p) => {
      const text = `${p.using ?? ''} ${p.check ?? ''}`
      const used = standIns
        .filter((s) => {
          if (s.kind === 'column') return s.name.startsWith(`${p.schema}.${p.table}.`) && mentions(text, lastPart(s.name))
          return s.name === `${p.schema}.${p.table}` || mentions(text, s.name.slice(s.name.indexOf('.') + 1))
        })
        .map((s) => s.name)
      return used.length ? { ...p, dependsOnStubs: used } : p
    })
  }
}

function mentions(text: string, word: string): boolean {
  return new RegExp(`\\b${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`).test(text)
}

/** The place of what no statement accounts for; never shown, since such objects belong to the platform. */
const UNKNOWN_PLACE: Place = { path: '', line: 1 }

const COMMAND_BY_POLICY_LETTER: Readonly<Record<string, Command | 'all'>> = { r: 'select', a: 'insert', w: 'update', d: 'delete', '*': 'all' }

const PRIVILEGES: Readonly<Record<string, Grant['privilege']>> = {
  SELECT: 'select',
  INSERT: 'insert',
  UPDATE: 'update',
  DELETE: 'delete',
  EXECUTE: 'execute',
  TRUNCATE: 'truncate',
  REFERENCES: 'references',
  TRIGGER: 'trigger',
}

function aclOf(acl: string, kind: string, owner: string): string {
  return `(select coalesce(json_agg(json_build_object('r', case when a.grantee = 0 then 'public' else pg_catalog.pg_get_userbyid(a.grantee)::text end, 'p', a.privilege_type) order by a.grantee, a.privilege_type), '[]') from pg_catalog.aclexplode(coalesce(${acl}, pg_catalog.acldefault(${kind}, ${owner}))) a where a.grantee <> ${owner})`
}

function columnAcl(relation: string): string {
  return `(select coalesce(json_agg(json_build_object('c', t.attname, 'r', case when a.grantee = 0 then 'public' else pg_catalog.pg_get_userbyid(a.grantee)::text end, 'p', a.privilege_type) order by t.attnum, a.grantee), '[]') from pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) a where t.attrelid = ${relation} and t.attacl is not null)`
}
