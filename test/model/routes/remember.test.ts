import { expect, test } from 'vitest'
import { audit } from '../../../src/audit.ts'
import { emptyMemory } from '../../../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../../../src/config/config.ts'
import type { Database } from '../../../src/database/database.ts'
import { firstDifference } from '../../support/first-difference.ts'
import { MemorySource } from '../../support/memory-source.ts'

const ROUTE = `import { admin } from '@/lib/db'
import { guard } from '@/lib/guard'
export async function POST(request: Request) {
  if (!guard(request)) return new Response(null, { status: 401 })
  await notify()
  await admin.from('notes').insert(await request.json())
  return Response.json({})
}
`
const GUARD = `import { secret } from './secret'
export function guard(request: Request) {
  return request.headers.get('x-key') === secret
}
export const other = 1
`
const SECRET = "import { Keys } from './keys'\nimport { first } from './first'\nexport const secret = first ?? Keys.cron\n"
const KEYS = "import { name } from './name'\nexport class Keys {\n  static cron = process.env[name]\n  static later() {\n    return 1\n  }\n}\n"
const FILES = {
  'package.json': '{"name":"shop","dependencies":{"next":"15.0.0","@supabase/supabase-js":"2.45.0"}}',
  'app/api/notes/route.ts': ROUTE,
  'lib/guard.ts': GUARD,
  'lib/secret.ts': SECRET,
  'lib/keys.ts': KEYS,
  'lib/name.ts': "export const name = 'CRON_SECRET'\n",
  'lib/first.ts': 'export const first = undefined\n',
  'lib/db.ts': "export * from './client'\n",
  'lib/client.ts':
    "import { createClient } from '@supabase/supabase-js'\nexport const admin = createClient(process.env.URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n",
}
const NO_DATABASE: Database = {
  replay: () => Promise.reject(new Error('there is no SQL')),
}

/** A change, and whether the route has to be followed again. */
const CHANGES: readonly (readonly [string, Readonly<Record<string, string | undefined>>, 'kept' | 'followed again'])[] = [
  ['a function below the one that is called', { 'lib/guard.ts': `${GUARD}export function added() {\n  return 2\n}\n` }, 'kept'],
  ['another value of the same module', { 'lib/guard.ts': GUARD.replace('other = 1', 'other = guard') }, 'kept'],
  ['a further export of a file that hands everything on', { 'lib/db.ts': "export * from './client'\nexport const limit = 3\n" }, 'kept'],
  ['a declaration in the file of the route', { 'app/api/notes/route.ts': `${ROUTE}const unused = 3\n` }, 'kept'],
  ['a function below a class whose static member is read', { 'lib/keys.ts': `${KEYS}export const added = () => 1\n` }, 'kept'],
  ['what a static member takes from another file', { 'lib/name.ts': "export const name = 'OTHER'\n" }, 'followed again'],
  ['a static member', { 'lib/keys.ts': KEYS.replace('process.env[name]', "'x'") }, 'followed again'],
  ['a file that nothing reads', { 'lib/other.ts': 'export const x = 1\n' }, 'kept'],
  ['the body of a function that is called', { 'lib/guard.ts': GUARD.replace('===', '!==') }, 'followed again'],
  ['a line above a function that is called', { 'lib/guard.ts': `\n${GUARD}` }, 'followed again'],
  ['a value that a function reads', { 'lib/secret.ts': "export const secret = 'x'\n" }, 'followed again'],
  ['an assignment to it', { 'lib/secret.ts': "export let secret\nsecret = 'x'\n" }, 'followed again'],
  ['where an import leads', { 'lib/secret.ts': undefined, 'lib/secret/index.ts': "export const secret = 'x'\n" }, 'followed again'],
  ['an export that goes before what is handed on', { 'lib/db.ts': "export * from './client'\nexport const admin = { from: () => null }\n" }, 'followed again'],
  ['something else that is handed on', { 'lib/db.ts': "export * from './other'\n" }, 'followed again'],
  ['a declaration of a name that was global', { 'app/api/notes/route.ts': `${ROUTE}const notify = () => fetch('https://x.example')\n` }, 'followed again'],
]

test.each(CHANGES)('%s', async (_, changed, expected) => {
  const after = Object.fromEntries(Object.entries({ ...FILES, ...changed }).filter((e): e is [string, string] => e[1] !== undefined))
  const source = new MemorySource([
    { name: 'before', files: FILES },
    { name: 'after', files: after },
  ])
  const memory = emptyMemory()
  const reportOf = async (commit: string, kept = emptyMemory()) =>
    (await audit({ commit, config: DEFAULT_CONFIG, today: '2026-11-20' }, { source, database: NO_DATABASE, memory: kept })).report
  const route = () => [...(memory.model.routes?.answers ?? [])].find(([name]) => name.startsWith('\0route'))?.[1].answer
  await reportOf('before', memory)
  const followed = route()
  expect(followed).toBeDefined()
  const incremental = await reportOf('after', memory)
  expect(firstDifference(JSON.stringify(incremental), JSON.stringify(await reportOf('after')))).toBeUndefined()
  expect(route() === followed ? 'kept' : 'followed again').toBe(expected)
})

const PAGE = "'use client'\nimport { useGate } from '@/hooks'\nexport default function Page() {\n  useGate()\n  return <p>secret</p>\n}\n"
const GATE =
  "import { useRouter } from 'next/navigation'\nexport function useGate() {\n  const router = useRouter()\n  if (!globalThis.user) router.push('/login')\n}\n"
const PAGES = {
  'package.json': FILES['package.json'],
  'app/inside/page.tsx': PAGE,
  'hooks/index.ts': "export * from './other'\nexport * from './gate'\n",
  'hooks/gate.ts': GATE,
  'hooks/other.ts': 'export const other = 1\n',
}

/** A change, and whether the signs of the page have to be looked for again. */
const SIGNS: readonly (readonly [string, Readonly<Record<string, string>>, 'kept' | 'looked for again'])[] = [
  ['another export behind the barrel', { 'hooks/other.ts': 'export const other = 1\nexport const more = 2\n' }, 'kept'],
  ['a file that stands in the way of the name', { 'hooks/other.ts': 'export const useGate = () => undefined\n' }, 'looked for again'],
  ['the hook', { 'hooks/gate.ts': GATE.replace("'/login'", "'/welcome'") }, 'looked for again'],
  ['the barrel', { 'hooks/index.ts': "export * from './other'\n" }, 'looked for again'],
]

test.each(SIGNS)('signs of a page: %s', async (_, changed, expected) => {
  const source = new MemorySource([
    { name: 'before', files: PAGES },
    { name: 'after', files: { ...PAGES, ...changed } },
  ])
  const memory = emptyMemory()
  const reportOf = async (commit: string, kept = emptyMemory()) =>
    (await audit({ commit, config: DEFAULT_CONFIG, today: '2026-11-20' }, { source, database: NO_DATABASE, memory: kept })).report
  const signs = () => [...(memory.model.routes?.answers ?? [])].find(([name]) => name.startsWith('\0signs'))?.[1]
  await reportOf('before', memory)
  const found = signs()
  expect(found?.answer).toMatchObject({ signs: { redirects: { path: 'hooks/gate.ts', line: 4 } } })
  const incremental = await reportOf('after', memory)
  expect(firstDifference(JSON.stringify(incremental), JSON.stringify(await reportOf('after')))).toBeUndefined()
  expect(signs() === found ? 'kept' : 'looked for again').toBe(expected)
})
