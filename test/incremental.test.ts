import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type AuditPorts, audit } from '../src/audit.ts'
import { type AuditMemory, emptyMemory } from '../src/audit-memory.ts'
import { DEFAULT_CONFIG } from '../src/config/config.ts'
import type { Database } from '../src/database/database.ts'
import { FactsMemory } from '../src/facts/facts-memory.ts'
import { testDatabase } from './support/database.ts'
import { firstDifference } from './support/first-difference.ts'
import { JsonFactsCache } from './support/json-facts-cache.ts'
import { MemorySource } from './support/memory-source.ts'
import { assertReport } from './support/report-schema.ts'

/** Files that influence each other, grouped so that a rename can change what a content means. */
const POOLS: readonly { readonly paths: readonly string[]; readonly contents: readonly string[] }[] = [
  {
    paths: ['supabase/migrations/001.sql', 'supabase/migrations/002.sql', 'supabase/migrations/003.sql', 'db/notes.sql'],
    contents: [
      'create table public.notes (id uuid primary key, user_id uuid references auth.users (id), body text);\n',
      'alter table public.notes enable row level security;\ncreate policy "own" on public.notes for all to authenticated using (auth.uid() = user_id);\n',
      'create policy "all" on public.notes for select to anon using (true);\n',
      'drop policy "own" on public.notes;\n',
      'alter table public.notes rename to entries;\n',
      'create table public.broken (id uuid primary key,;\n',
      "insert into storage.buckets (id, name, public) values ('files', 'files', true);\n",
      '',
    ],
  },
  {
    paths: ['app/api/notes/route.ts', 'app/api/admin/route.ts', 'app/api/notes/route.js', 'lib/guard.ts', 'lib/guard.tsx', 'middleware.ts', 'app/page.tsx'],
    contents: [
      "import { admin } from '@/lib/guard'\nexport async function POST(request: Request) {\n  const body = await request.json()\n  await admin.from('notes').insert(body)\n  return Response.json({})\n}\n",
      "import { createClient } from '@supabase/supabase-js'\nexport const admin = createClient(process.env.URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n",
      "export async function GET() {\n  return Response.json(await (await import('@/lib/guard')).admin.from('notes').select())\n}\n",
      "'use client'\nimport { admin } from '@/lib/guard'\nexport default function Page() {\n  return <p>{String(admin)}</p>\n}\n",
      "import { NextResponse } from 'next/server'\nexport function middleware() {\n  return NextResponse.next()\n}\nexport const config = { matcher: ['/admin/:path*'] }\n",
      'export const broken = (\n',
      '',
    ],
  },
  {
    // modules that need each other's functions, values and classes, and routes that begin at different ends of them
    paths: ['lib/a.ts', 'lib/b.ts', 'lib/c.ts', 'app/api/a/route.ts', 'app/api/b/route.ts', 'app/api/c/route.ts', 'middleware.ts'],
    contents: [
      "import { b } from './b'\nimport { Keeper } from './c'\nexport const limit = b.limit + 1\nexport const a = { save: (x) => Keeper.db.from('notes').insert(x), limit }\n",
      "import { a, limit } from './a'\nexport const b = { limit: limit ?? 5, check: async (r) => (r.headers.get('x-key') === process.env.CRON_SECRET ? a : undefined) }\n",
      "import { createClient } from '@supabase/supabase-js'\nimport { b } from './b'\nexport class Keeper {\n  static db = createClient(process.env.URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n  static limit = b.limit\n}\nexport const a = { save: () => null }\n",
      "import { a } from '@/lib/a'\nexport async function POST(request: Request) {\n  return Response.json(await a.save(await request.json()))\n}\n",
      "import { b } from '@/lib/b'\nexport async function POST(request: Request) {\n  const x = await b.check(request)\n  if (!x) return new Response(null, { status: 401 })\n  return Response.json(await x.save({ n: b.limit }))\n}\n",
      "export * from './c'\nexport { b as a } from './b'\n",
      "import { NextResponse } from 'next/server'\nimport { b } from './lib/b'\nexport async function middleware(request) {\n  return (await b.check(request)) ? NextResponse.next() : new NextResponse(null, { status: 401 })\n}\n",
      "import { createClient } from '@supabase/supabase-js'\nlet client = null\nexport const b = {\n  limit: 3,\n  check: async () => {\n    if (client) return client\n    if (!process.env.URL) throw new Error('no address')\n    client = { save: (x) => createClient(process.env.URL, process.env.KEY).from('notes').insert(x) }\n    return client\n  },\n}\n",
      "import { Keeper } from '@/lib/c'\nexport async function GET() {\n  return Response.json(await Keeper.db.from('notes').select().limit(Keeper.limit))\n}\n",
    ],
  },
  {
    paths: ['.env', '.env.example', '.env.production', 'apps/web/.env.local', '.gitignore'],
    contents: ['NEXT_PUBLIC_URL=https://shop.example\n', 'STRIPE_SECRET_KEY={{stripe}}\n', '.env*\n!.env.example\n', ''],
  },
  {
    paths: ['package.json', 'package-lock.json', 'yarn.lock', 'bun.lock', 'deno.lock', 'vercel.json', 'tsconfig.json', 'supabase/config.toml'],
    contents: [
      '{"name":"shop","dependencies":{"next":"15.0.0","@supabase/supabase-js":"2.45.0"}}',
      '{"lockfileVersion":3,"packages":{"node_modules/left-pad":{"version":"1.3.0"}}}',
      '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
      '# yarn lockfile v1\n\nleft-pad@^1.0.0:\n  version "1.3.0"\n',
      '[auth.email]\notp_expiry = 86400\n',
      '{',
      '',
    ],
  },
  {
    // names that nothing imports
    paths: ['server/utils/guard.ts', 'server/utils/other.ts', 'server/api/notes.post.ts', 'server/api/other.get.ts', 'nuxt.config.ts'],
    contents: [
      "export const guard = (event) => {\n  if (getHeader(event, 'x-key') !== process.env.CRON_SECRET) throw createError({ statusCode: 401 })\n}\n",
      'export const guard = (event) => undefined\n',
      'export const admin = () => createClient(process.env.URL, process.env.SUPABASE_SERVICE_ROLE_KEY)\n',
      'export default defineEventHandler(async (event) => {\n  guard(event)\n  return prisma.note.create({ data: await readBody(event) })\n})\n',
      'export default defineEventHandler((event) => prisma.note.findMany())\n',
      'export default defineNuxtConfig({})\n',
      'export const guard = (event) => other(event)\nexport const prisma = new PrismaClient()\n',
      "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\nexport const other = (event) => guard(event)\n",
    ],
  },
  {
    // pages, the hooks that they reach through barrels, and layouts
    paths: ['app/page.tsx', 'app/inside/page.tsx', 'app/layout.tsx', 'hooks/index.ts', 'hooks/a.ts', 'hooks/b.ts'],
    contents: [
      "'use client'\nimport { useGate } from '@/hooks'\nexport default function Page() {\n  useGate()\n  return <p>secret</p>\n}\n",
      "'use client'\nimport { useGate } from '../hooks'\nexport default function Layout({ children }) {\n  useGate()\n  return <p>{children}</p>\n}\n",
      "export * from './a'\nexport * from './b'\n",
      "export * from './index'\nexport const useGate = () => undefined\n",
      "import { useRouter } from 'next/navigation'\nexport function useGate() {\n  const router = useRouter()\n  if (!globalThis.user) router.push('/login')\n}\n",
      "export { useUser as useGate } from './b'\nexport function useUser() {\n  return 1\n}\n",
    ],
  },
]
const KEY = ['sk', 'live', 'Ab3dEf6hIj9lMn2pQr5tUv8x'].join('_')

