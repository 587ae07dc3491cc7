import type { FactsIndex } from '../../../facts/facts.ts'
import type { FactsByKind } from '../../../facts/kinds.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { SqlFile } from '../../database.ts'
import { Ddl, ELSEWHERE, quote } from '../ddl.ts'

interface Field {
  readonly name: string
  readonly column: string
  readonly type: string
  readonly list: boolean
  readonly optional: boolean
  readonly attributes: string
  readonly line: number
}

interface Model {
  readonly name: string
  readonly table: string
  readonly schema: string
  readonly fields: readonly Field[]
  /** Block attributes, `@@id([...])` and so on. */
  readonly attributes: readonly { readonly text: string; readonly line: number }[]
  readonly line: number
}

interface PrismaSchema {
  readonly path: string
  readonly models: readonly Model[]
  readonly enums: readonly { readonly name: string; readonly database: string; readonly values: readonly string[]; readonly line: number }[]
}

const SCALARS: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Decimal: 'numeric',
  DateTime: 'timestamp',
  Json: 'jsonb',
  Bytes: 'bytea',
}
const NATIVE: Readonly<Record<string, string>> = {
  Uuid: 'uuid',
  Timestamptz: 'timestamptz',
  Date: 'date',
  Time: 'time',
  Citext: 'text',
  Inet: 'inet',
  SmallInt: 'smallint',
  Json: 'json',
  Real: 'real',
}

/** The Prisma schemas of a repository. Models that are no tables of PostgreSQL are kept apart from those that are. */
const readAll = (facts: FactsIndex): readonly PrismaSchema[] => schemasIn(facts.of('text'))

const schemasIn = rememberFor((texts: ReadonlyMap<string, FactsByKind['text']>): readonly PrismaSchema[] => {
  const files = [...texts].filter(([path]) => path.endsWith('.prisma'))
  const here = files.some(([, { text }]) => /^[ \t]*provider\s*=\s*"(postgresql|postgres|cockroachdb)"/m.test(text))
  const schemas = files.map(([path, { text }]) => {
    const schema = read(path, text)
    return here ? schema : { ...schema, models: schema.models.map((m) => ({ ...m, schema: ELSEWHERE })) }
  })
  return withoutNotes(schemas, new Set(files.filter(([, { text }]) => /^[ \t]*(?:datasource|generator)\s/m.test(text)).map(([path]) => folderOf(path))))
})

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** A file outside the folders that Prisma reads is a note on what to add there: what was added is found where it stands. */
function withoutNotes(schemas: readonly PrismaSchema[], folders: ReadonlySet<string>): readonly PrismaSchema[] {
  const isRead = ({ path }: PrismaSchema) => [...folders].some((folder) => folder !== '' && path.startsWith(folder)) || folders.has(folderOf(path))
  const models = new Set(schemas.filter(isRead).flatMap((s) => s.models.map((m) => m.name)))
  const enums = new Set(schemas.filter(isRead).flatMap((s) => s.enums.map((e) => e.name)))
  return schemas.map((s) => (isRead(s) ? s : { ...s, models: s.models.filter((m) => !models.has(m.name)), enums: s.enums.filter((e) => !enums.has(e.name)) }))
}

/** What code calls the tables of Prisma's models (`db.user` of `model User { @@map("users") }`), by the accessor in lower case. */
export function prismaAccessors(facts: FactsIndex): ReadonlyMap<string, string> {
  const models = readAll(facts).flatMap((s) => s.models)
  return new Map(models.map((m) => [m.name.toLowerCase(), m.schema === 'public' ? m.table : `${m.schema}.${m.table}`]))
}

/**
 * DDL for the models of Prisma schemas that no SQL creates, and for the columns that migrations do not know of (`prisma db push` writes none). Prisma
 * never enables row level security.
 */
