import { describe, expect, test } from 'vitest'
import { manifest, modulesOf } from './modules-of.ts'

type Case = readonly [title: string, files: Record<string, string>, from: string, specifier: string, target: string | undefined]

const cases: Case[] = [
  ['a relative file', { 'src/a.ts': '', 'src/b.tsx': '' }, 'src/a.ts', './b', 'src/b.tsx'],
  ['a folder with an index', { 'a.ts': '', 'lib/index.js': '' }, 'a.ts', './lib', 'lib/index.js'],
  ['the folder itself', { 'lib/a.ts': '', 'lib/index.ts': '' }, 'lib/a.ts', '.', 'lib/index.ts'],
  ['a file before a folder of the same name', { 'a.ts': '', 'b.ts': '', 'b/index.ts': '' }, 'a.ts', './b', 'b.ts'],
  ['`.js` that is written as `.ts`', { 'a.ts': '', 'b.ts': '' }, 'a.ts', './b.js', 'b.ts'],
  ['`.mjs` that is written as `.mts`', { 'a.ts': '', 'b.mts': '' }, 'a.ts', './b.mjs', 'b.mts'],
  ['the source of a committed build', { 'api/a.js': '', 'dist/b.js': '', 'server/b.ts': '' }, 'api/a.js', '../dist/b.js', 'server/b.ts'],
  ['a build of which two files may be the source', { 'a.js': '', 'dist/b.js': '', 'server/b.ts': '', 'client/b.ts': '' }, 'a.js', './dist/b.js', 'dist/b.js'],
  ['a query', { 'a.ts': '', 'w.ts': '' }, 'a.ts', './w?worker', 'w.ts'],
  ['a dot in the name', { 'a.ts': '', 'b.server.ts': '' }, 'a.ts', './b.server', 'b.server.ts'],
  ['nothing outside of the repository', { 'a.ts': '' }, 'a.ts', '../../b', undefined],
  ['no package', { 'a.ts': '', 'react.ts': '' }, 'a.ts', 'react', undefined],
  [
    'tsconfig paths with comments',
    { 'tsconfig.json': '{ /* c */ "compilerOptions": { "paths": { "@/*": ["./source/*"], }, }, }', 'source/a.ts': '', 'b.ts': '' },
    'b.ts',
    '@/a',
    'source/a.ts',
  ],
  ['tsconfig baseUrl', { 'tsconfig.json': '{"compilerOptions":{"baseUrl":"src"}}', 'src/lib/a.ts': '', 'src/b.ts': '' }, 'src/b.ts', 'lib/a', 'src/lib/a.ts'],
  [
    'the first target that exists',
    { 'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./gone/*","./src/*"]}}}', 'src/a.ts': '' },
    'src/a.ts',
    '@/a',
    'src/a.ts',
  ],
  [
    'the longest prefix',
    { 'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"],"@/ui/*":["./design/*"]}}}', 'src/ui/a.ts': '', 'design/a.ts': '' },
    'src/ui/a.ts',
    '@/ui/a',
    'design/a.ts',
  ],
  ['an exact key', { 'jsconfig.json': '{"compilerOptions":{"paths":{"config":["./conf.js"]}}}', 'conf.js': '', 'a.js': '' }, 'a.js', 'config', 'conf.js'],
  [
    'a chain of extends, through a workspace package',
    {
      'apps/web/tsconfig.json': '{"extends":"@acme/tsconfig/tsconfig.next.json"}',
      'packages/tsconfig/package.json': manifest('@acme/tsconfig', []),
      'packages/tsconfig/tsconfig.next.json': '{"extends":"./tsconfig.json"}',
      'apps/web/src/a.ts': '',
      'packages/tsconfig/tsconfig.json': '{"compilerOptions":{"paths":{"#shared/*":["./shared/*"]}}}',
      'packages/tsconfig/shared/x.ts': '',
    },
    'apps/web/src/a.ts',
    '#shared/x',
    'packages/tsconfig/shared/x.ts',
  ],
  [
    'paths that a parent declares',
    {
      'tsconfig.base.json': '{"compilerOptions":{"paths":{"@lib/*":["libs/*"]}}}',
      'apps/a/tsconfig.json': '{"extends":"../../tsconfig.base.json"}',
      'libs/x.ts': '',
      'apps/a/m.ts': '',
    },
    'apps/a/m.ts',
    '@lib/x',
    'libs/x.ts',
  ],
  [
    'a configuration that extends itself',
    { 'tsconfig.json': '{"extends":"./tsconfig.json","compilerOptions":{"paths":{"~x":["./x.ts"]}}}', 'x.ts': '' },
    'x.ts',
    '~x',
    'x.ts',
  ],
  [
    'Vite alias as an object',
    {
      'vite.config.ts': "import path from 'path'\nexport default defineConfig({ resolve: { alias: { '#ui': path.resolve(__dirname, './client/ui') } } })",
      'client/ui/a.ts': '',
      'm.ts': '',
    },
    'm.ts',
    '#ui/a',
    'client/ui/a.ts',
  ],
  [
    'Vite alias as a list with a URL',
    {
      'vite.config.js': "export default { resolve: { alias: [{ find: '@app', replacement: fileURLToPath(new URL('./client/src', import.meta.url)) }] } }",
      'client/src/a.ts': '',
      'm.ts': '',
    },
    'm.ts',
    '@app/a',
    'client/src/a.ts',
  ],
  [
    'SvelteKit alias',
    { 'svelte.config.js': "export default { kit: { alias: { $db: './src/db' } } }", 'src/db/index.ts': '', 'm.ts': '' },
    'm.ts',
    '$db',
    'src/db/index.ts',
  ],
  ['$lib', { 'src/lib/server/db.ts': '', 'src/routes/+page.server.ts': '' }, 'src/routes/+page.server.ts', '$lib/server/db', 'src/lib/server/db.ts'],
  ['~/ of Remix', { 'app/lib/db.server.ts': '', 'app/routes/x.tsx': '' }, 'app/routes/x.tsx', '~/lib/db.server', 'app/lib/db.server.ts'],
  ['~~/ of Nuxt', { 'server/utils/a.ts': '', 'app/pages/x.vue': '' }, 'app/pages/x.vue', '~~/server/utils/a', 'server/utils/a.ts'],
  ['@/ without a configuration', { 'src/lib/a.ts': '', 'src/b.ts': '' }, 'src/b.ts', '@/lib/a', 'src/lib/a.ts'],
  [
    '@/ of the workspace, not of the root',
    { 'apps/a/package.json': manifest('a', []), 'apps/a/src/x.ts': '', 'src/x.ts': '' },
    'apps/a/src/x.ts',
    '@/x',
    'apps/a/src/x.ts',
  ],
  [
    'a workspace package by its main source',
    { 'packages/db/package.json': manifest('@acme/db', []), 'packages/db/src/index.ts': '', 'apps/a.ts': '' },
    'apps/a.ts',
    '@acme/db',
    'packages/db/src/index.ts',
  ],
  [
    'built files of a workspace package are read in its sources',
    { 'packages/db/package.json': manifest('@acme/db', [], { main: './dist/index.js' }), 'packages/db/src/index.ts': '', 'a.ts': '' },
    'a.ts',
    '@acme/db',
    'packages/db/src/index.ts',
  ],
  [
    'an exports map with conditions',
    { 'p/package.json': manifest('p', [], { exports: { '.': { types: './t.d.ts', default: './src/main.ts' } } }), 'p/src/main.ts': '', 'a.ts': '' },
    'a.ts',
    'p',
    'p/src/main.ts',
  ],
  [
    'an exports pattern',
    { 'p/package.json': manifest('p', [], { exports: { './*': './src/*.ts', './x/*': './other/*.ts' } }), 'p/src/a.ts': '', 'p/other/a.ts': '', 'a.ts': '' },
    'a.ts',
    'p/x/a',
    'p/other/a.ts',
  ],
  ['a sub-path without a map', { 'p/package.json': manifest('p', []), 'p/src/lib/a.ts': '', 'a.ts': '' }, 'a.ts', 'p/lib/a', 'p/src/lib/a.ts'],
  [
    'imports of package.json',
    { 'package.json': manifest('x', [], { imports: { '#db': './src/db.js', '#lib/*': './src/lib/*.js' } }), 'src/db.ts': '', 'src/lib/a.ts': '' },
    'src/db.ts',
    '#lib/a',
    'src/lib/a.ts',
  ],
  [
    'a Deno import map',
    {
      'supabase/functions/deno.json': '{"imports":{"shared/":"./_shared/","supabase":"npm:@supabase/supabase-js"}}',
      'supabase/functions/_shared/cors.ts': '',
      'supabase/functions/f/index.ts': '',
    },
    'supabase/functions/f/index.ts',
    'shared/cors.ts',
    'supabase/functions/_shared/cors.ts',
  ],
  ['a Deno import map that names a package', { 'deno.json': '{"imports":{"supabase":"npm:x"}}', 'supabase.ts': '', 'a.ts': '' }, 'a.ts', 'supabase', undefined],
  [
    '_shared of edge functions',
    { 'supabase/functions/_shared/a.ts': '', 'supabase/functions/f/index.ts': '' },
    'supabase/functions/f/index.ts',
    '../_shared/a.ts',
    'supabase/functions/_shared/a.ts',
  ],
  ['an absolute path of Vite', { 'src/main.tsx': '', 'index.ts': '' }, 'index.ts', '/src/main.tsx', 'src/main.tsx'],
  ['components of Vue and Svelte', { 'a.ts': '', 'X.vue': '', 'Y.svelte': '' }, 'a.ts', './Y.svelte', 'Y.svelte'],
]