type Edit =
  | { readonly do: 'write'; readonly pool: number; readonly path: number; readonly content: number }
  | { readonly do: 'remove' | 'rename'; readonly file: number; readonly to: number }

const editOf = (pools: readonly number[]): fc.Arbitrary<Edit> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), pool: fc.constantFrom(...pools), path: fc.nat(7), content: fc.nat(8) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'rename' as const), file: fc.nat(30), to: fc.nat(7) }) },
  )
const histories = (pools: readonly number[], commits: number) =>
  fc.array(fc.array(editOf(pools), { minLength: 2, maxLength: 7 }), { minLength: 2, maxLength: commits })

/** Plays the edits: one tree for each commit. */
function treesOf(steps: readonly (readonly Edit[])[], first = POOLS[4]?.contents[0] ?? ''): Record<string, string>[] {
  const files: Record<string, string> = { 'package.json': first }
  return steps.map((edits) => {
    for (const e of edits) {
      if (e.do === 'write') {
        const pool = POOLS[e.pool] as (typeof POOLS)[number]
        files[pool.paths[e.path % pool.paths.length] as string] = (pool.contents[e.content % pool.contents.length] as string).replace('{{stripe}}', KEY)
        continue
      }
      const path = Object.keys(files).sort()[e.file % Math.max(1, Object.keys(files).length)]
      if (path === undefined) continue
      const pool = POOLS.find((p) => p.paths.includes(path))
      if (e.do === 'rename' && pool) files[pool.paths[e.to % pool.paths.length] as string] = files[path] as string
      delete files[path]
    }
    return { ...files }
  })
}

