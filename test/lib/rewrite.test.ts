import { describe, expect, test } from 'vitest'
import { bindParameters, bindTemplate } from '../../src/lib/bind-sql.ts'
import { type Rewrite, removeEntries, replaceLiteral, setValue, swap } from '../../src/lib/rewrite.ts'
import {
  addMatchers,
  alsoEqual,
  askForVerifiedUser,
  awaitConstructEvent,
  refuseWhenUnset,
  renameVariable,
  requireVariable,
} from '../../src/lib/rewrite-javascript.ts'

/** Before and after; undefined when the lines must be left alone. */
type Case = readonly [before: string, after: string | undefined]
const check = (rewrite: Rewrite, cases: readonly Case[]) =>
  test.each(cases)('%j', (before, after) => {
    expect(rewrite(before.split('\n'))?.join('\n')).toBe(after)
  })

describe('swap', () => {
  check(swap(/\b20\b/, '30'), [
    ['a 20 b', 'a 30 b'],
    ['a 20 b 20', undefined],
    ['20\n20', undefined],
    ['none', undefined],
  ])
})

describe('setValue', () => {
  check(setValue('otp_expiry', '3600'), [
    ['otp_expiry = 86400', 'otp_expiry = 3600'],
    ['  otp_expiry=86400  # a day', '  otp_expiry=3600  # a day'],
    ['otp_expiry = "86400"', 'otp_expiry = 3600'],
    ['otp_expiry = [1, 2]', undefined],
    ['other_otp_expiry = 1', undefined],
  ])
})

describe('replaceLiteral', () => {
  check(replaceLiteral(12, 17, 'process.env.KEY'), [
    ["const k = 'value'", 'const k = process.env.KEY'],
    ["const k = 'value', b = 'c'", "const k = process.env.KEY, b = 'c'"],
    ["const k = 'value and more'", undefined],
    ['<Tag name="value">', undefined],
    ["// k is:: 'value'", undefined],
  ])
})

describe('removeEntries', () => {
  check(removeEntries('urls', ['https://*.vercel.app/**']), [
    ['urls = ["https://shop.example/**", "https://*.vercel.app/**"]', 'urls = ["https://shop.example/**"]'],
    ['urls = ["https://*.vercel.app/**"] # all', 'urls = [] # all'],
    ['urls = [\n  "https://*.vercel.app/**",\n  "https://shop.example"\n]', 'urls = [\n  "https://shop.example"\n]'],
    ['urls = ["https://shop.example"]', undefined],
    ['other = ["https://*.vercel.app/**"]', undefined],
  ])
})

describe('requireVariable', () => {
  const thrown = "(() => { throw new Error('JWT_SECRET is not set') })()"
  check(requireVariable('JWT_SECRET'), [
    ["const s = process.env.JWT_SECRET || 'changeme'", `const s = process.env.JWT_SECRET || ${thrown}`],
    ["sign(data, process.env.JWT_SECRET ?? '', {})", `sign(data, process.env.JWT_SECRET ?? ${thrown}, {})`],
    ["const s = Deno.env.get('JWT_SECRET') || ''", `const s = Deno.env.get('JWT_SECRET') || ${thrown}`],
    ["const s = process.env.JWT_SECRET || 'a' + b", undefined],
    ["const s = process.env.OTHER || 'a'", undefined],
    ["const s = process.env.JWT_SECRET || 'a' || 'b'", undefined],
  ])
})

describe('refuseWhenUnset', () => {
  check(refuseWhenUnset('CRON_SECRET'), [
    ['if (process.env.CRON_SECRET && auth !== `Bearer ${process.env.X}`) {', 'if (!process.env.CRON_SECRET || auth !== `Bearer ${process.env.X}`) {'],
    ['if (process.env.CRON_SECRET && a !== b && c) {', undefined],
    ['if (process.env.CRON_SECRET && a === b) {', undefined],
  ])
})

describe('renameVariable', () => {
  check(renameVariable('NEXT_PUBLIC_KEY', 'KEY'), [
    ['const k = process.env.NEXT_PUBLIC_KEY!', 'const k = process.env.KEY!'],
    ['const k = process.env.NEXT_PUBLIC_KEY_2', undefined],
    ['const k = import.meta.env.NEXT_PUBLIC_KEY', undefined],
  ])
})

describe('awaitConstructEvent', () => {
  check(awaitConstructEvent, [
    [
      'Deno.serve(async (req) => {\n  const event = stripe.webhooks.constructEvent(body, sig, secret)',
      'Deno.serve(async (req) => {\n  const event = await stripe.webhooks.constructEventAsync(body, sig, secret)',
    ],
    [
      'export async function POST(req: Request) {\n  event = stripe.webhooks.constructEvent(',
      'export async function POST(req: Request) {\n  event = await stripe.webhooks.constructEventAsync(',
    ],
    ['function verify(body) {\n  return stripe.webhooks.constructEvent(body, a, b)', undefined],
    ['serve(async (req) => {\n  rows.map((r) => stripe.webhooks.constructEvent(r))', undefined],
    ['  const event = stripe.webhooks.constructEvent(body, sig, secret)', undefined],
  ])
})

