import type { FactsIndex } from '../../../facts/facts.ts'
import type { SqlFile } from '../../database.ts'
import { Ddl, ELSEWHERE, quote } from '../ddl.ts'
import type { DeclaredModel, ModelField } from './model.ts'
import { readEntities } from './read-entities.ts'
import { readMongoose } from './read-mongoose.ts'
import { readSequelize } from './read-sequelize.ts'

/** Tables for the models of Mongoose, Sequelize and TypeORM: nothing that browsers reach holds them, and their columns say whose the rows are. */
export function modelsDdl(facts: FactsIndex, created: ReadonlySet<string>): SqlFile[] {
  const models = new Map<string, DeclaredModel>()
  for (const m of [...readMongoose(facts), ...readEntities(facts), ...readSequelize(facts)])
    if (!created.has(`${ELSEWHERE}.${m.name}`.toLowerCase()) && !models.has(m.name)) models.set(m.name, m)
  const byFile = Map.groupBy(models.values(), (m) => m.path)
  const perFile = (write: (ddl: Ddl, model: DeclaredModel) => void): SqlFile[] =>
    [...byFile].flatMap(([path, own]) => {
      const ddl = new Ddl()
      for (const m of own) write(ddl, m)
      return ddl.file(path) ?? []
    })
  return [...perFile(table), ...perFile((ddl, m) => foreignKeys(ddl, m, models))]
}

const nameOf = (model: string): string => `${quote(ELSEWHERE)}.${quote(model)}`

function table(ddl: Ddl, m: DeclaredModel): void {
  ddl.add(`create schema if not exists ${quote(ELSEWHERE)};`, m.line)
  ddl.add(`create table ${nameOf(m.name)} (`, m.line)
  for (const f of columnsOf(m)) ddl.add(`  ${quote(f.name)} ${f.type}${f.required ? ' not null' : ''},`, f.line)
  ddl.add(`  ${quote(m.key)} text primary key\n);`, m.line)
  for (const columns of uniquesOf(m)) ddl.add(`alter table ${nameOf(m.name)} add unique (${columns.map(quote).join(', ')});`, m.line)
}

/** What of a model is unique, as far as it stands in columns that an index takes. */
function uniquesOf(m: DeclaredModel): readonly (readonly string[])[] {
  const columns = columnsOf(m)
  const known = new Set(columns.filter((f) => f.type !== 'jsonb').map((f) => f.name))
  return [...columns.filter((f) => f.unique).map((f) => [f.name]), ...(m.uniques ?? [])].filter((names) => names.length > 0 && names.every((n) => known.has(n)))
}

function foreignKeys(ddl: Ddl, m: DeclaredModel, models: ReadonlyMap<string, DeclaredModel>): void {
  for (const f of columnsOf(m))
    if (f.ref && f.type === 'text' && models.has(f.ref))
      ddl.add(
        `alter table ${nameOf(m.name)} add foreign key (${quote(f.name)}) references ${nameOf(f.ref)} (${quote(models.get(f.ref)?.key ?? 'id')});`,
        f.line,
      )
}

/** Names that PostgreSQL would cut or take for one are left out. */
function columnsOf({ fields, key }: DeclaredModel): readonly ModelField[] {
  const seen = new Set<string>([key])
  return fields.filter((f) => f.name.length < 60 && !seen.has(f.name) && seen.add(f.name))
}
