import { keepsText } from '../../../../lexicon/text-keeping.ts'
import { object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { Client } from '../../types.ts'
import type { Library } from '../library.ts'
import { firestore, mongoose, mongoosePackages } from './documents.ts'
import { drizzle, drizzlePackages } from './drizzle.ts'
import { prisma, prismaPackages } from './prisma.ts'
import { knex, kysely } from './query-builders.ts'
import { sequelize, sequelizePackages } from './sequelize.ts'
import { emitText, isShapedLikeSql, queryBuilderText, queryText, sqlClient, sqlPackages } from './sql.ts'
import { typeorm, typeormPackages } from './typeorm.ts'

/** Calls on clients of databases other than supabase-js, by the client's library. */
export const databaseClient: Library = {
  packages: [],
  call: (c) => modelOf(c.root)?.call?.(c),
  settle: (c, next) => modelOf(c.root)?.settle?.(c, next),
  tag: (c, quasis, exprs) => modelOf(c.root)?.tag?.(c, quasis, exprs),
}

function modelOf(root: import('../../domain/abstract-value.ts').Val): Library | undefined {
  if (root.v !== 'client') return undefined
  switch (root.client.library) {
    case 'prisma':
      return prisma
    case 'drizzle':
      return drizzle
    case 'knex':
      return knex
    case 'kysely':
      return kysely
    case 'mongoose':
      return mongoose
    case 'sequelize':
      return sequelize
    case 'typeorm':
      return typeorm
    case 'firebase':
      return firestore
    default:
      return sqlClient
  }
}

/**
 * Clients whose making could not be seen (a parameter, a package that is not in the repository): recognised by calls that
 * only they have.
 */
export const unknownDatabase: Library = {
  packages: [],
  call: (c) => {
    if (c.root.v !== 'unknown' && c.root.v !== 'call' && c.root.v !== 'lib') return undefined
    // `new generated.PrismaClient()` of a module that is not in the repository
    if (c.links.at(-1)?.name === 'new' && c.links.at(-2)?.name === 'PrismaClient') return prismaPackages.call?.(c)
    const [owner, asked] = c.links.slice(-2)
    if (owner?.name === 'auth' && !owner.args && asked?.args && VERIFIED_USER_METHOD.test(asked.name))
      return supabaseCalls?.call?.({ ...c, root: UNKNOWN_SUPABASE, name: `auth.${asked.name}`, links: c.links.slice(-2) })
    const client: Client = { library: 'pg', rights: 'service' }
    // `sql.raw(text).execute(db)`
    if (c.root.v === 'call' && c.root.name === 'sql.raw' && c.links[c.links.length - 1]?.name === 'execute') {
      const step = emitText(c, { library: 'kysely', rights: 'service' }, 'sql.raw', c.root.args[0] ?? UNKNOWN)
      return object({ rows: { v: 'row', table: '', step, many: true } })
    }
    if (queryBuilderText(c, client)) return undefined
    if (asked?.args && !keepsText(asked.name) && isShapedLikeSql(textIn(asked.args[0])))
      return queryText(c, { library: 'other', rights: 'service', ...(c.root.v === 'lib' ? { driver: c.root.pkg } : {}) }, asked.name)
    return prisma.call?.(c)
  },
  settle: (c, next) => {
    if (c.root.v !== 'unknown' && c.root.v !== 'call' && c.root.v !== 'lib') return undefined
    if (
      c.links.some((l) => l.name === 'from' && l.args) &&
      c.links.some((l) => ['select', 'insert', 'update', 'upsert', 'delete'].includes(l.name) && l.args) &&
      !c.links.some((l) => l.name === 'where' || l.name === 'values' || l.name === 'set')
    )
      return unknownSupabase(c, next)
    return undefined
  },
}

/** The text of a call, or of the object that holds it with its values. */
const textIn = (first: Val | undefined): Val | undefined => (first?.v === 'object' ? (first.props.text ?? first.props.sql) : first)

/** Only a server answers these, for the token that it was asked with; a session that is read from a cookie alone says less. */
const VERIFIED_USER_METHOD = /^(?:getUser|getClaims)$/

const UNKNOWN_SUPABASE = { v: 'client' as const, client: { library: 'supabase' as const, rights: 'unknown' as const } }

function unknownSupabase(c: import('../library.ts').LibraryCall, next?: string) {
  const root = UNKNOWN_SUPABASE
  const from = c.links.findIndex((l) => l.name === 'from')
  const links = c.links.slice(from)
  return supabaseCalls?.settle?.({ ...c, root, links, chain: { ...c.chain, root, links } }, next)
}

let supabaseCalls: Library | undefined

/** Breaks the cycle between the models: set once by `supabase.ts`'s importer. */
export function shareSupabase(calls: Library): void {
  supabaseCalls = calls
}

export const DATABASE_LIBRARIES: readonly Library[] = [prismaPackages, drizzlePackages, mongoosePackages, sqlPackages, sequelizePackages, typeormPackages]
