import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const npm = spawnSync('npm', ['--version']).status === 0
const root = mkdtempSync(join(tmpdir(), 'prelaunch-package-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** What a build needs: the packed files come from a copy, so that nothing of this checkout's own `dist` gets in. */
const SOURCES = ['src', 'scripts', 'bin', 'schema', 'app.yml', 'README.md', 'LICENSE', 'package.json', 'tsconfig.json', 'tsconfig.build.json']

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** Packages that an installation without development dependencies has. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { dev?: boolean; devOptional?: boolean }> }
  return Object.entries(lock.packages).flatMap(([path, p]) =>
    /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !p.dev && !p.devOptional && existsSync(path) ? [path] : [],
  )
}

describe.skipIf(!npm)('the package (needs npm)', { timeout: 300_000 }, () => {
  let packed: Packed
  const app = join(root, 'app')
  const installed = join(app, 'node_modules/prelaunch')

  beforeAll(() => {
    const source = join(root, 'source')
    mkdirSync(source)
    for (const path of SOURCES) cpSync(path, join(source, path), { recursive: true })
    mkdirSync(join(source, 'dist/src'), { recursive: true })
    writeFileSync(join(source, 'dist/src/left-over.js'), '')
    symlinkSync(resolve('node_modules'), join(source, 'node_modules'))
    const out = execFileSync('npm', ['pack', '--json', '--offline', '--pack-destination', root], {
      cwd: source,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    packed = JSON.parse(out.slice(out.search(/^\[/m)))[0]
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', join(root, packed.filename), '--strip-components=1', '-C', installed])
    for (const path of productionPackages()) {
      mkdirSync(dirname(join(app, path)), { recursive: true })
      symlinkSync(resolve(path), join(app, path))
    }
  }, 300_000)

  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(installed, 'bin/prelaunch.cjs'), ...args], {
      cwd: app,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root },
    })

  test('holds the compiled program and what it reads, and no tests, benches, sources or old builds', () => {
    const paths = packed.files.map((f) => f.path)
    for (const path of [
      'bin/prelaunch.cjs',
      'scripts/require-node.cjs',
      'dist/package.json',
      'dist/app.yml',
      'dist/src/cli.js',
      'dist/src/main.js',
      'dist/src/checks/rls/enabled.md',
      'dist/src/database/sandbox/prelude/roles.sql',
      'dist/src/platform/local/extraction-worker.js',
      'schema/report-v1.json',
      'app.yml',
      'README.md',
      'LICENSE',
    ])
      expect(paths).toContain(path)
    expect(paths.filter((p) => !/^(dist|schema)\//.test(p)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'app.yml',
      'bin/prelaunch.cjs',
      'package.json',
      'scripts/require-node.cjs',
    ])
    expect(paths.filter((p) => /\.(ts|map)$|(^|\/)(test|bench)\/|left-over/.test(p))).toEqual([])
    expect(packed.size).toBeLessThan(5 << 20)
  })

  test('brings no Node of its own, and may be published', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ name: 'prelaunch', engines: { node: '>=22.18' }, bin: { prelaunch: 'bin/prelaunch.cjs' } })
    expect([manifest.private, manifest.optionalDependencies, manifest.dependencies.node]).toEqual([undefined, undefined, undefined])
  })

  test('audits a repository from an empty folder', () => {
    const repository = join(root, 'shop')
    mkdirSync(join(repository, 'supabase/migrations'), { recursive: true })
    writeFileSync(join(repository, 'package.json'), '{"dependencies":{"@supabase/supabase-js":"2"}}')
    writeFileSync(join(repository, 'supabase/migrations/1.sql'), 'create table public.orders (id uuid primary key, user_id uuid references auth.users);\n')
    mkdirSync(join(repository, 'src'))
    writeFileSync(
      join(repository, 'src/orders.ts'),
      "import { createClient } from '@supabase/supabase-js'\nexport const orders = () => createClient('https://x.supabase.co', 'k').from('orders').select('*')\n",
    )
    const { status, stdout, stderr } = run('audit', repository, '--offline', '--format', 'json')
    expect([status, stderr]).toEqual([1, ''])
    const report = JSON.parse(stdout)
    expect(report.checks[0].findings.map((f: { subject: string; proof: string }) => [f.subject, f.proof])).toEqual([['table public.orders', 'executed']])
    expect(report.gaps).toEqual([])
  })

  test('says its version, its checks and what one of them finds', () => {
    expect(run('--version').stdout).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`)
    expect(run('checks').stdout.match(/^ +\d+ {2}[a-z]+\/[a-z-]+/gm)).toHaveLength(25)
    expect(run('explain', '1').stdout).toContain('## What it finds')
  })

  test('registers an App with its own manifest', () => {
    const module = join(installed, 'dist/src/app/setup/manifest.js')
    const out = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { manifestFor } from ${JSON.stringify(module)}; console.log(JSON.stringify(manifestFor('https://a.test/hook', 'https://a.test/back')))`,
      ],
      { cwd: root, encoding: 'utf8' },
    )
    expect(JSON.parse(out)).toMatchObject({ name: 'prelaunch', default_permissions: { contents: 'read' }, hook_attributes: { url: 'https://a.test/hook' } })
  })

  test('on a Node that is too old says what to do, in one sentence, and does not look like findings', () => {
    const old = spawnSync(
      process.execPath,
      [
        '-e',
        `Object.defineProperty(process.versions, 'node', { value: '20.19.0' }); Object.defineProperty(process, 'version', { value: 'v20.19.0' }); require(${JSON.stringify(join(installed, 'bin/prelaunch.cjs'))})`,
      ],
      { encoding: 'utf8' },
    )
    expect([old.status, old.stdout, old.stderr]).toEqual([
      3,
      '',
      'Prelaunch needs Node 22.18 or newer, but this is v20.19.0. Install Node 24 from https://nodejs.org.\n',
    ])
  })
})

test.runIf(!npm)('the package could not be tested: npm is not on the PATH', () => {
  expect(npm).toBe(false)
})
