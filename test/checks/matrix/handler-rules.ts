import type { Framework } from './frameworks.ts'

/** One sentence of a rule about handlers: what breaks it in every framework, and what only looks so. */
export interface HandlerRule {
  readonly check: number
  readonly rule: string
  readonly severity: 'Critical' | 'High' | 'Medium'
  bad(f: Framework): string
  near(f: Framework): string
}

const user = (f: Framework) => `const user = userOf(${f.header('authorization')})`
const guard = (f: Framework) => `${user(f)}\nif (!user) { ${f.answer(401)} }`
const id = (f: Framework) => `const { id } = ${f.body}`
const remove = 'await prisma.order.delete({ where: { id } })'
const removeOwn = 'await prisma.order.delete({ where: { id, userId: user.id } })'
const lines = (...all: readonly string[]) => all.join('\n')

/** The sentences of checks 16 to 19 that hold for a handler of any framework. */
export const HANDLER_RULES: readonly HandlerRule[] = [
  {
    check: 16,
    rule: 'deletes with a direct connection for anybody',
    severity: 'Critical',
    bad: (f) => lines(id(f), remove, f.answer(200)),
    near: (f) => lines(guard(f), id(f), removeOwn, f.answer(200)),
  },
  {
    check: 16,
    rule: 'a condition turned round',
    severity: 'Critical',
    bad: (f) => lines(user(f), `if (user) { ${f.answer(401)} }`, id(f), remove, f.answer(200)),
    near: (f) => lines(user(f), id(f), `if (user) { ${removeOwn}\n${f.answer(200)} }`, f.answer(401)),
  },
  {
    check: 16,
    rule: 'a result that nobody looks at',
    severity: 'Critical',
    bad: (f) => lines(`userOf(${f.header('authorization')})`, id(f), remove, f.answer(200)),
    near: (f) => lines(guard(f), 'console.log(user.id)', id(f), removeOwn, f.answer(200)),
  },
  {
    check: 16,
    rule: 'the check comes after the work',
    severity: 'Medium',
    bad: (f) => lines(id(f), remove, guard(f), f.answer(200, 'await prisma.order.findMany({ where: { userId: user.id } })')),
    near: (f) => lines(id(f), guard(f), removeOwn, f.answer(200)),
  },
  {
    check: 16,
    rule: 'a guard that lets everybody in when its variable is unset',
    severity: 'Critical',
    bad: (f) =>
      lines(
        `if (process.env.JOB_SECRET && ${f.header('x-job-secret')} !== process.env.JOB_SECRET) { ${f.answer(401)} }`,
        'await prisma.order.deleteMany()',
        f.answer(200),
      ),
    near: (f) =>
      lines(
        `if (!process.env.JOB_SECRET || ${f.header('x-job-secret')} !== process.env.JOB_SECRET) { ${f.answer(401)} }`,
        'await prisma.order.deleteMany()',
        f.answer(200),
      ),
  },
  {
    check: 16,
    rule: 'a header that anybody can send',
    severity: 'Critical',
    bad: (f) =>
      lines(
        `const userId = ${f.header('x-user-id')}`,
        `if (!userId) { ${f.answer(401)} }`,
        'await prisma.order.deleteMany({ where: { userId } })',
        f.answer(200),
      ),
    near: (f) => lines(guard(f), 'await prisma.order.deleteMany({ where: { userId: user.id } })', f.answer(200)),
  },
  {
    check: 16,
    rule: 'a paid model for everybody',
    severity: 'High',
    bad: (f) => lines(`const { prompt } = ${f.body}`, "const made = await openai.responses.create({ model: 'm', input: prompt })", f.answer(200, 'made')),
    near: (f) =>
      lines(guard(f), `const { prompt } = ${f.body}`, "const made = await openai.responses.create({ model: 'm', input: prompt })", f.answer(200, 'made')),
  },
  {
    check: 16,
    rule: 'mail to whomever the request names',
    severity: 'Critical',
    bad: (f) => lines(`const { to, text } = ${f.body}`, "await resend.emails.send({ from: 'a@example.com', to, subject: 'Hello', text })", f.answer(200)),
    near: (f) =>
      lines(guard(f), `const { to, text } = ${f.body}`, "await resend.emails.send({ from: 'a@example.com', to, subject: 'Hello', text })", f.answer(200)),
  },
  {
    check: 16,
    rule: "somebody's rows for everybody",
    severity: 'Critical',
    bad: (f) => lines(f.answer(200, 'await prisma.order.findMany()')),
    near: (f) => lines(guard(f), f.answer(200, 'await prisma.order.findMany({ where: { userId: user.id } })')),
  },
  {
    check: 17,
    rule: 'the id of the request alone chooses the row',
    severity: 'Critical',
    bad: (f) => lines(guard(f), id(f), remove, f.answer(200)),
    near: (f) =>
      lines(
        guard(f),
        id(f),
        `const row = await prisma.order.findUnique({ where: { id } })`,
        `if (row?.userId !== user.id) { ${f.answer(403)} }`,
        remove,
        f.answer(200),
      ),
  },
  {
    check: 17,
    rule: 'a row is loaded by its id alone',
    severity: 'Critical',
    bad: (f) => lines(guard(f), id(f), f.answer(200, 'await prisma.order.findUnique({ where: { id } })')),
    near: (f) => lines(guard(f), id(f), f.answer(200, 'await prisma.order.findFirst({ where: { id, userId: user.id } })')),
  },
  {
    check: 17,
    rule: 'the owner comes from the body',
    severity: 'Critical',
    bad: (f) => lines(guard(f), `const { userId, total } = ${f.body}`, 'await prisma.order.create({ data: { userId, total } })', f.answer(200)),
    near: (f) => lines(guard(f), `const { total } = ${f.body}`, 'await prisma.order.create({ data: { userId: user.id, total } })', f.answer(200)),
  },
  {
    check: 17,
    rule: 'the whole body is written',
    severity: 'High',
    bad: (f) => lines(guard(f), `const data = ${f.body}`, 'await prisma.order.update({ where: { id: data.id, userId: user.id }, data })', f.answer(200)),
    near: (f) =>
      lines(guard(f), `const { id, note } = ${f.body}`, 'await prisma.order.update({ where: { id, userId: user.id }, data: { note } })', f.answer(200)),
  },
  {
    check: 18,
    rule: 'passwords without a limit',
    severity: 'High',
    bad: (f) =>
      lines(
        `const { email, password } = ${f.body}`,
        'const found = await prisma.user.findUnique({ where: { email } })',
        `if (!found || !(await bcrypt.compare(password, found.password))) { ${f.answer(401)} }`,
        f.answer(200, '{ token: sign({ id: found.id }, process.env.JWT_SECRET) }'),
      ),
    near: (f) =>
      lines(
        `const { success } = await limiter.limit(${f.header('x-forwarded-for')} ?? '')`,
        `if (!success) { ${f.answer(429)} }`,
        `const { email, password } = ${f.body}`,
        'const found = await prisma.user.findUnique({ where: { email } })',
        `if (!found || !(await bcrypt.compare(password, found.password))) { ${f.answer(401)} }`,
        f.answer(200, '{ token: sign({ id: found.id }, process.env.JWT_SECRET) }'),
      ),
  },
  {
    check: 19,
    rule: 'text of the request in a statement',
    severity: 'Critical',
    bad: (f) => lines(guard(f), `const { q } = ${f.body}`, f.answer(200, `await prisma.$queryRawUnsafe(\`select * from products where name like '%\${q}%'\`)`)),
    near: (f) => lines(guard(f), `const { q } = ${f.body}`, f.answer(200, `await prisma.$queryRaw\`select * from products where name like \${q}\``)),
  },
  {
    check: 19,
    rule: 'text of the request in a filter string',
    severity: 'High',
    bad: (f) =>
      lines(
        guard(f),
        `const { q } = ${f.body}`,
        "const { data } = await admin.from('products').select('id').or(`name.ilike.%${q}%,code.eq.${q}`)",
        f.answer(200, 'data'),
      ),
    near: (f) =>
      lines(guard(f), `const { q } = ${f.body}`, "const { data } = await admin.from('products').select('id').ilike('name', `%${q}%`)", f.answer(200, 'data')),
  },
]

/** The helpers that the handlers import. */
export const LIBRARY: Readonly<Record<string, string>> = {
  'lib/user.ts': `import { verify } from 'jsonwebtoken'
export function userOf(token: string | null | undefined) {
  try {
    return verify(token ?? '', process.env.JWT_SECRET)
  } catch {
    return null
  }
}
`,
  'lib/clients.ts': `import { PrismaClient } from '@prisma/client'
import { createClient } from '@supabase/supabase-js'
import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
import OpenAI from 'openai'
import { Resend } from 'resend'
export const prisma = new PrismaClient()
export const admin = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_SERVICE_ROLE_KEY)
export const openai = new OpenAI()
export const resend = new Resend(process.env.RESEND_API_KEY)
export const limiter = new Ratelimit({ redis: Redis.fromEnv(), limiter: Ratelimit.slidingWindow(5, '60 s') })
`,
}

/** What a handler's file imports of them. */
export const importsOf = (lib: string): string => `import bcrypt from 'bcryptjs'
import { sign } from 'jsonwebtoken'
import { admin, limiter, openai, prisma, resend } from '${lib}/clients'
import { userOf } from '${lib}/user'`