const TODAY = '2026-11-20'

/** The real sandbox, asked once for each plan: a replay depends on its plan alone, and two audits that plan alike must not cost two. */
function oncePerPlan(database: Database): Database {
  const results = new Map<string, ReturnType<Database['replay']>>()
  return {
    replay: (plan) => {
      const key = JSON.stringify(plan)
      const known = results.get(key) ?? database.replay(plan)
      results.set(key, known)
      return known
    },
  }
}
const database = oncePerPlan(testDatabase())

/** Remembers nothing from one commit to the next. */
const noMemory: AuditMemory = {
  get facts() {
    return new FactsMemory()
  },
  get model() {
    return {}
  },
  get base() {
    return undefined
  },
  set base(_) {},
}

async function reportOf(source: MemorySource, commit: string, mergeBase: string | undefined, ports: Partial<AuditPorts>): Promise<string> {
  const { report, crashes } = await audit({ commit, ...(mergeBase ? { mergeBase } : {}), config: DEFAULT_CONFIG, today: TODAY }, { source, database, ...ports })
  expect(crashes).toEqual([])
  assertReport(report)
  return JSON.stringify(report)
}

describe('an incremental audit', () => {
  /** Shared by all histories: the more it has seen, the more it could mix up. */
  const shared = new JsonFactsCache()
  let audits = 0
  afterAll(() => console.log(`${audits} commits compared`))

  const equal = async (steps: readonly (readonly Edit[])[], manifest?: string) => {
    const commits = treesOf(steps, manifest).map((files, i) => ({ name: `c${i}`, files }))
    const source = new MemorySource(commits)
    const memory = emptyMemory()
    for (let i = 0; i < commits.length; i++) {
      for (const base of i > 0 ? new Set([`c${i - 1}`, 'c0']) : [undefined]) {
        expect(
          firstDifference(await reportOf(source, `c${i}`, base, { cache: shared, memory }), await reportOf(source, `c${i}`, base, { memory: noMemory })),
        ).toBeUndefined()
        audits++
      }
    }
  }

  test('equals a full one, byte for byte, over generated histories of SQL and code', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(histories([0, 1, 2, 3, 4], 4), (steps) => equal(steps)),
      {
        numRuns: Number(process.env['INCREMENTAL_RUNS'] ?? 8),
        // Shrinking a counterexample may take longer than anybody waits.
        interruptAfterTimeLimit: 180_000,
        ...(process.env['INCREMENTAL_SEED'] ? { seed: Number(process.env['INCREMENTAL_SEED']) } : {}),
      },
    )
  })

  test('equals a full one, byte for byte, over generated histories of modules that need each other', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(histories([1, 2], 6), (steps) => equal(steps)),
      {
        numRuns: 5 * Number(process.env['INCREMENTAL_RUNS'] ?? 8),
        interruptAfterTimeLimit: 180_000,
        ...(process.env['INCREMENTAL_SEED'] ? { seed: Number(process.env['INCREMENTAL_SEED']) } : {}),
      },
    )
  })

  test('equals a full one, byte for byte, over generated histories of pages and what they reach through barrels', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(histories([6], 6), (steps) => equal(steps)),
      {
        numRuns: 5 * Number(process.env['INCREMENTAL_RUNS'] ?? 8),
        interruptAfterTimeLimit: 180_000,
        ...(process.env['INCREMENTAL_SEED'] ? { seed: Number(process.env['INCREMENTAL_SEED']) } : {}),
      },
    )
  })

  test('equals a full one, byte for byte, over generated histories of names that frameworks bring', { timeout: 240_000 }, async () => {
    const manifest = '{"name":"shop","dependencies":{"nuxt":"3.15.0","@prisma/client":"6.0.0"}}'
    await fc.assert(
      fc.asyncProperty(histories([5], 6), (steps) => equal(steps, manifest)),
      { numRuns: 5 * Number(process.env['INCREMENTAL_RUNS'] ?? 8), interruptAfterTimeLimit: 180_000 },
    )
  })

  test('follows a route again whose module takes its value from a file that changed', async () => {
    const files = {
      'package.json': '{"name":"shop","dependencies":{"next":"15.0.0","@supabase/supabase-js":"2.45.0"}}',
      'lib/db.ts': "import { client } from './client'\nexport const db = client\n",
      'app/api/notes/route.ts':
        "import { db } from '@/lib/db'\nexport async function POST(request: Request) {\n  await db.from('notes').insert(await request.json())\n  return Response.json({})\n}\n",
    }
    const open =
      "import { createClient } from '@supabase/supabase-js'\nexport const client = createClient(process.env.URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n"
    const closed = 'export const client = { from: () => ({ insert: async () => null }) }\n'
    const source = new MemorySource([open, closed, open].map((text, i) => ({ name: `c${i}`, files: { ...files, 'lib/client.ts': text } })))
    const memory = emptyMemory()
    const reports: string[] = []
    for (const commit of ['c0', 'c1', 'c2']) {
      const report = await reportOf(source, commit, undefined, { memory })
      expect(firstDifference(report, await reportOf(source, commit, undefined, { memory: noMemory }))).toBeUndefined()
      reports.push(report)
    }
    expect(firstDifference(reports[0]?.replaceAll('c0', 'c1') ?? '', reports[1] ?? '')).toBeDefined()
  })

  test('reads a file again whose new name gives its content another meaning', async () => {
    const text = '{"version":"5","npm":{"left-pad@1.3.0":{"integrity":"x"}}}'
    const cache = new JsonFactsCache()
    const source = new MemorySource([
      { name: 'yarn', files: { 'package.json': '{}', 'yarn.lock': text } },
      { name: 'deno', files: { 'package.json': '{}', 'deno.lock': text } },
      { name: 'both', files: { 'package.json': '{}', 'deno.lock': text, 'yarn.lock': text } },
    ])
    for (const commit of ['yarn', 'deno', 'both']) {
      const asked: string[][] = []
      const advisories = async (packages: readonly string[]) => {
        asked.push([...packages])
        return { source: 'github', advisories: [] } as const
      }
      const reports = [await reportOf(source, commit, undefined, { cache, advisories }), await reportOf(source, commit, undefined, { advisories })] as const
      expect(firstDifference(...reports)).toBeUndefined()
      expect(asked[0]).toEqual(asked[1])
      expect(asked[0]).toEqual(commit === 'yarn' ? [] : ['left-pad@1.3.0'])
    }
  })
})