export function prismaDdl(facts: FactsIndex, created: ReadonlySet<string>): SqlFile[] {
  const schemas = readAll(facts)
  const models = schemas.flatMap((s) => s.models)
  const byName = new Map(models.map((m) => [m.name, m]))
  const enums = new Map(schemas.flatMap((s) => s.enums.map((e) => [e.name, e.database])))
  const wanted = (m: Model) => !created.has(`${m.schema === 'public' ? '' : `${m.schema}.`}${m.table}`.toLowerCase())
  const perSchema = (write: (ddl: Ddl, schema: PrismaSchema) => void): (SqlFile | undefined)[] =>
    schemas.map((s) => {
      const ddl = new Ddl()
      write(ddl, s)
      return ddl.file(s.path)
    })
  const files = [
    ...perSchema((ddl, s) => {
      const own = s.models.filter(wanted)
      if (own.length) for (const e of s.enums) ddl.add(`create type public.${quote(e.database)} as enum (${e.values.map((v) => `'${v}'`).join(', ')});`, e.line)
      for (const name of new Set(own.map((m) => m.schema))) if (name !== 'public') ddl.add(`create schema if not exists ${quote(name)};`, 1)
    }),
    ...perSchema((ddl, s) => {
      for (const m of s.models.filter(wanted)) table(ddl, m, enums, byName)
    }),
    ...perSchema((ddl, s) => {
      for (const m of s.models.filter(wanted)) foreignKeys(ddl, m, byName)
    }),
    ...perSchema((ddl, s) => {
      for (const m of s.models) if (!wanted(m) && m.schema === 'public') laterColumns(ddl, m, byName)
    }),
  ]
  return files.filter((f) => f !== undefined)
}

/** What a model declares of a table that is there already. Rows of before may have nothing in such a column, and its enum need not exist. */
function laterColumns(ddl: Ddl, m: Model, models: ReadonlyMap<string, Model>): void {
  for (const f of columnsOf(m, models)) {
    const { name, type } = typeOf(f, new Map())
    ddl.add(`alter table if exists ${nameOf(m)} add column if not exists ${name} ${type};`, f.line)
  }
}

const columnsOf = (m: Model, models: ReadonlyMap<string, Model>): readonly Field[] =>
  m.fields.filter((f) => !models.has(f.type) && !/@ignore\b/.test(f.attributes))

function table(ddl: Ddl, m: Model, enums: ReadonlyMap<string, string>, models: ReadonlyMap<string, Model>): void {
  ddl.add(`create table ${nameOf(m)} (`, m.line)
  const columns = columnsOf(m, models)
  const keys = m.attributes.flatMap((a) => {
    const match = /^@@(id|unique)\(\s*(?:fields:\s*)?\[([^\]]*)\]/.exec(a.text)
    return match ? [{ sql: `${match[1] === 'id' ? 'primary key' : 'unique'} (${fieldList(m, match[2] as string)})`, line: a.line }] : []
  })
  const elements = [...columns.map((f) => ({ sql: column(f, enums), line: f.line })), ...keys]
  for (const [i, e] of elements.entries()) ddl.add(`  ${e.sql}${i < elements.length - 1 ? ',' : ''}`, e.line)
  ddl.add(');', m.line)
}

/** The name and the type of a field's column, both as SQL. */
function typeOf(f: Field, enums: ReadonlyMap<string, string>): { readonly name: string; readonly type: string } {
  const native = /@db\.(\w+)/.exec(f.attributes)?.[1]
  const enumName = enums.get(f.type)
  const base = enumName ? `public.${quote(enumName)}` : ((native && NATIVE[native]) ?? SCALARS[f.type] ?? 'text')
  const type = isSerial(f) ? (f.type === 'BigInt' ? 'bigserial' : 'serial') : base
  return { name: quote(f.column), type: `${type}${f.list ? '[]' : ''}` }
}

const isSerial = (f: Field): boolean => /@default\(autoincrement\(\)\)/.test(f.attributes)

function column(f: Field, enums: ReadonlyMap<string, string>): string {
  const { name, type } = typeOf(f, enums)
  const parts = [name, type]
  if (/@id\b/.test(f.attributes)) parts.push('primary key')
  else if (!f.optional && !f.list) parts.push('not null')
  if (/@unique\b/.test(f.attributes)) parts.push('unique')
  const value = isSerial(f) ? undefined : defaultOf(f, enums.has(f.type))
  if (value) parts.push(`default ${value}`)
  return parts.join(' ')
}

