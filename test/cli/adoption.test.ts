import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { runCli } from '../support/cli.ts'
import { GitRepository } from '../support/github/git-repository.ts'

// Several audits one after the other, each in a process of its own.
vi.setConfig({ testTimeout: 300_000 })

const root = mkdtempSync(join(tmpdir(), 'prelaunch-adoption-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const PACKAGE = '{"dependencies":{"@supabase/supabase-js":"2","next":"15"}}'
const open = (name: string) => `create table public.${name} (id uuid primary key, user_id uuid references auth.users, body text);\n`

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const dir = join(root, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

describe('a baseline', () => {
  it('accepts what is there and nothing that comes later', async () => {
    const dir = folder('old', { 'package.json': PACKAGE, 'supabase/migrations/1.sql': open('notes') })
    const written = await runCli(dir, 'baseline', '--offline')
    expect([written.status, written.stderr]).toEqual([0, ''])
    expect(written.stdout).toMatch(/^Wrote \d+ findings to .*\.prelaunch-baseline\.json\. Commit it to the base branch\.\n1 of them is Critical\./)
    const audit = () => runCli(dir, 'audit', '--offline', '--format', 'json', '--baseline', '.prelaunch-baseline.json')
    const first = await audit()
    expect([first.status, JSON.parse(first.stdout).comparison.introduced]).toEqual([0, []])
    writeFileSync(join(dir, 'supabase/migrations/2.sql'), open('more'))
    const second = await audit()
    expect([second.status, JSON.parse(second.stdout).comparison.introduced.length]).toEqual([1, 1])
    writeFileSync(join(dir, 'package.json'), '{')
    writeFileSync(join(dir, '.prelaunch-baseline.json'), '{}')
    const broken = await audit()
    expect(broken.status).toBe(2)
    expect(broken.stderr).toContain('prelaunch: .prelaunch-baseline.json is not a baseline.')
  })

  it('is read from the base: a change accepts nothing of its own', async () => {
    const repository = new GitRepository(join(root, 'shop.git'))
    repository.commit('main', { 'package.json': PACKAGE })
    repository.commit('feature', { 'supabase/migrations/1.sql': open('notes') }, { from: 'refs/heads/main' })
    const args = ['--base', 'main', '--offline', '--format', 'json']
    const own = await runCli(repository.dir, 'audit', '--commit', 'feature', ...args)
    const findings = JSON.parse(own.stdout).checks.flatMap((c: { findings: object[] }) => c.findings)
    repository.commit('accepting', { 'b.json': JSON.stringify({ version: 1, findings }) }, { from: 'refs/heads/feature' })
    const accepting = await runCli(repository.dir, 'audit', '--commit', 'accepting', ...args, '--baseline', 'b.json')
    expect(accepting.status).toBe(1)
    expect(accepting.stderr).toContain('the base has no b.json')
    const outside = await runCli(repository.dir, 'audit', '--commit', 'accepting', ...args, '--baseline', '../b.json')
    expect([outside.status, outside.stderr.split('\n')[0]]).toEqual([2, 'prelaunch: with a base, the baseline is a path in the repository'])
  })
})

describe('a repository with several projects', () => {
  const dir = folder('many', {
    'package.json': '{"workspaces":["apps/*"]}',
    'apps/web/package.json': PACKAGE,
    'apps/web/a.ts': 'export const a = 1\n',
    'apps/admin/package.json': '{"name":"admin"}',
    'apps/admin/b.ts': 'export const b = 1\n',
  })

  it('is audited as a whole, and told so', async () => {
    const run = await runCli(dir, 'audit', '--offline')
    expect(run.stderr).toBe('prelaunch: 2 projects in this repository: apps/admin, apps/web. --project PATH audits one with what it depends on.\n')
  })

  it('is audited in part with --project', async () => {
    const run = await runCli(dir, 'audit', '--offline', '--format', 'json', '--project', './apps/admin/')
    expect([run.stderr, JSON.parse(run.stdout).audit.files]).toEqual(['', 3])
    const wrong = await runCli(dir, 'audit', '--offline', '--project', 'apps/none')
    expect([wrong.status, wrong.stderr.split('\n')[0]]).toEqual([2, 'prelaunch: --project: apps/none has no package.json. Projects are apps/admin, apps/web.'])
  })
})

describe('init --agents', () => {
  it('writes the guards, clients and tables of the repository, once', async () => {
    const dir = folder('guarded', {
      'package.json': PACKAGE,
      'CLAUDE.md': '# Ours\n',
      '.cursor/rules/style.mdc': 'x\n',
      'supabase/migrations/1.sql': `${open('notes')}alter table public.notes enable row level security;\ncreate policy p on public.notes using (auth.uid() = user_id);\n${open('logs')}`,
      'lib/admin.ts':
        "import { createClient } from '@supabase/supabase-js'\nexport const admin = () => createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n",
      'lib/auth.ts':
        "import { createServerClient } from '@supabase/ssr'\nimport { cookies } from 'next/headers'\nexport async function requireUser() {\n  const supabase = createServerClient('u', 'k', { cookies: await cookies() })\n  const { data: { user } } = await supabase.auth.getUser()\n  if (!user) throw new Response('no', { status: 401 })\n  return user\n}\n",
      'app/api/notes/route.ts':
        "import { requireUser } from '../../../lib/auth'\nimport { admin } from '../../../lib/admin'\nexport async function GET() {\n  const user = await requireUser()\n  return Response.json(await admin().from('notes').select('*').eq('user_id', user.id))\n}\n",
    })
    symlinkSync('CLAUDE.md', join(dir, 'AGENTS.md'))
    const linked = await runCli(dir, 'init', '--agents')
    expect([linked.status, linked.stdout]).toEqual([1, 'left AGENTS.md alone: it is a link\nwrote CLAUDE.md\nwrote .cursor/rules/prelaunch.mdc\n'])
    expect(lstatSync(join(dir, 'AGENTS.md')).isSymbolicLink()).toBe(true)
    rmSync(join(dir, 'AGENTS.md'))
    const run = await runCli(dir, 'init', '--agents')
    expect([run.status, run.stdout]).toEqual([0, 'wrote AGENTS.md\nwrote CLAUDE.md\nwrote .cursor/rules/prelaunch.mdc\n'])
    const text = readFileSync(join(dir, 'AGENTS.md'), 'utf8')
    expect(text).toContain('`requireUser` of `lib/auth.ts` lets in a signed-in user (1 handler).')
    expect(text).toContain('- `lib/admin.ts` uses the service-role key')
    expect(text).toContain('is on for `public.notes`.')
    expect(text).toContain('is off for `public.logs`.')
    expect(readFileSync(join(dir, 'CLAUDE.md'), 'utf8')).toBe(`# Ours\n\n${text}`)
    expect(readFileSync(join(dir, '.cursor/rules/prelaunch.mdc'), 'utf8')).toMatch(/^---\ndescription: .+\nalwaysApply: true\n---\n\n+<!-- prelaunch:begin -->/)
  })
})
