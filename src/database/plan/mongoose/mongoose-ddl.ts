import type { FactsIndex } from '../../../facts/facts.ts'
import type { SqlFile } from '../../database.ts'
import { Ddl, ELSEWHERE, quote } from '../ddl.ts'
import { type MongooseField, type MongooseModel, readMongoose } from './read-mongoose.ts'

/** Tables for the collections of Mongoose's models: nothing that browsers reach holds them, and their columns say whose the documents are. */
export function mongooseDdl(facts: FactsIndex, created: ReadonlySet<string>): SqlFile[] {
  const models = new Map<string, MongooseModel>()
  for (const m of readMongoose(facts)) if (!created.has(`${ELSEWHERE}.${m.name}`.toLowerCase()) && !models.has(m.name)) models.set(m.name, m)
  const byFile = Map.groupBy(models.values(), (m) => m.path)
  const perFile = (write: (ddl: Ddl, model: MongooseModel) => void): SqlFile[] =>
    [...byFile].flatMap(([path, own]) => {
      const ddl = new Ddl()
      for (const m of own) write(ddl, m)
      return ddl.file(path) ?? []
    })
  return [...perFile(table), ...perFile((ddl, m) => foreignKeys(ddl, m, models))]
}

const nameOf = (model: string): string => `${quote(ELSEWHERE)}.${quote(model)}`

function table(ddl: Ddl, m: MongooseModel): void {
  ddl.add(`create schema if not exists ${quote(ELSEWHERE)};`, m.line)
  ddl.add(`create table ${nameOf(m.name)} (`, m.line)
  for (const f of columnsOf(m)) ddl.add(`  ${quote(f.name)} ${f.type}${f.required ? ' not null' : ''},`, f.line)
  ddl.add('  "_id" text primary key\n);', m.line)
}

function foreignKeys(ddl: Ddl, m: MongooseModel, models: ReadonlyMap<string, MongooseModel>): void {
  for (const f of columnsOf(m))
    if (f.ref && f.type === 'text' && models.has(f.ref))
      ddl.add(`alter table ${nameOf(m.name)} add foreign key (${quote(f.name)}) references ${nameOf(f.ref)} ("_id");`, f.line)
}

/** Names that PostgreSQL would cut or take for one are left out. */
function columnsOf({ fields }: MongooseModel): readonly MongooseField[] {
  const seen = new Set(['_id'])
  return fields.filter((f) => f.name.length < 60 && !seen.has(f.name) && seen.add(f.name))
}
