import type { FactsIndex } from '../../facts/facts.ts'
import type { SqlFile } from '../database.ts'
import { createdTables } from './ddl.ts'
import { drizzleDdl } from './drizzle/drizzle-ddl.ts'
import { clientOfPlatform, drizzleOnNeon } from './exposure.ts'
import { modelsDdl } from './models/models-ddl.ts'
import { prismaDdl } from './prisma/prisma-ddl.ts'

/** DDL made from the schemas of Drizzle and Prisma and the models of Mongoose, Sequelize and TypeORM, for tables that no SQL creates. */
export function declaredSchema(facts: FactsIndex, written: readonly SqlFile[]): SqlFile[] {
  const created = createdTables(written.map((f) => f.text))
  const drizzle = drizzleDdl(facts, created, clientOfPlatform(facts) && drizzleOnNeon(facts))
  const both = new Set([...created, ...createdTables(drizzle.map((f) => f.text))])
  const prisma = prismaDdl(facts, both)
  return [...drizzle, ...prisma, ...modelsDdl(facts, createdTables(prisma.map((f) => f.text)))]
}
