import { describe, expect, test } from 'vitest'
import { manifest, modulesOf } from './modules-of.ts'

/** Paths by side, in order. */
function sides(files: Record<string, string>): Record<string, string[]> {
  const m = modulesOf(files)
  const found: Record<string, string[]> = {}
  for (const path of m.files) found[m.side(path)] = [...(found[m.side(path)] ?? []), path]
  return found
}

describe('Next.js App Router', () => {
  const files = {
    'package.json': manifest('web', ['next']),
    'app/layout.tsx': "import { Nav } from '../components/nav'\nimport { db } from '../lib/db'\nexport default () => <Nav user={db} />",
    'app/api/x/route.ts': "import { db } from '../../../lib/db'\nexport const GET = () => db",
    'components/nav.tsx':
      "'use client'\nimport { format } from '../lib/format'\nimport { save } from '../lib/actions'\nimport type { Db } from '../lib/db'\nexport const Nav = () => <p onClick={save}>{format(1)}</p>",
    'components/dead.tsx': "'use client'\nimport { db } from '../lib/db'\nexport const Dead = () => db",
    'lib/actions.ts': "'use server'\nimport { db } from './db'\nexport const save = async () => db",
    'lib/db.ts': "import 'server-only'\nexport const db = 1",
    'lib/format.ts': 'export const format = (n) => n',
    'middleware.ts': "import { format } from './lib/format'\nexport const middleware = () => format(1)",
  }

  test('the walk from the server ends at use client, the walk from the browser at use server', () => {
    expect(sides(files)).toEqual({
      client: ['components/nav.tsx'],
      server: ['app/api/x/route.ts', 'app/layout.tsx', 'lib/db.ts', 'middleware.ts'],
      both: ['lib/format.ts'],
      unreached: ['components/dead.tsx', 'lib/actions.ts'],
    })
  })

  test('an entry says why, a chain says how', () => {
    const m = modulesOf(files)
    expect(m.clientEntries).toEqual([{ path: 'components/nav.tsx', because: "'use client' module rendered by app/layout.tsx" }])
    expect(m.clientChain('lib/format.ts')).toEqual(['components/nav.tsx', 'lib/format.ts'])
    expect(m.clientImports('lib/format.ts')).toEqual([{ path: 'components/nav.tsx', line: 2 }])
    expect(m.clientChain('lib/db.ts')).toBeUndefined()
    expect(m.importers('lib/db.ts')).toEqual([
      { path: 'app/api/x/route.ts', line: 1 },
      { path: 'app/layout.tsx', line: 2 },
      { path: 'components/dead.tsx', line: 2 },
      { path: 'lib/actions.ts', line: 2 },
    ])
  })

  test('actions that a page uses are server code', () => {
    expect(sides({ ...files, 'app/page.tsx': "import { save } from '../lib/actions'\nexport default () => <form action={save} />" }).server).toContain(
      'lib/actions.ts',
    )
  })
})

