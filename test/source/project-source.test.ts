import { describe, expect, it } from 'vitest'
import { projectSource, projectsOf } from '../../src/source/project-source.ts'
import { MemorySource } from '../support/memory-source.ts'

const manifest = (name: string, ...dependencies: string[]) =>
  JSON.stringify({ name, dependencies: Object.fromEntries(dependencies.map((d) => [d, 'workspace:*'])) })
const FILES = {
  'package.json': manifest('root'),
  'apps/web/package.json': manifest('web', '@acme/db', 'next'),
  'apps/web/page.tsx': '',
  'apps/web/nested/package.json': manifest('nested', '@acme/mail'),
  'apps/admin/package.json': manifest('admin'),
  'apps/admin/page.tsx': '',
  'packages/db/package.json': manifest('@acme/db', '@acme/log'),
  'packages/db/client.ts': '',
  'packages/log/package.json': '{"name":"@acme/log","dependencies":[1],"devDependencies":null}',
  'packages/mail/package.json': manifest('@acme/mail'),
  'packages/broken/package.json': '{',
  'supabase/functions/send/package.json': manifest('send'),
  'supabase/migrations/1.sql': '',
  'scripts/run.ts': '',
}

const pathsOf = async (project: string) =>
  (await projectSource(new MemorySource([{ name: 'head', files: FILES }]), project).snapshot('head')).blobs.map((b) => b.path).sort()

describe('a project', () => {
  it('is a folder with a package.json below the root', async () => {
    expect(projectsOf(await new MemorySource([{ name: 'head', files: FILES }]).snapshot('head'))).toEqual([
      'apps/admin',
      'apps/web',
      'apps/web/nested',
      'packages/broken',
      'packages/db',
      'packages/log',
      'packages/mail',
    ])
  })

  it('brings what it depends on, directly or not, and what belongs to no project', async () => {
    expect(await pathsOf('apps/web')).toEqual(
      Object.keys(FILES)
        .filter((p) => !/admin|broken/.test(p))
        .sort(),
    )
  })

  it('leaves out what it does not depend on', async () => {
    const kept = await pathsOf('apps/admin')
    expect(kept.filter((p) => p.startsWith('apps/') || p.startsWith('packages/'))).toEqual(['apps/admin/package.json', 'apps/admin/page.tsx'])
    expect(kept).toContain('supabase/functions/send/package.json')
    expect(kept).toContain('scripts/run.ts')
  })

  it('with a broken manifest depends on nothing', async () => {
    expect((await pathsOf('packages/broken')).filter((p) => p.startsWith('packages/'))).toEqual(['packages/broken/package.json'])
  })

  it('has the history of its own files', async () => {
    const asked: string[] = []
    const source = new MemorySource([{ name: 'head', files: FILES }])
    const spied = Object.assign(Object.create(source), {
      history: async (_commit: string, wanted: (path: string) => boolean) => {
        asked.push(...['apps/admin/.env', 'apps/web/.env', '.env'].filter(wanted))
        return { commits: 0, complete: true, files: [], authors: [] }
      },
    })
    await projectSource(spied, 'apps/web').history('head', () => true)
    expect(asked).toEqual(['apps/web/.env', '.env'])
  })
})
