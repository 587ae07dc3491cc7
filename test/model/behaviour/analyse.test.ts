import { describe, expect, test } from 'vitest'
import { javascript } from '../../../src/facts/extractors/javascript/javascript.ts'
import { analyse, OWN_FAULT } from '../../../src/model/behaviour/analyze.ts'
import { createProgram, relativeResolver } from '../../../src/model/behaviour/modules/program.ts'
import type { Entry } from '../../../src/model/behaviour/types.ts'
import { behaviourOf, behavioursOf, describeSteps } from './describe-behaviour.ts'

const CLIENTS = `
import { createServerClient } from '@supabase/ssr'
import { createClient } from '@supabase/supabase-js'
import { cookies } from 'next/headers'
export async function server() {
  const store = await cookies()
  return createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, { cookies: { getAll: () => store.getAll(), setAll: () => {} } })
}
export const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
export async function currentUser() {
  const { data: { user } } = await (await server()).auth.getUser()
  return user
}`

interface Case {
  readonly name: string
  readonly code: string
  readonly files?: Readonly<Record<string, string>>
  readonly entry?: Partial<Entry>
  readonly steps: readonly string[]
}

const WHO = 'identify supabase.auth.getUser verified'

const CASES: readonly Case[] = [
  {
    name: 'a property behind a getter is what the getter gives, and a setter is no property',
    code: `import { admin } from './clients'
const config = {
  get owner() { return 'ann' },
  get author() { return this.owner },
  set owner(_value) { throw new Error('fixed') },
}
export async function GET() {
  await admin.from('notes').delete().eq('owner', config.owner).eq('author', config.author)
}`,
    steps: ['delete notes as service where owner eq "ann", author eq "ann"'],
  },
  {
    name: 'an early return is a condition of what follows',
    code: `import { admin, currentUser } from './clients'
export async function GET(req: Request) {
  const user = await currentUser()
  if (!user) return new Response(null, { status: 401 })
  const { data } = await admin.from('notes').select('*').eq('user_id', user.id)
  return Response.json(data)
}`,
    steps: [
      WHO,
      'select notes as service where user_id eq caller.id if caller (else respond 401)',
      'respond other 401 if not caller',
      'respond json 200 if caller (else respond 401)',
    ],
  },
  {
    name: 'a condition turned round guards the wrong side',
    code: `import { admin, currentUser } from './clients'
export async function POST(req: Request) {
  if (await currentUser()) return new Response(null, { status: 401 })
  await admin.from('notes').delete().neq('id', '')
  return new Response('ok')
}`,
    steps: [
      WHO,
      'delete notes as service where id neq "" if not caller (else respond 401)',
      'respond other 401 if caller',
      'respond other 200 if not caller (else respond 401)',
    ],
  },
  {
    name: 'an ignored result is no condition',
    code: `import { admin, currentUser } from './clients'
export async function POST(req: Request) {
  await currentUser()
  await admin.from('logs').insert({ a: 1 })
}`,
    steps: [WHO, 'insert logs as service with {a: 1}'],
  },
  {
    name: 'the good side may come first',
    code: `import { admin, currentUser } from './clients'
export async function POST(req: Request) {
  const user = await currentUser()
  if (user) {
    await admin.from('notes').delete().eq('user_id', user.id)
    return new Response('ok')
  }
  return new Response(null, { status: 401 })
}`,
    steps: [
      WHO,
      'delete notes as service where user_id eq caller.id if caller (else respond 401)',
      'respond other 200 if caller (else respond 401)',
      'respond other 401 if not caller (else respond 200)',
    ],
  },
  {
    name: 'a helper that answers with a result object: its alternatives stay correlated',
    files: {
      'lib/require-admin.ts': `import { server } from '../clients'
export async function requireAdmin() {
  const supabase = await server()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return { ok: false, status: 401 }
  const { data: profile } = await supabase.from('profiles').select('role').eq('id', user.id).single()
  if (profile?.role !== 'admin') return { ok: false, status: 403 }
  return { ok: true, user }
}`,
    },
    code: `import { admin } from './clients'
import { requireAdmin } from './lib/require-admin'
export async function DELETE(req: Request) {
  const auth = await requireAdmin()
  if (!auth.ok) return new Response(null, { status: 403 })
  await admin.from('users').delete().eq('id', (await req.json()).id)
}`,
    steps: [
      WHO,
      'select profiles as caller where id eq caller.id if caller (else return)',
      'delete users as service where id eq body.id if caller (else respond 403) and (profiles.role === "admin") (else respond 403)',
      'respond other 403 if (!(caller) || (caller && !((profiles.role === "admin"))))',
    ],
  },
  {
    name: 'a helper that throws, and a catch that answers 500',
    files: {
      'lib/auth.ts': `import { currentUser } from '../clients'\nexport async function requireUser() {\n  const user = await currentUser()\n  if (!user) throw new Error('Unauthorized')\n  return user\n}`,
    },
    code: `import { admin } from './clients'
import { requireUser } from './lib/auth'
export async function POST() {
  try {
    const user = await requireUser()
    await admin.from('notes').insert({ user_id: user.id })
    return new Response('ok')
  } catch (e) {
    return new Response('failed', { status: 500 })
  }
}`,
    steps: [
      WHO,
      'throw caught if not caller',
      'insert notes as service with {user_id: caller.id} if caller (else respond 500)',
      'respond other 200 if caller (else respond 500)',
      'respond other 500 if caught',
    ],
  },
  {
    name: 'a catch that tells errors apart',
    code: `import { admin, currentUser } from './clients'
class Denied extends Error { constructor(readonly status: number) { super('denied') } }
export async function POST() {
  try {
    if (!(await currentUser())) throw new Denied(401)
    await admin.from('notes').insert({ a: 1 })
  } catch (e) {
    if (e instanceof Denied) return new Response(null, { status: 401 })
    return new Response(null, { status: 500 })
  }
}`,
    steps: [
      WHO,
      'throw caught if not caller',
      'insert notes as service with {a: 1} if caller (else respond 401)',
      'respond other 401 if caught and (caught instanceof function) (else respond 500)',
      'respond other 500 if caught and not (caught instanceof function) (else respond 401)',
    ],
  },
  {
    name: 'a catch that goes on takes the condition away',
    code: `import jwt from 'jsonwebtoken'
import { admin } from './clients'
export async function POST(req: Request) {
  try { jwt.verify(req.headers.get('authorization'), process.env.SECRET) } catch (e) { console.error(e) }
  await admin.from('notes').delete().neq('id', '')
}`,
    steps: ['identify verify() of a JSON Web Token verified', 'delete notes as service where id neq ""'],
  },
  {
    name: 'a wrapper in another file',
    files: {
      'lib/with-auth.ts': `import { currentUser } from '../clients'
export const withAuth = (handler) => async (req, ctx) => {
  const user = await currentUser()
  if (!user) return new Response(null, { status: 401 })
  return handler(req, { ...ctx, user })
}`,
    },
    code: `import { admin } from './clients'
import { withAuth } from './lib/with-auth'
export const GET = withAuth(async (req, { user, params }) => {
  const { data } = await admin.from('notes').select('*').eq('id', params.id).eq('user_id', user.id)
  return Response.json(data)
})`,
    steps: [
      WHO,
      'select notes as service where id eq params.id, user_id eq caller.id if caller (else respond 401)',
      'respond other 401 if not caller',
      'respond json 200 if caller (else respond 401)',
    ],
  },
  {
    name: 'a secret that is compared only when it is set fails open',
    code: `import { admin } from './clients'
export async function GET(req: Request) {
  const secret = process.env.CRON_SECRET
  if (secret && req.headers.get('authorization') !== \`Bearer \${secret}\`) return new Response(null, { status: 401 })
  await admin.from('jobs').delete().eq('done', true)
}`,
    steps: [
      'delete jobs as service where done eq true if (!(env.CRON_SECRET) || (header.authorization === `Bearer ${env.CRON_SECRET}`)) (else respond 401)',
      'respond other 401 if env.CRON_SECRET and not (header.authorization === `Bearer ${env.CRON_SECRET}`)',
    ],
  },
  {
    name: 'nested exits leave a disjunction',
    code: `import { admin, currentUser } from './clients'
export async function GET(req: Request) {
  if (req.headers.get('x-cron') !== process.env.CRON_SECRET) {
    const user = await currentUser()
    if (!user) return new Response(null, { status: 401 })
  }
  await admin.from('jobs').delete().eq('done', true)
}`,
    steps: [
      `${WHO} if not (header.x-cron === env.CRON_SECRET)`,
      'delete jobs as service where done eq true if ((!((header.x-cron === env.CRON_SECRET)) && caller) || (header.x-cron === env.CRON_SECRET)) (else respond 401)',
      'respond other 401 if not (header.x-cron === env.CRON_SECRET) and not caller',
    ],
  },
  {
    name: 'Express: middleware in front, what it leaves on the request, and next(err)',
    entry: {
      path: 'entry.ts',
      name: 'handler',
      seeds: ['express-req', 'express-res', 'next-function'],
      before: [{ path: 'entry.ts', name: 'requireUser', seeds: ['express-req', 'express-res', 'next-function'] }],
    },
    code: `import jwt from 'jsonwebtoken'
import { admin } from './clients'
export function requireUser(req, res, next) {
  const token = req.headers.authorization
  if (!token) return res.status(401).json({ error: 'no token' })
  req.user = jwt.verify(token, process.env.JWT_SECRET)
  next()
}
export async function handler(req, res) {
  const { data } = await admin.from('orders').select('*').eq('id', req.params.id).eq('user_id', req.user.sub)
  res.json(data)
}`,
    steps: [
      'respond json 401 if not header.authorization',
      'identify verify() of a JSON Web Token verified if header.authorization (else respond 401)',
      'select orders as service where id eq params.id, user_id eq caller.sub if header.authorization (else respond 401) and caller (else throw)',
      'respond json 200 if header.authorization (else respond 401) and caller (else throw)',
    ],
  },
  {
    name: 'redirect() leaves by throwing',
    code: `import { redirect } from 'next/navigation'
import { admin, currentUser } from './clients'
export default async function Page() {
  const user = await currentUser()
  if (!user) redirect('/login')
  const { data } = await admin.from('notes').select('*').eq('user_id', user.id)
  return data
}`,
    entry: { name: 'default', seeds: ['next-context'] },
    steps: [
      WHO,
      'respond redirect 307 if not caller',
      'select notes as service where user_id eq caller.id if caller (else redirect 307)',
      'respond other if caller (else redirect 307)',
    ],
  },
  {
    name: 'a filter that is added sometimes',
    code: `import { admin } from './clients'
export async function GET(req: Request) {
  const mine = new URL(req.url).searchParams.get('mine')
  let query = admin.from('notes').select('id')
  if (mine) query = query.eq('user_id', mine)
  const { data } = await query.limit(5)
}`,
    steps: ['select notes as service where user_id eq query.mine if query.mine', 'select notes as service if not query.mine'],
  },
  {
    name: 'lazy singletons, required variables and proxies',
    files: {
      'lib/env.ts': `export function need(value: string | undefined, name: string) { if (!value) throw new Error(name); return value }`,
      'lib/db.ts': `import { createClient } from '@supabase/supabase-js'
import { need } from './env'
let client
export function getClient() { if (!client) { client = createClient(need(process.env.SUPABASE_URL, 'url'), need(process.env.SUPABASE_SERVICE_ROLE_KEY, 'key')) } return client }
export const db = new Proxy({}, { get: (_, key) => getClient()[key] })`,
    },
    code: `import { db } from './lib/db'
export async function GET() { await db.from('notes').select('id') }`,
    steps: ['select notes as service'],
  },
  {
    name: 'the caller’s token passed on: the caller’s rights',
    code: `import { createClient } from 'npm:@supabase/supabase-js@2'
export async function handler(req: Request) {
  const supabase = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, { global: { headers: { Authorization: req.headers.get('Authorization')! } } })
  await supabase.from('notes').update({ done: true }).eq('id', (await req.json()).id)
}`,
    entry: { name: 'handler' },
    steps: ['update notes as caller where id eq body.id with {done: true}'],
  },
  {
    name: 'Promise.all, then-chains and callbacks of arrays',
    code: `import { admin } from './clients'
export async function POST(req: Request) {
  const { ids } = await req.json()
  const [a, b] = await Promise.all([admin.from('a').select('id'), admin.from('b').select('id').then(({ data }) => data)])
  await Promise.all(ids.map(async (id) => { await admin.from('c').delete().eq('id', id) }))
  for (const row of b) await admin.from('d').delete().eq('b_id', row.id)
}`,
    steps: ['select b as service', 'select a as service', 'delete c as service where id eq body.ids', 'delete d as service where b_id eq b.id'],
  },
  {
    name: 'a switch over the type of a verified event',
    code: `import Stripe from 'stripe'
import { admin } from './clients'
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY!)
export async function POST(req: Request) {
  let event
  try { event = stripe.webhooks.constructEvent(await req.text(), req.headers.get('stripe-signature')!, process.env.STRIPE_WEBHOOK_SECRET!) }
  catch { return new Response(null, { status: 400 }) }
  switch (event.type) {
    case 'invoice.paid':
    case 'invoice.payment_failed':
      await admin.from('subs').update({ state: event.type }).eq('customer', event.data.object.customer)
      break
  }
  return new Response('ok')
}`,
    steps: [
      'verify stripe raw-body with env.STRIPE_WEBHOOK_SECRET sync',
      'update subs as service where customer eq verified event.data.object.customer with {state: verified event.type} if verified event (else respond 400) and ((verified event.type === "invoice.paid") || (verified event.type === "invoice.payment_failed"))',
      'respond other 400 if caught',
      'respond other 200 if verified event (else respond 400)',
    ],
  },
  {
    name: 'classes: constructor parameters, fields, methods and inheritance',
    code: `import { admin } from './clients'
class Base { constructor(protected readonly db) {} remove(table, id) { return this.db.from(table).delete().eq('id', id) } }
class Notes extends Base { private table = 'notes'; async drop(id) { await this.remove(this.table, id) } }
export async function DELETE(req: Request) { await new Notes(admin).drop((await req.json()).id) }`,
    entry: { name: 'DELETE' },
    steps: ['delete notes as service where id eq body.id'],
  },
  {
    name: 'Prisma: where, data, transactions',
    code: `import { PrismaClient } from '@prisma/client'
const prisma = new PrismaClient()
export async function POST(req: Request) {
  const { id, name } = await req.json()
  await prisma.$transaction(async (tx) => { await tx.project.update({ where: { id, team: { is: { ownerId: 'x' } } }, data: { name } }) })
}`,
    steps: ['update project as service where id eq body.id, team.is.ownerId eq "x" with {name: body.name}'],
  },
  {
    name: 'SQL text: parameters and concatenation',
    code: `import { Pool } from 'pg'
const pool = new Pool()
export async function POST(req: Request) {
  const { id, table } = await req.json()
  await pool.query('update notes set title = $2 where id = $1', [id, 'x'])
  await pool.query('select * from ' + table)
}`,
    steps: [
      'sql query "update notes set title = $2 where id = $1"',
      'update notes as service where id eq body.id with {title: "x"}',
      'sql query `select * from ${body.table}`',
    ],
  },
  {
    name: 'a schema narrows what it lets through and drops the rest',
    code: `import { z } from 'zod'
import { admin } from './clients'
const input = z.object({ id: z.string().uuid(), state: z.enum(['a', 'b']) })
export async function POST(req: Request) {
  const parsed = input.safeParse(await req.json())
  if (!parsed.success) return new Response(null, { status: 400 })
  await admin.from('notes').insert(parsed.data)
}`,
    steps: [
      'insert notes as service with {id: body.id:uuid, state: body.state:enum} if schema accepts(body) (else respond 400)',
      'respond other 400 if not schema accepts(body)',
    ],
  },
  {
    name: 'a session that is only read is not verified; user_metadata is edited by the user',
    code: `import { admin, server } from './clients'
export async function GET() {
  const { data: { session } } = await (await server()).auth.getSession()
  if (!session) return new Response(null, { status: 401 })
  await admin.from('notes').select('*').eq('org', session.user.id)
}
export async function PUT() {
  const { data: { user } } = await (await server()).auth.getUser()
  await admin.from('notes').select('*').eq('org', user.user_metadata.org)
}`,
    entry: { name: 'PUT' },
    // that a member of the user is read proves that there is one
    steps: [WHO, 'select notes as service where org eq caller.user_metadata.org [editable] if caller (else throw)'],
  },
  {
    name: 'headers that a wrapper sets for the handler',
    files: {
      'lib/with-user.ts': `import { currentUser } from '../clients'
export const withUser = (handler) => async (req) => {
  const user = await currentUser()
  if (!user) return new Response(null, { status: 401 })
  const headers = new Headers(req.headers)
  headers.set('x-user-id', user.id)
  return handler(new Request(req.url, { headers }))
}`,
    },
    code: `import { admin } from './clients'
import { withUser } from './lib/with-user'
export const GET = withUser(async (req) => { await admin.from('notes').select('*').eq('user_id', req.headers.get('x-user-id')) })`,
    steps: [WHO, 'select notes as service where user_id eq caller.id if caller (else respond 401)', 'respond other 401 if not caller'],
  },
  {
    name: 'a recursion ends',
    code: `export async function GET() { return walk({ n: 1 }) }
async function walk(x) { if (x.n > 3) return x; return walk({ n: x.n + 1 }) }`,
    steps: ['respond other'],
  },
  {
    name: 'a method that every object has is no query',
    code: `import { render } from 'some-pdf'
export async function GET(request) {
  const file = await render(request)
  return new Response(file.body.length.toString(), { status: 200 })
}`,
    steps: ['respond other 200'],
  },
  {
    name: 'what a helper returns early stays among what it may return',
    code: `import { admin } from './clients'
async function held(id) {
  if (id === 'demo') return null
  const { data } = await admin.from('holds').select('id').eq('user_id', id).maybeSingle()
  return data ? { id: data.id } : null
}
export async function GET(request) {
  const { id } = await request.json()
  if (await held(id)) return new Response(null, { status: 423 })
  await admin.from('notes').delete().eq('user_id', id)
  return new Response(null, { status: 204 })
}`,
    steps: [
      'select holds as service where user_id eq body.id if not (body.id === "demo") (else return)',
      'delete notes as service where user_id eq body.id if ((body.id === "demo") || (!((body.id === "demo")) && !(holds))) (else respond 423)',
      'respond other 423 if not (body.id === "demo") and holds',
      'respond other 204 if ((body.id === "demo") || (!((body.id === "demo")) && !(holds))) (else respond 423)',
    ],
  },
  {
    name: 'a builder that statements narrow is one query, which runs where it is awaited',
    code: `import { admin } from './clients'
export async function GET(request) {
  const { id } = await request.json()
  const query = admin.from('notes').select('id').eq('shown', true)
  query.eq('id', id)
  query.limit(5)
  const { data } = await query
  return new Response(null, { status: 204 })
}`,
    steps: ['select notes as service where shown eq true, id eq body.id', 'respond other 204'],
  },
  {
    name: 'an object that is filled in branches keeps what each of them puts in',
    code: `import { admin } from './clients'
export async function POST(request) {
  const { title, state } = await request.json()
  const changes = {}
  if (title) changes.title = title
  if (state) changes.state = 'set'
  await admin.from('notes').insert({ state: changes.state, fixed: 1 })
  return new Response(null, { status: 204 })
}`,
    steps: ['insert notes as service with {state: any("set" | undefined), fixed: 1}', 'respond other 204'],
  },
]