describe('resolution', () => {
  test.each(cases)('%s', (_title, files, from, specifier, target) => {
    expect(modulesOf(files).resolve(from, specifier)).toBe(target)
  })
})

describe('definitions', () => {
  const m = modulesOf({
    'index.ts': "export * from './a'\nexport { b as renamed, default as Main } from './b'\nexport * as ns from './a'\nexport * from './loop'",
    'a.ts': 'const x = 1\nexport function a() {}\nexport { x as y }',
    'b.ts': "import { deep } from './deep'\nexport { deep as b }\nexport default class Main {}",
    'deep.ts': '\n\nexport const deep = 1',
    'loop.ts': "export * from './index'",
    'common.js': 'function f() {}\nmodule.exports = { f, g: () => 1 }',
  })
  test.each([
    ['index.ts', 'a', { path: 'a.ts', local: 'a', line: 2 }],
    ['index.ts', 'y', { path: 'a.ts', local: 'x', line: 1 }],
    ['index.ts', 'renamed', { path: 'deep.ts', local: 'deep', line: 3 }],
    ['index.ts', 'Main', { path: 'b.ts', local: 'Main', line: 3 }],
    ['index.ts', 'ns', { path: 'a.ts', local: '*', line: 1 }],
    ['index.ts', 'missing', undefined],
    ['common.js', 'f', { path: 'common.js', local: 'f', line: 1 }],
    ['common.js', 'g', { path: 'common.js', local: 'g', line: 2 }],
  ])('%s %s', (path, name, expected) => {
    expect(m.definition(path, name)).toEqual(expected)
  })
})
