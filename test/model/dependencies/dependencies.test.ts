import { describe, expect, test } from 'vitest'
import { lockfile } from '../../../src/facts/extractors/lockfile/lockfile.ts'
import { packageJson } from '../../../src/facts/extractors/package-json/package-json.ts'
import type { FactsIndex } from '../../../src/facts/facts.ts'
import type { Advisory } from '../../../src/model/dependencies/advisory.ts'
import { buildDependencies, lockedPackageKeys } from '../../../src/model/dependencies/build-dependencies.ts'
import { affects, fixedVersion } from '../../../src/model/dependencies/match-advisories.ts'
import type { ModelInput } from '../../../src/model/model-input.ts'
import { buildWorkspaces } from '../../../src/model/workspaces/workspaces.ts'

const advisory = (pkg: string, vulnerable: string, more: Partial<Advisory> = {}): Advisory => ({
  id: `GHSA-${pkg}`,
  package: pkg,
  severity: 'critical',
  summary: 'x',
  vulnerable,
  url: 'https://github.com/advisories/x',
  ...more,
})

function model(files: Record<string, unknown>, advisories: Advisory[] = []) {
  const maps = { 'package-json': new Map(), lockfile: new Map(), gitignore: new Map() } as Record<string, Map<string, unknown>>
  for (const [path, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
    if (path.endsWith('package.json')) maps['package-json']?.set(path, packageJson.extract(text, path).facts)
    else maps.lockfile?.set(path, lockfile.extract(text, path).facts)
  }
  const facts: FactsIndex = { of: (kind) => (maps[kind] ?? new Map()) as never }
  const input = { facts, advisories: { source: 'github', advisories } } as unknown as ModelInput
  return buildDependencies(input, { workspaces: buildWorkspaces(facts) })
}

describe('why a package is installed', () => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { a: '1' }, devDependencies: { d: '1' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '1' } },
      'node_modules/b': { version: '1.0.0', dependencies: { c: '1' } },
      'node_modules/c': { version: '1.0.0', dependencies: { a: '1' } },
      'node_modules/d': { version: '1.0.0', dev: true, dependencies: { c: '1', e: '1' } },
      'node_modules/e': { version: '1.0.0', dev: true },
    },
  }
  const manifest = { dependencies: { a: '1' }, devDependencies: { d: '1' } }

  test('the shortest way from a production dependency wins; circles end', () => {
    const { vulnerable } = model({ 'package.json': manifest, 'package-lock.json': lock }, [advisory('c', '< 2'), advisory('e', '*'), advisory('a', '= 1.0.0')])
    expect(vulnerable.map((v) => [v.name, v.production, v.chain.join(' > '), v.direct?.line, v.through?.name])).toEqual([
      ['a', true, 'a@1.0.0', 3, 'a'],
      ['c', true, 'a@1.0.0 > b@1.0.0 > c@1.0.0', undefined, 'a'],
      ['e', false, 'd@1.0.0 > e@1.0.0', undefined, 'd'],
    ])
  })

  test('yarn classic: the manifest decides what is direct', () => {
    const yarn = `# yarn lockfile v1\n\n\na@1:\n  version "1.0.0"\n  dependencies:\n    b "^2"\n\nb@^2:\n  version "2.0.0"\n`
    const { vulnerable } = model({ 'package.json': { devDependencies: { a: '1' } }, 'yarn.lock': yarn }, [advisory('b', '< 3')])
    expect(vulnerable.map((v) => [v.production, v.chain])).toEqual([[false, ['a@1.0.0', 'b@2.0.0']]])
  })

  test('the same version in two lock files is one entry, production first', () => {
    const dev = { lockfileVersion: 3, packages: { '': { devDependencies: { c: '1' } }, 'node_modules/c': { version: '1.0.0', dev: true } } }
    const { vulnerable } = model(
      {
        'package.json': { devDependencies: { c: '1' } },
        'package-lock.json': dev,
        'api/package.json': { dependencies: { c: '1' } },
        'api/package-lock.json': { lockfileVersion: 3, packages: { '': { dependencies: { c: '1' } }, 'node_modules/c': { version: '1.0.0' } } },
      },
      [advisory('c', '< 2')],
    )
    expect(vulnerable.map((v) => [v.lock, v.production, v.also.map((p) => p.path)])).toEqual([['api/package-lock.json', true, ['package-lock.json']]])
  })
})

test('ranges as advisories write them', () => {
  expect(affects('>= 13.0.0, < 13.5.9', '13.1.2')).toBe(true)
  expect(affects('>= 13.0.0, < 13.5.9', '13.5.9')).toBe(false)
  expect(affects('< 16.2.5', '16.2.0-canary.3')).toBe(true)
  expect(affects('= 1.2.3', '1.2.3')).toBe(true)
  expect(affects('not a range', '1.0.0')).toBe(false)
  expect(fixedVersion([advisory('a', '*', { fixedIn: '3.0.2' }), advisory('a', '*', { fixedIn: '4.2.1' })])).toBe('4.2.1')
  expect(fixedVersion([advisory('a', '*', { fixedIn: '3.0.2' }), advisory('a', '*')])).toBe(undefined)
})

test('what is asked of the advisory source', () => {
  const facts = lockfile.extract(
    JSON.stringify({ lockfileVersion: 3, packages: { '': {}, 'node_modules/b': { version: '1.0.0' }, 'node_modules/a': { version: '2.0.0' } } }),
    'package-lock.json',
  ).facts
  expect(lockedPackageKeys([facts, facts])).toEqual(['a@2.0.0', 'b@1.0.0'])
})