describe('what compilers strip', () => {
  test('data functions of the Pages Router, and what only they use', () => {
    const m = modulesOf({
      'package.json': manifest('web', ['next']),
      'pages/index.tsx':
        "import { db } from '../lib/db'\nimport { format } from '../lib/format'\nconst load = () => db.all()\nexport const getServerSideProps = async () => ({ props: { rows: load() } })\nexport default function Page({ rows }) {\n  return <p>{format(rows)}</p>\n}",
      'pages/api/x.ts': "import { db } from '../../lib/db'\nexport default () => db",
      'pages/_document.tsx': "import { db } from '../lib/db'\nexport default () => db",
      'lib/db.ts': 'export const db = 1',
      'lib/format.ts': 'export const format = (x) => x',
    })
    expect(m.side('lib/db.ts')).toBe('server')
    expect(m.side('lib/format.ts')).toBe('both')
    expect([3, 4, 6].map((l) => m.inBrowser('pages/index.tsx', l))).toEqual([false, false, true])
  })

  test('loaders of React Router, also in modules that routes.ts names', () => {
    const m = modulesOf({
      'package.json': manifest('web', ['react-router'], { devDependencies: { '@react-router/dev': '7.0.0' } }),
      'app/routes.ts': "import { route } from '@react-router/dev/routes'\nexport default [route('/x', './pages/x.tsx')]",
      'app/pages/x.tsx':
        "import { db } from '../db'\nimport { ui } from '../ui'\nimport { secret } from '../secret.server'\nexport async function loader() { return db }\nexport default () => <p>{ui}{secret}</p>",
      'app/db.ts': 'export const db = 1',
      'app/ui.ts': 'export const ui = 1',
      'app/secret.server.ts': 'export const secret = 1',
    })
    expect(['app/db.ts', 'app/ui.ts', 'app/secret.server.ts'].map((p) => m.side(p))).toEqual(['server', 'both', 'server'])
  })

  test('server functions of TanStack Start in any module', () => {
    const m = modulesOf({
      'package.json': manifest('web', ['@tanstack/react-start', '@tanstack/react-router']),
      'src/routes/index.tsx': "import { list } from '../functions'\nexport const Route = createFileRoute('/')({ loader: () => list() })",
      'src/functions.ts':
        "import { createServerFn } from '@tanstack/react-start'\nimport { db } from './db'\nexport const list = createServerFn({ method: 'GET' })\n  .validator((x) => x)\n  .handler(async () => {\n    return db\n  })",
      'src/db.ts': 'export const db = 1',
    })
    expect(m.clientChain('src/functions.ts')).toEqual(['src/routes/index.tsx', 'src/functions.ts'])
    expect(m.clientChain('src/db.ts')).toBeUndefined()
    expect(m.inBrowser('src/functions.ts', 6)).toBe(false)
  })
})

