import { describe, expect, test } from 'vitest'
import { behaviourOf, describeSteps } from './describe-behaviour.ts'

const CLIENT = `import { PrismaClient } from '@prisma/client'
export const prisma = new PrismaClient()
export class ApiError extends Error {
  constructor(public code: string, message: string) { super(message) }
}`

/** The steps of a handler that refuses in two places and answers what is thrown by `answer`. */
const stepsOf = (answer: string, first: string, second: string): readonly string[] =>
  describeSteps(
    behaviourOf(
      {
        'db.ts': CLIENT,
        'route.ts': `import { ApiError, prisma } from './db'
import { waitUntil } from '@vercel/functions'
const STATUS = { unauthorized: 401, not_found: 404 }
export async function GET(req: Request) {
  try {
    if (!req.headers.get('x-a')) throw ${first}
    if (!req.headers.get('x-b')) throw ${second}
    return Response.json(await prisma.note.findMany())
  } catch (error) {
    ${answer}
  }
}`,
      },
      { path: 'route.ts', name: 'GET', seeds: ['web-request'] },
    ),
  )

const read = (first: string, second: string) => `select note as service if header.x-a (else ${first}) and header.x-b (else ${second})`

describe('what a handler answers for what is thrown', () => {
  test.each([
    ['errors that differ in their words', 'return Response.json({}, { status: 500 })', "new Error('One thing')", "new Error('Another thing')", 500, 500],
    [
      'a handler that looks at the words',
      "return Response.json({}, { status: error.message === 'Another thing' ? 404 : 500 })",
      "new Error('One thing')",
      "new Error('Another thing')",
      500,
      404,
    ],
    [
      'a handler that looks for a part of the words',
      "if (error.message.includes('Another')) return new Response(null, { status: 404 })\n    return new Response(null, { status: 500 })",
      "new Error('One thing')",
      "new Error('Another thing')",
      500,
      404,
    ],
    [
      'words that are put into the answer, or a text in their place',
      "return Response.json({ error: error.message || 'Failed' }, { status: typeof error.message === 'string' ? 400 : 500 })",
      "new Error('One thing')",
      "new Error('Another thing')",
      400,
      400,
    ],
    [
      'errors of one class with codes',
      'return Response.json({}, { status: STATUS[error.code] })',
      "new ApiError('unauthorized', 'Sign in first')",
      "new ApiError('not_found', 'No such thing')",
      401,
      404,
    ],
    [
      'what goes on behind the answer',
      'waitUntil(prisma.log.create({ data: { words: error.message } }))\n    return Response.json({}, { status: 400 })',
      "new Error('One thing')",
      "new Error('Another thing')",
      400,
      400,
    ],
  ])('%s', (_, answer, first, second, status, other) => {
    expect(stepsOf(answer, first, second)).toContain(read(`respond ${status}`, `respond ${other}`))
  })

  test('a status that is looked up by something unknown is not the usual one', () => {
    const steps = stepsOf("return Response.json({}, { status: STATUS[req.headers.get('x-c')] })", "new Error('a b')", "new Error('c d')")
    expect(steps).toContain(read('respond', 'respond'))
  })

  test('what runs behind the answer happens all the same', () => {
    const steps = stepsOf('waitUntil(prisma.log.create({ data: {} }))\n    return new Response(null, { status: 400 })', "new Error('a b')", "new Error('c d')")
    expect(steps.filter((s) => s.startsWith('insert log'))).toHaveLength(1)
  })
})

test('a procedure behind middleware that goes on in two ways is followed once', () => {
  const steps = describeSteps(
    behaviourOf(
      {
        'db.ts': CLIENT,
        'trpc.ts': `import { initTRPC, TRPCError } from '@trpc/server'
const t = initTRPC.create()
export const timed = t.middleware(async (opts) => {
  if (!process.env.TIMED) return opts.next()
  const result = await opts.next()
  console.log(result.ok)
  return result
})
export const signedIn = t.middleware(async ({ ctx, next }) => {
  if (ctx.internal) return next({ ctx })
  if (!ctx.session) throw new TRPCError({ code: 'UNAUTHORIZED' })
  return next({ ctx: { session: ctx.session } })
})`,
        'notes.ts': "import { prisma } from './db'\nexport const list = ({ ctx }) => prisma.note.findMany({ where: { by: ctx.session?.id } })",
      },
      {
        path: 'notes.ts',
        name: 'list',
        seeds: ['trpc-options'],
        before: [
          { path: 'trpc.ts', name: 'timed', seeds: ['trpc-options'] },
          { path: 'trpc.ts', name: 'signedIn', seeds: ['trpc-options'] },
        ],
      },
    ),
  )
  expect(steps.filter((s) => s.startsWith('select note'))).toHaveLength(1)
  expect(steps.find((s) => s.startsWith('select note'))).toContain('if (')
})
