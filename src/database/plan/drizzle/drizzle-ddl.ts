import type { FactsIndex } from '../../../facts/facts.ts'
import type { Expr } from '../../../facts/javascript.ts'
import type { SqlFile } from '../../database.ts'
import { Ddl, ELSEWHERE, quote } from '../ddl.ts'
import { type DrizzleColumn, type DrizzlePolicy, type DrizzleReference, type DrizzleSchema, type DrizzleTable, readDrizzle } from './read-drizzle.ts'

/** DDL for what Drizzle declares and no SQL creates, a file for each schema file: enums, tables, keys, then row security. */
export function drizzleDdl(facts: FactsIndex, created: ReadonlySet<string>, elsewhere = false): SqlFile[] {
  const all = readDrizzle(facts)
  const read = { ...all, tables: widest(all.tables) }
  const schema = elsewhere && read.tables.every((t) => !t.policies.length) ? { ...read, tables: read.tables.map(placedElsewhere) } : read
  const wanted = schema.tables.filter((t) => !created.has(`${t.schema === 'public' ? '' : `${t.schema}.`}${t.name}`.toLowerCase()))
  if (wanted.length === 0) return []
  const writer = new Writer(schema)
  const phases: ((ddl: Ddl, path: string) => void)[] = [
    (ddl, path) => {
      for (const s of new Set(wanted.filter((t) => t.path === path && t.schema !== 'public').map((t) => t.schema)))
        ddl.add(`create schema if not exists ${quote(s)};`, 1)
      for (const e of schema.enums.filter((x) => x.path === path))
        ddl.add(`create type ${quote(e.schema)}.${quote(e.name)} as enum (${e.values.map(literal).join(', ')});`, e.line)
    },
    (ddl, path) => {
      for (const t of wanted.filter((x) => x.path === path)) writer.table(ddl, t)
    },
    (ddl, path) => {
      for (const t of wanted.filter((x) => x.path === path)) writer.keysAndPolicies(ddl, t)
      for (const p of schema.linkedPolicies.filter((x) => x.path === path)) writer.linked(ddl, p)
    },
  ]
  const paths = [...new Set([...wanted.map((t) => t.path), ...schema.enums.map((e) => e.path), ...schema.linkedPolicies.map((p) => p.path)])].sort()
  return phases.flatMap((phase) =>
    paths.flatMap((path) => {
      const ddl = new Ddl()
      phase(ddl, path)
      const file = ddl.file(path)
      return file ? [file] : []
    }),
  )
}

/** A table that two files declare, of which one is what a template left behind: the declaration with the most columns is the one in use. */
function widest(tables: readonly DrizzleTable[]): readonly DrizzleTable[] {
  const chosen = new Map<string, DrizzleTable>()
  for (const t of tables) {
    const name = `${t.schema}.${t.name}`
    const other = chosen.get(name)
    if (!other || t.columns.length > other.columns.length) chosen.set(name, t)
  }
  return tables.filter((t) => chosen.get(`${t.schema}.${t.name}`) === t)
}

class Writer {
  private readonly byVariable: ReadonlyMap<string, DrizzleTable>
  private readonly enums: ReadonlyMap<string, string>

  constructor(schema: DrizzleSchema) {
    this.byVariable = new Map(schema.tables.map((t) => [t.variable, t]))
    this.enums = new Map(schema.enums.map((e) => [e.variable, `${quote(e.schema)}.${quote(e.name)}`]))
  }

  table(ddl: Ddl, t: DrizzleTable): void {
    ddl.add(`create table ${nameOf(t)} (`, t.line)
    for (const [i, c] of t.columns.entries()) ddl.add(`  ${this.column(c, t)}${i < t.columns.length - 1 ? ',' : ''}`, c.line)
    ddl.add(');', t.line)
  }

  keysAndPolicies(ddl: Ddl, t: DrizzleTable): void {
    for (const c of t.columns) {
      const target = c.references && this.target([c.references])
      if (target) ddl.add(`alter table ${nameOf(t)} add foreign key (${quote(c.name)}) references ${target};`, c.line)
    }
    for (const key of t.foreignKeys) {
      const target = this.target(key.to)
      const own = key.keys.map((k) => t.columns.find((c) => c.key === k)?.name)
      if (target && own.every((c) => c))
        ddl.add(`alter table ${nameOf(t)} add foreign key (${own.map((c) => quote(c as string)).join(', ')}) references ${target};`, key.line)
    }
    if (t.rlsLine !== undefined) ddl.add(`alter table ${nameOf(t)} enable row level security;`, t.rlsLine)
    for (const p of t.policies) this.policy(ddl, p, nameOf(t), t)
  }

  linked(ddl: Ddl, p: DrizzlePolicy): void {
    const name = p.linkedTo?.k === 'id' ? p.linkedTo.name : p.linkedTo?.k === 'mem' ? p.linkedTo.name : ''
    const table = this.byVariable.get(name)
    const target = table ? nameOf(table) : { realtimeMessages: 'realtime.messages', authUsers: 'auth.users' }[name]
    if (target) this.policy(ddl, p, target, table)
  }