const CLIENT_FILE = { 'clients.ts': CLIENTS }

describe('analyse', () => {
  for (const c of CASES) {
    test(c.name, () => {
      const name = /export (?:async )?(?:function|const) (\w+)/.exec(c.code)?.[1] ?? 'default'
      const behaviour = behaviourOf({ ...CLIENT_FILE, ...c.files, 'entry.ts': c.code }, {
        path: 'entry.ts',
        name,
        seeds: ['web-request', 'next-context'],
        ...c.entry,
      } as Entry)
      expect(describeSteps(behaviour)).toEqual(c.steps)
    })
  }
})

describe('entries that share modules', () => {
  const files = {
    'db.ts': `import { createClient } from '@supabase/supabase-js'
let client = null
let loaded = false
class Store { constructor() { this.seen = null } }
export const store = new Store()
function load() { if (loaded) return 'again'; loaded = true; return 'first' }
export const how = load()
export function db() {
  if (client) return client
  if (!process.env.SUPABASE_URL) throw new Error('no address')
  load()
  store.seen = 'x'
  client = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_SERVICE_ROLE_KEY)
  return client
}`,
    'a.ts': "import { db, how } from './db'\nexport async function GET() { console.log(how); return Response.json(await db().from('a').select()) }",
    'b.ts': "import { db, store } from './db'\nexport async function GET() { const d = db(); return Response.json(await d.from(store.seen ?? 'b').select()) }",
  }
  const [a, b] = ['a.ts', 'b.ts'].map((path): Entry => ({ path, name: 'GET', seeds: ['web-request'] })) as [Entry, Entry]

  test('each starts from the modules as they are loaded, whichever ran before', () => {
    const [first, second] = behavioursOf(files, [a, b])
    const [secondAlone, firstAfter] = behavioursOf(files, [b, a])
    expect(describeSteps(second as never)).toEqual(describeSteps(secondAlone as never))
    expect(describeSteps(firstAfter as never)).toEqual(describeSteps(first as never))
    expect(describeSteps(first as never).some((s) => s.startsWith('throw'))).toBe(true)
  })
})

