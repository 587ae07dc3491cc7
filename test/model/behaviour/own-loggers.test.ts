import { describe, expect, test } from 'vitest'
import { behaviourOf, describeSteps } from './describe-behaviour.ts'

const DB = "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\n"

/** What a handler does that calls a logger of the application's own, and how often the logger's own `console` was reached. */
function runWith(logger: string, body: string): { readonly steps: readonly string[]; readonly lines: readonly number[]; readonly bodies: readonly unknown[] } {
  const behaviour = behaviourOf(
    {
      'db.ts': DB,
      'logger.ts': `import { prisma } from './db'\n${logger}`,
      'route.ts': `import { logger } from './logger'\nimport { prisma } from './db'\nexport async function GET(req: Request) {\n${body}\n}\n`,
    },
    { path: 'route.ts', name: 'GET', seeds: ['web-request'] },
  )
  return {
    steps: describeSteps({ ...behaviour, steps: behaviour.steps.filter((s) => s.effect.kind !== 'log') }),
    bodies: behaviour.steps.flatMap(({ effect: e }) => (e.kind === 'respond' ? [e.body] : [])),
    lines: behaviour.steps.filter((s) => s.effect.kind === 'log' && s.at.path === 'logger.ts').map((s) => s.at.line),
  }
}

const MASKING = `const mask = (x) => (typeof x === 'string' ? x.replace(/\\d/g, '#') : x)
export const logger = {
  info(message, context) {
    if (process.env.LOG_LEVEL === 'debug') console.debug(mask(message), context)
    console.log(mask(message))
  },
}`

describe('a logger of one’s own', () => {
  test('that only logs is followed for its first line alone', () => {
    const { steps, lines } = runWith(MASKING, "  logger.info('a')\n  logger.info('b', { id: 1 })\n  logger.info('c')\n  return Response.json({})")
    expect(lines).toEqual([5, 6])
    expect(steps).toEqual(['respond json 200'])
  })

  test.each([
    [
      'writes a row',
      'export const logger = { async error(message) { console.error(message)\n await prisma.alarm.create({ data: { message } }) } }',
      "logger.error('a')",
    ],
    [
      'does so at one level only',
      "export const logger = { async log(level, message) { console.log(message)\n if (level === 'error') await prisma.alarm.create({ data: { message } }) } }",
      "logger.log('info', 'a')\n  logger.log('error', 'b')",
    ],
    [
      'runs what it is handed',
      'export const logger = { info(message, then) { console.log(message)\n then?.() } }',
      "logger.info('a')\n  logger.info('b', () => prisma.alarm.create({ data: {} }))",
    ],
  ])('that %s is followed each time', (_, logger, calls) => {
    const { steps } = runWith(logger, `  ${calls}\n  ${calls}\n  return Response.json({})`)
    expect(steps.filter((s) => s.startsWith('insert alarm'))).toHaveLength(2)
  })

  test('that hands on what it is given is followed each time, whatever it is called', () => {
    const { bodies } = runWith(
      'export const logger = { info(message) { console.log(message)\n return message } }',
      "  logger.info('a')\n  const said = logger.info(req.headers.get('x'))\n  return Response.json(said)",
    )
    expect(bodies).toEqual([{ v: 'request', part: 'header', name: 'x' }])
  })
})