describe('askForVerifiedUser', () => {
  check(askForVerifiedUser, [
    [
      "  const { data: { session } } = await supabase.auth.getSession()\n  if (!session) redirect('/login')\n  return use(session.user.id, session?.user)\n}\nsession",
      "  const { data: { user } } = await supabase.auth.getUser()\n  if (!user) redirect('/login')\n  return use(user.id, user)\n}\nsession",
    ],
    ['  const { data: { session } } = await supabase.auth.getSession()\n  return fetch(url, session.access_token)\n}', undefined],
    ['  const { data: { session } } = await supabase.auth.getSession()\n  const user = session?.user\n}', undefined],
    ['  const { data: { session } } = await supabase.auth.getSession()\n  if (!session) return', undefined],
    [
      '  const { data } = await supabase.auth.getSession()\n  if (!data.session) return null\n  return data.session.user.id\n}',
      '  const { data } = await supabase.auth.getUser()\n  if (!data.user) return null\n  return data.user.id\n}',
    ],
    ['  const { data } = await supabase.auth.getSession()\n  return data.session\n}', undefined],
    ['  const { data } = await supabase.auth.getSession()\n  const { data: rows } = await read()\n}', undefined],
  ])
})

describe('alsoEqual', () => {
  check(alsoEqual('user_id', 'user.id', 2), [
    [
      "export async function DELETE(req) {\n  const { data: { user } } = await db.auth.getUser()\n  await admin.from('notes').delete().eq('id', id)\n}",
      "export async function DELETE(req) {\n  const { data: { user } } = await db.auth.getUser()\n  await admin.from('notes').delete().eq('id', id).eq('user_id', user.id)\n}",
    ],
    ["f() {\n  const row = 1\n  await admin.from('notes').delete().eq('id', id)\n}", undefined],
    ["f() {\n  const user = await u()\n  await admin.from('notes').update({}).eq('id', id).eq('team', t)\n}", undefined],
  ])
})

describe('bindTemplate', () => {
  check(bindTemplate, [
    ['await prisma.$queryRawUnsafe(`select * from a where b = ${b}`)', 'await prisma.$queryRaw`select * from a where b = ${b}`'],
    [
      "await prisma.$executeRawUnsafe<User[]>(`update a set b = '${b}' where c = ${c}`)",
      'await prisma.$executeRaw<User[]>`update a set b = ${b} where c = ${c}`',
    ],
    ['rows = await sql.unsafe(`\n  select * from a\n  where b ilike ${b}\n`)', 'rows = await sql`\n  select * from a\n  where b ilike ${b}\n`'],
    ["await prisma.$queryRawUnsafe(`select * from a where b like '%${b}%'`)", 'await prisma.$queryRaw`select * from a where b like ${`%${b}%`}`'],
    ["await prisma.$queryRawUnsafe(`select interval '${n} days'`)", undefined],
    ["await prisma.$queryRawUnsafe(`select * from a where b = '${b}' -- it's`)", undefined],
    ['await prisma.$queryRawUnsafe(`select * from ${table} where b = 1`)', undefined],
    ['await prisma.$queryRawUnsafe(`select * from a order by ${column}`)', undefined],
    ['await prisma.$queryRawUnsafe(`select * from a where b in (${list})`)', undefined],
    ['await prisma.$queryRawUnsafe(`select * from a where b = ${f(x)}`)', 'await prisma.$queryRaw`select * from a where b = ${f(x)}`'],
    ['await prisma.$queryRawUnsafe(`select * from a where b = ${b}`, c)', undefined],
    ["await prisma.$queryRawUnsafe('select ' + a)", undefined],
  ])
})

describe('bindParameters', () => {
  check(
    bindParameters((i) => `$${i}`),
    [
      [
        "const r = await pool.query(`select * from a where b = '${req.query.b}' and c like '%${c}%' limit ${n}`)",
        'const r = await pool.query(`select * from a where b = $1 and c like $2 limit $3`, [req.query.b, `%${c}%`, n])',
      ],
      ["await pool.query(`select * from a where b = 'x' and c = ${c}`);", "await pool.query(`select * from a where b = 'x' and c = $1`, [c]);"],
      ['await pool.query(`select * from a order by ${order}`)', undefined],
      ['await pool.query(`select 1`)', undefined],
    ],
  )
})

describe('addMatchers', () => {
  check(addMatchers(['/settings', '/posts/:id']), [
    ["export const config = { matcher: '/dashboard/:path*' }", "export const config = { matcher: ['/dashboard/:path*', '/settings', '/posts/:id'] }"],
    ["  matcher: ['/dashboard/:path*'],", "  matcher: ['/dashboard/:path*', '/settings', '/posts/:id'],"],
    [
      "  matcher: [\n    // pages\n    '/dashboard/:path*',\n    '/admin'\n  ],\n}",
      "  matcher: [\n    // pages\n    '/dashboard/:path*',\n    '/admin',\n    '/settings',\n    '/posts/:id',\n  ],\n}",
    ],
    ['  matcher: [...PAGES],', undefined],
    ['  matcher: PAGES,', undefined],
  ])
})