test('a fault of this program loses one handler, says so and leaves the others as they are', () => {
  const text = 'let calls = 0\nexport async function POST() { calls += 1; await fetch(`https://example.com/${calls}`); return helper() }'
  const facts = javascript.extract(text, 'a.ts').facts
  const javascriptFiles = new Map([['a.ts', facts]])
  const program = createProgram(javascriptFiles, relativeResolver(javascriptFiles))
  const broken = {
    ...program,
    function: () => {
      throw new TypeError('nothing is there')
    },
  }
  const entry: Entry = { path: 'a.ts', name: 'POST', seeds: ['web-request'] }
  const lost = analyse(entry, broken)
  expect([lost.complete, lost.gaps?.map((g) => g.because)]).toEqual([false, [`${OWN_FAULT} (nothing is there)`]])
  expect(describeSteps(analyse(entry, program))).toEqual(describeSteps(behaviourOf({ 'a.ts': text }, entry)))
})

test('an entry that throws in the end whatever happens is followed whole', () => {
  const files = {
    'pay.ts': `'use server'
import { redirect } from 'next/navigation'
export async function pay(order: string) {
  try {
    redirect('/pay/' + order)
  } catch (error) {
    throw new Error('failed')
  }
}`,
  }
  const behaviour = behaviourOf(files, { path: 'pay.ts', name: 'pay', seeds: ['input'] })
  expect(behaviour.complete).toBe(true)
  expect(describeSteps(behaviour)).toEqual(['throw caught', 'throw if caught'])
})