function defaultOf(f: Field, isEnum: boolean): string | undefined {
  const match = /@default\(((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*")*\))*)\)/.exec(f.attributes)?.[1]?.trim()
  if (match === undefined) return undefined
  if (/^now\(\)$/.test(match)) return 'now()'
  if (/^dbgenerated\("(.*)"\)$/.test(match)) return /^dbgenerated\("(.*)"\)$/.exec(match)?.[1]?.replaceAll('\\"', '"')
  if (/^(true|false|-?\d+(\.\d+)?)$/.test(match)) return match
  if (/^".*"$/.test(match)) return `'${unescaped(match.slice(1, -1)).replaceAll("'", "''")}'`
  return isEnum && /^\w+$/.test(match) ? `'${match}'` : undefined
}

/** A text as it is meant, without what its quotes are escaped by. */
const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c))

function foreignKeys(ddl: Ddl, m: Model, models: ReadonlyMap<string, Model>): void {
  for (const f of m.fields) {
    const target = models.get(f.type)
    const relation = target && /@relation\([^)]*fields:\s*\[([^\]]*)\][^)]*references:\s*\[([^\]]*)\]/.exec(f.attributes)
    if (target && relation)
      ddl.add(
        `alter table ${nameOf(m)} add foreign key (${fieldList(m, relation[1] as string)}) references ${nameOf(target)} (${fieldList(target, relation[2] as string)});`,
        f.line,
      )
  }
}

function fieldList(m: Model, names: string): string {
  return names
    .split(',')
    .map((n) => n.trim().replace(/\([\s\S]*/, ''))
    .map((n) => quote(m.fields.find((f) => f.name === n)?.column ?? n))
    .join(', ')
}

function nameOf(m: Model): string {
  return `${quote(m.schema)}.${quote(m.table)}`
}

/** Prisma's language is one declaration per line. */
function read(path: string, text: string): PrismaSchema {
  const models: Model[] = []
  const enums: { name: string; database: string; values: string[]; line: number }[] = []
  let block: { kind: string; name: string; line: number; body: { text: string; line: number }[] } | undefined
  text.split('\n').forEach((raw, i) => {
    const line = raw.replace(/\/\/[\s\S]*/, '').trim()
    const open = /^(model|enum)\s+(\w+)\s*\{$/.exec(line)
    if (open) block = { kind: open[1] as string, name: open[2] as string, line: i + 1, body: [] }
    else if (line === '}' && block) {
      if (block.kind === 'model') models.push(model(block.name, block.line, block.body))
      else
        enums.push({
          name: block.name,
          database: mapped(block.body) ?? block.name,
          values: block.body.flatMap((b) => (/^\w+/.test(b.text) ? [/@map\("([^"]+)"\)/.exec(b.text)?.[1] ?? (/^\w+/.exec(b.text)?.[0] as string)] : [])),
          line: block.line,
        })
      block = undefined
    } else if (line && block) block.body.push({ text: line, line: i + 1 })
  })
  return { path, models, enums }
}

function model(name: string, line: number, body: readonly { text: string; line: number }[]): Model {
  const fields = body.flatMap((b): Field[] => {
    const match = /^(\w+)\s+(\w+)\b(\[\])?(\?)?(.*)$/.exec(b.text)
    if (!match) return []
    const attributes = match[5] ?? ''
    return [
      {
        name: match[1] as string,
        column: /(?:^|\s)@map\("([^"]+)"\)/.exec(attributes)?.[1] ?? (match[1] as string),
        type: match[2] as string,
        list: match[3] !== undefined,
        optional: match[4] !== undefined,
        attributes,
        line: b.line,
      },
    ]
  })
  const attributes = body.filter((b) => b.text.startsWith('@@'))
  return {
    name,
    table: mapped(attributes) ?? name,
    schema: attributes.map((a) => /^@@schema\("([^"]+)"\)/.exec(a.text)?.[1]).find((s) => s) ?? 'public',
    fields,
    attributes,
    line,
  }
}

function mapped(body: readonly { text: string }[]): string | undefined {
  return body.map((b) => /^@@map\((?:name:\s*)?"([^"]+)"\)/.exec(b.text)?.[1]).find((n) => n !== undefined)
}
