import { expect, test } from 'vitest'
import { behaviourOf, describeSteps } from './describe-behaviour.ts'

const HANDLER = `import { prisma } from './db'
export async function GET(req: Request) {
  return Response.json(await prisma.note.findFirst({ where: { id: new URL(req.url).searchParams.get('id') } }))
}`
const READ = ['select note as service where id eq query.id', 'respond json 200']
const stepsOf = (db: string) =>
  describeSteps(
    behaviourOf({ 'app/api/note/route.ts': HANDLER, 'app/api/note/db.ts': db }, { path: 'app/api/note/route.ts', name: 'GET', seeds: ['web-request'] }),
  )

test.each([
  [
    'a map on globalThis, filled where the name is missing',
    `import { PrismaClient } from '@prisma/client'
function remember<T>(name: string, make: () => T): T {
  const scope = globalThis
  if (!scope.__kept) scope.__kept = new Map()
  if (!scope.__kept.has(name)) scope.__kept.set(name, make())
  return scope.__kept.get(name)
}
const client = remember('client', () => new PrismaClient())
export const prisma = remember('replicas', () => (process.env.REPLICAS ? client.$extends({}) : client))`,
  ],
  [
    'an object on global, filled with ??=',
    `import { PrismaClient } from '@prisma/client'
const singleton = <T>(name: string, make: () => T): T => {
  const kept = global as unknown as { __kept: Record<string, T> }
  kept.__kept ??= {}
  kept.__kept[name] ??= make()
  return kept.__kept[name]
}
export const prisma = singleton('prisma', () => new PrismaClient())`,
  ],
  [
    'a name on globalThis that survives a reload',
    `import { PrismaClient } from '@prisma/client'
const kept = globalThis as { prisma?: PrismaClient }
export const prisma = kept.prisma ?? new PrismaClient()
if (process.env.NODE_ENV !== 'production') kept.prisma = prisma`,
  ],
  [
    'a name on globalThis that an if fills above the export',
    `import { PrismaClient } from '@/generated/prisma'
const kept = globalThis as unknown as { prisma: PrismaClient | undefined }
if (!kept.prisma) {
  kept.prisma = new PrismaClient()
  kept.prisma.$on('query', () => {})
}
export const prisma = kept.prisma`,
  ],
  [
    'a name on global that a let is given, and asks for again in a function',
    `import { PrismaClient } from '@prisma/client'
let made: PrismaClient
if (process.env.NODE_ENV === 'production') made = new PrismaClient()
else {
  global.__prisma ||= new PrismaClient()
  made = global.__prisma
}
export const prisma = made`,
  ],
  [
    'a name that a function sets before the server listens',
    `import { PrismaClient } from '@prisma/client'
import pg from './pool'
let made: PrismaClient | null = null
let asked = 0
export async function connect() {
  const url = process.env.DATABASE_URL
  made = new PrismaClient({ url })
  await made.$connect()
}
function unrelated(made: string) {
  made = 'mine'
}
function getClient() {
  if (!made) throw new Error('not connected')
  return made
}
export const prisma = { note: { findFirst: (query: unknown) => getClient().note.findFirst(query) } }`,
  ],
])('a client that is kept: %s', (_how, db) => {
  expect(stepsOf(db)).toEqual(READ)
})

test('queries built with Kysely over a Prisma client', () => {
  const files = {
    'route.ts': `import { PrismaClient } from '@prisma/client'
import kysely from 'prisma-extension-kysely'
const prisma = new PrismaClient().$extends(kysely({}))
export async function GET(req: Request) {
  const id = new URL(req.url).searchParams.get('id')
  return Response.json(await prisma.$kysely.selectFrom('Note').selectAll().where('id', '=', id).executeTakeFirst())
}`,
  }
  expect(describeSteps(behaviourOf(files, { path: 'route.ts', name: 'GET', seeds: ['web-request'] }))).toEqual([
    'select Note as service where id eq query.id',
    'respond json 200',
  ])
})

test('ts-pattern runs the handler of the pattern that fits', () => {
  const files = {
    'route.ts': `import { PrismaClient } from '@prisma/client'
import { match, P } from 'ts-pattern'
const prisma = new PrismaClient()
export async function POST(req: Request) {
  const { kind, id } = await req.json()
  await match(kind)
    .with('note', () => prisma.note.delete({ where: { id } }))
    .with('task', () => prisma.task.delete({ where: { id } }))
    .otherwise(() => null)
  return match({ mode: 'plain' as const, id })
    .with({ mode: 'loud' }, () => new Response(null, { status: 500 }))
    .with({ mode: 'plain', id: P.string }, () => Response.json({}))
    .exhaustive()
}`,
  }
  expect(describeSteps(behaviourOf(files, { path: 'route.ts', name: 'POST', seeds: ['web-request'] }))).toEqual([
    'delete note as service where id eq body.id if (body.kind === "note")',
    'delete task as service where id eq body.id if (body.kind === "task")',
    'respond json 200',
  ])
})