describe('entries', () => {
  const entriesOf = (files: Record<string, string>) => modulesOf(files).clientEntries.map((e) => `${e.path}: ${e.because}`)

  test('scripts of HTML, also in a workspace', () => {
    expect(
      entriesOf({
        'apps/web/package.json': manifest('web', ['vite']),
        'apps/web/index.html': '<script src="https://cdn.example/x.js"></script>\n<script type="module" src="/src/start.tsx"></script>',
        'apps/web/src/start.tsx': '',
        'apps/web/src/main.tsx': '',
      }),
    ).toEqual(['apps/web/src/start.tsx: loaded by apps/web/index.html'])
  })

  test('a bundler without HTML, a library, a server', () => {
    expect(entriesOf({ 'package.json': manifest('a', ['react-scripts']), 'src/index.js': '' })).toEqual(['src/index.js: entry of the bundle'])
    expect(entriesOf({ 'package.json': manifest('a', ['vite']), 'src/index.ts': '' })).toEqual([])
    expect(entriesOf({ 'package.json': manifest('a', ['express', 'webpack']), 'src/index.ts': '' })).toEqual([])
  })

  test('Expo Router without its API routes', () => {
    expect(entriesOf({ 'package.json': manifest('a', ['expo', 'expo-router']), 'app/_layout.tsx': '', 'app/users+api.ts': '' })).toEqual([
      'app/_layout.tsx: route of Expo Router',
    ])
  })

  test('a browser extension, its sources in TypeScript', () => {
    expect(
      entriesOf({
        'manifest.json': '{"manifest_version":3,"background":{"service_worker":"src/background.js"},"content_scripts":[{"js":["src/content.ts"]}]}',
        'src/background.ts': '',
        'src/content.ts': '',
      }),
    ).toEqual(['src/background.ts: script of the browser extension (manifest.json)', 'src/content.ts: script of the browser extension (manifest.json)'])
  })

  test('SvelteKit', () => {
    const m = modulesOf({
      'package.json': manifest('a', ['@sveltejs/kit']),
      'src/routes/+page.svelte': "<script>\nimport { api } from '$lib/api'\nimport { env } from '$lib/private'\n</script>",
      'src/routes/+page.ts': 'export const load = () => 1',
      'src/routes/+page.server.ts': "import { db } from '$lib/server/db'\nexport const load = () => db",
      'src/routes/x/+server.ts': '',
      'src/lib/api.ts': "import { db } from './server/db'\nexport const api = db",
      'src/lib/private.ts': "import { KEY } from '$env/static/private'\nexport const env = KEY",
      'src/lib/server/db.ts': 'export const db = 1',
    })
    expect(m.clientEntries.map((e) => e.path)).toEqual(['src/routes/+page.svelte', 'src/routes/+page.ts'])
    expect(['src/lib/api.ts', 'src/lib/server/db.ts', 'src/lib/private.ts'].map((p) => m.clientChain(p) !== undefined)).toEqual([true, false, false])
    expect(m.side('src/routes/x/+server.ts')).toBe('server')
  })

  test('Nuxt: names that are in scope without an import', () => {
    const m = modulesOf({
      'package.json': manifest('a', ['nuxt']),
      'pages/index.vue': '<script setup>\nconst { x } = useThing()\n</script>',
      'composables/useThing.ts': 'export const useThing = () => formatDate(1)',
      'composables/unused.ts': 'export const useNothing = () => 1',
      'utils/date.ts': 'export const formatDate = (d) => d',
      'server/api/x.get.ts': 'export default defineEventHandler(() => useDb())',
      'server/utils/db.ts': 'export const useDb = () => 1',
    })
    expect(m.autoImport('pages/index.vue', 'useThing')).toEqual({ path: 'composables/useThing.ts', imported: 'useThing' })
    expect(m.autoImport('pages/index.vue', 'useDb')).toBeUndefined()
    expect(m.autoImport('server/api/x.get.ts', 'useDb')).toEqual({ path: 'server/utils/db.ts', imported: 'useDb' })
    expect(m.clientChain('utils/date.ts')).toEqual(['pages/index.vue', 'composables/useThing.ts', 'utils/date.ts'])
    expect(['composables/unused.ts', 'server/utils/db.ts'].map((p) => m.side(p))).toEqual(['unreached', 'server'])
  })

  test('Astro: scripts and hydrated components of what is rendered', () => {
    const m = modulesOf({
      'package.json': manifest('a', ['astro']),
      'src/pages/index.astro': "---\nimport Card from '../components/Card.astro'\nimport { db } from '../db'\n---\n<Card rows={db} />",
      'src/components/Card.astro':
        "---\nimport Cart from './Cart'\nimport Static from './Static'\n---\n<Cart client:visible />\n<Static />\n<script>\nimport '../track'\n</script>",
      'src/components/Unused.astro': "---\nimport Cart from './Other'\n---\n<Cart client:load />",
      'src/components/Cart.tsx': '',
      'src/components/Static.tsx': '',
      'src/components/Other.tsx': '',
      'src/track.ts': '',
      'src/db.ts': 'export const db = 1',
    })
    expect(m.clientEntries.map((e) => e.path)).toEqual(['src/components/Card.astro', 'src/components/Cart.tsx'])
    expect(['src/track.ts', 'src/db.ts', 'src/components/Static.tsx', 'src/components/Other.tsx'].map((p) => m.side(p))).toEqual([
      'client',
      'server',
      'server',
      'unreached',
    ])
    expect([2, 8].map((l) => m.inBrowser('src/components/Card.astro', l))).toEqual([false, true])
  })

  test('edge functions, serverless functions and started programs are servers', () => {
    expect(
      sides({
        'package.json': manifest('a', [], { scripts: { start: 'node ./backend/run.js --port 1' } }),
        'backend/run.js': "require('./db')",
        'backend/db.js': '',
        'api/hello.ts': '',
        'netlify/functions/x.ts': '',
        'supabase/functions/f/index.ts': "import '../_shared/a.ts'",
        'supabase/functions/_shared/a.ts': '',
      }),
    ).toEqual({
      server: ['api/hello.ts', 'backend/db.js', 'backend/run.js', 'netlify/functions/x.ts', 'supabase/functions/_shared/a.ts', 'supabase/functions/f/index.ts'],
    })
  })
})