  private column(c: DrizzleColumn, t: DrizzleTable): string {
    const has = (name: string) => c.calls.find((x) => x.name === name)
    const type = c.type.startsWith('enum:') ? (this.enums.get(c.type.slice(5)) ?? 'text') : c.type
    const def = has('default')?.args[0]
    const parts = [quote(c.name), `${type}${has('array') ? '[]' : ''}`]
    if (has('primaryKey')) parts.push('primary key')
    if (has('notNull')) parts.push('not null')
    if (has('unique')) parts.push('unique')
    if (has('defaultRandom')) parts.push('default gen_random_uuid()')
    else if (has('defaultNow')) parts.push('default now()')
    else if (has('generatedAlwaysAsIdentity')) parts.push('generated always as identity')
    else if (has('generatedByDefaultAsIdentity')) parts.push('generated by default as identity')
    else if (def) {
      // another database has functions of its own, and numbers where this one has a time
      const value = t.schema === ELSEWHERE && !(def.k === 'lit' && LITERAL_TYPE_BY_KIND[typeof def.v]?.test(type)) ? undefined : this.sql(def, undefined)
      if (value !== undefined) parts.push(`default ${value}`)
    }
    if (c.values) parts.push(`check (${quote(c.name)} in (${c.values.map(literal).join(', ')}))`)
    return parts.join(' ')
  }

  /** `"public"."users" ("id")`. */
  private target(references: readonly DrizzleReference[]): string | undefined {
    const first = references[0]
    if (first?.variable === 'authUsers') return 'auth.users (id)'
    const table = first && this.byVariable.get(first.variable)
    const columns = references.map((r) => table?.columns.find((c) => c.key === r.key))
    return table && columns.every((c) => c) ? `${nameOf(table)} (${columns.map((c) => quote((c as DrizzleColumn).name)).join(', ')})` : undefined
  }

  private policy(ddl: Ddl, p: DrizzlePolicy, target: string, t: DrizzleTable | undefined): void {
    const option = (key: string) => p.options.find((o) => o.key === key)?.value
    const word = (e: Expr | undefined) => (e?.k === 'lit' && typeof e.v === 'string' ? e.v : undefined)
    const to = option('to')
    const roles = (to?.k === 'arr' ? to.items : to ? [to] : []).flatMap(roleName)
    const using = option('using') && this.sql(option('using') as Expr, t)
    const check = option('withCheck') && this.sql(option('withCheck') as Expr, t)
    ddl.add(
      `create policy ${quote(p.name)} on ${target} as ${word(option('as')) ?? 'permissive'} for ${word(option('for')) ?? 'all'} to ${roles.length ? roles.join(', ') : 'public'}${using ? ` using (${using})` : ''}${check ? ` with check (${check})` : ''};`.replace(
        /\n/g,
        ' ',
      ),
      p.line,
    )
  }

  /** A value or `sql` template as SQL; undefined when it cannot be told. */
  private sql(e: Expr, t: DrizzleTable | undefined): string | undefined {
    if (e.k === 'lit')
      return typeof e.v === 'string' ? literal(e.v) : e.v === null ? 'null' : typeof e.v === 'number' || typeof e.v === 'boolean' ? String(e.v) : undefined
    if (e.k === 'tag' && e.tpl.k === 'tpl') {
      const { quasis, exprs } = e.tpl
      const parts = exprs.map((x) => this.embedded(x, t))
      return parts.some((x) => x === undefined) ? undefined : quasis.map((q, i) => q + (parts[i] ?? '')).join('')
    }
    if (e.k === 'call' && e.fn.k === 'id' && e.fn.name === 'authUid' && e.args[0]) return `(select auth.uid()) = ${this.embedded(e.args[0], t)}`
    if (e.k === 'arr' && e.items.length === 0) return "'{}'"
    if (e.k === 'obj' && e.props.length === 0) return "'{}'"
    return undefined
  }

  /** `${table.userId}`, `${users}`, `${authUid}` inside a template. */
  private embedded(e: Expr, t: DrizzleTable | undefined): string | undefined {
    if (e.k === 'mem' && e.of.k === 'id') {
      const of = this.byVariable.get(e.of.name)
      const column = (of ?? t)?.columns.find((c) => c.key === e.name)
      if (column) return of && of !== t ? `${nameOf(of)}.${quote(column.name)}` : quote(column.name)
      return undefined
    }
    if (e.k === 'id') {
      const table = this.byVariable.get(e.name)
      return table ? nameOf(table) : { authUid: '(select auth.uid())', authUsers: 'auth.users' }[e.name]
    }
    return this.sql(e, t)
  }
}

const placedElsewhere = (t: DrizzleTable): DrizzleTable => (t.schema === 'public' ? { ...t, schema: ELSEWHERE } : t)

/** The types that a literal is a value of. */
const LITERAL_TYPE_BY_KIND: Readonly<Record<string, RegExp>> = {
  string: /^(?:text|varchar|char)$/,
  boolean: /^boolean$/,
  number: /int|serial|numeric|real|double/,
}

function nameOf(t: DrizzleTable): string {
  return `${quote(t.schema)}.${quote(t.name)}`
}

function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

function roleName(e: Expr): string[] {
  if (e.k === 'lit' && typeof e.v === 'string') return [/^(public|current_user|session_user|current_role)$/.test(e.v) ? e.v : quote(e.v)]
  if (e.k === 'id')
    return [
      {
        authenticatedRole: 'authenticated',
        anonRole: 'anon',
        serviceRole: 'service_role',
        postgresRole: 'postgres',
        supabaseAuthAdminRole: 'supabase_auth_admin',
      }[e.name] ?? 'public',
    ]
  return []
}
