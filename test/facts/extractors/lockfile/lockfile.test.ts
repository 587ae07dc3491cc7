import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lockfile } from '../../../../src/facts/extractors/lockfile/lockfile.ts'

const extract = (path: string, text: string) => lockfile.extract(text, path)
/** `name@version:line>requires` in short. */
const short = (path: string, text: string) => {
  const { facts, problems } = extract(path, text)
  expect(problems).toEqual([])
  return {
    packages: facts.packages.map((p) => `${p.name}@${p.version}:${p.line}${p.dev ? ' dev' : ''}${p.requires.length ? ` > ${p.requires.join(' ')}` : ''}`),
    direct: facts.importers.flatMap((i) => i.dependencies.map((d) => `${i.dir}/${d.name}=${d.resolved}${d.dev ? ' dev' : ''}`)),
  }
}

describe('npm', () => {
  test('version 3: nested installations, aliases, workspaces, development', () => {
    const lock = {
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { a: '^1', alias: 'npm:real@^2' }, devDependencies: { d: '1' }, workspaces: ['packages/*'] },
        'packages/w': { dependencies: { b: '^2' } },
        'packages/w/node_modules/b': { version: '2.0.0' },
        'node_modules/a': { version: '1.0.0', dependencies: { b: '^1' } },
        'node_modules/b': { version: '1.5.0' },
        'node_modules/alias': { name: 'real', version: '2.1.0' },
        'node_modules/d': { version: '1.0.0', dev: true, dependencies: { b: '^1' } },
        'node_modules/w': { resolved: 'packages/w', link: true },
      },
    }
    expect(short('package-lock.json', JSON.stringify(lock, null, 2))).toEqual({
      packages: ['a@1.0.0:24 > b@1.5.0', 'b@1.5.0:30', 'b@2.0.0:21', 'd@1.0.0:37 dev > b@1.5.0', 'real@2.1.0:33'],
      direct: ['/a=a@1.0.0', '/alias=real@2.1.0', '/d=d@1.0.0 dev', 'packages/w/b=b@2.0.0'],
    })
  })

  test('version 2 keeps the old tree beside the packages: the packages count, once', () => {
    const lock = {
      name: 'shop',
      lockfileVersion: 2,
      packages: {
        '': { dependencies: { a: '^1' } },
        'node_modules/a': { version: '1.0.0', dependencies: { b: '^2' } },
        'node_modules/b': { version: '2.0.0' },
      },
      dependencies: { a: { version: '1.0.0', requires: { b: '^2' } }, b: { version: '2.0.0' } },
    }
    expect(short('package-lock.json', JSON.stringify(lock))).toEqual({ packages: ['a@1.0.0:1 > b@2.0.0', 'b@2.0.0:1'], direct: ['/a=a@1.0.0'] })
  })

  test('version 1: the nearest enclosing package wins', () => {
    const lock = {
      lockfileVersion: 1,
      dependencies: {
        a: { version: '1.0.0', requires: { b: '^2', c: '^1' }, dependencies: { b: { version: '2.0.0', requires: { c: '^1' } } } },
        b: { version: '1.0.0', dev: true },
        c: { version: '1.0.0' },
      },
    }
    const { facts } = extract('x/npm-shrinkwrap.json', JSON.stringify(lock, null, 1))
    expect(facts.packages.map((p) => `${p.name}@${p.version}:${p.line} > ${p.requires}`)).toEqual([
      'a@1.0.0:4 > b@2.0.0,c@1.0.0',
      'b@1.0.0:19 > ',
      'b@2.0.0:11 > c@1.0.0',
      'c@1.0.0:23 > ',
    ])
    expect(facts.packages.find((p) => p.version === '1.0.0' && p.name === 'b')?.dev).toBe(true)
    expect(facts.resolutions).toEqual({ a: 'a@1.0.0', b: 'b@1.0.0', c: 'c@1.0.0' })
  })
})

describe('pnpm', () => {
  test('version 9: snapshots, peers, workspaces', () => {
    const lock = `lockfileVersion: '9.0'
importers:
  .:
    devDependencies:
      d:
        specifier: ^1.0.0
        version: 1.0.0
  apps/web:
    dependencies:
      '@s/a':
        specifier: ^1.0.0
        version: 1.0.0(react@18.2.0)
      shared:
        specifier: workspace:*
        version: link:../shared
packages:
  '@s/a@1.0.0':
    resolution: {integrity: x}
  d@1.0.0:
    resolution: {integrity: x}
  react@18.2.0:
    resolution: {integrity: x}
snapshots:
  '@s/a@1.0.0(react@18.2.0)':
    dependencies:
      react: 18.2.0
  d@1.0.0: {}
  react@18.2.0: {}
`
    expect(short('pnpm-lock.yaml', lock)).toEqual({
      packages: ['@s/a@1.0.0:17 > react@18.2.0', 'd@1.0.0:19', 'react@18.2.0:21'],
      direct: ['/d=d@1.0.0 dev', 'apps/web/@s/a=@s/a@1.0.0'],
    })
  })

  test('version 6 and version 5 spell packages differently', () => {
    const six = `lockfileVersion: '6.0'\ndependencies:\n  a:\n    specifier: ^1\n    version: 1.0.0(b@2.0.0)\npackages:\n\n  /a@1.0.0(b@2.0.0):\n    dependencies:\n      b: 2.0.0\n    dev: false\n\n  /b@2.0.0:\n    dev: true\n`
    expect(short('pnpm-lock.yaml', six)).toEqual({ packages: ['a@1.0.0:8 > b@2.0.0', 'b@2.0.0:13 dev'], direct: ['/a=a@1.0.0'] })
    const five = `lockfileVersion: 5.4\nspecifiers:\n  '@s/a_b': ^1\ndependencies:\n  '@s/a_b': 1.0.0_b@2.0.0\npackages:\n  /@s/a_b/1.0.0_b@2.0.0:\n    dependencies:\n      b: 2.0.0\n  /b/2.0.0:\n    dev: false\n`
    expect(short('pnpm-lock.yaml', five)).toEqual({ packages: ['@s/a_b@1.0.0:7 > b@2.0.0', 'b@2.0.0:10'], direct: ['/@s/a_b=@s/a_b@1.0.0'] })
  })
})

describe('yarn', () => {
  test('classic', () => {
    const lock = `# yarn lockfile v1\n\n\na@^1.0.0, a@^1.1.0:\n  version "1.2.0"\n  resolved "https://registry.yarnpkg.com/a"\n  dependencies:\n    "@s/b" "^2.0.0"\n\n"@s/b@^2.0.0":\n  version "2.0.1"\n\n"x@npm:real@^3":\n  version "3.0.0"\n`
    expect(short('yarn.lock', lock).packages).toEqual(['@s/b@2.0.1:10', 'a@1.2.0:4 > @s/b@2.0.1', 'real@3.0.0:13'])
    expect(extract('yarn.lock', lock).facts.resolutions).toEqual({
      'a@^1.0.0': 'a@1.2.0',
      'a@^1.1.0': 'a@1.2.0',
      '@s/b@^2.0.0': '@s/b@2.0.1',
      'x@npm:real@^3': 'real@3.0.0',
    })
  })

  test('berry: workspaces and patches', () => {
    const lock = `__metadata:
  version: 8

"a@npm:^1.0.0, a@npm:^1.1.0":
  version: 1.2.0
  resolution: "a@npm:1.2.0"
  dependencies:
    b: "npm:^2.0.0"
  languageName: node

"b@npm:^2.0.0":
  version: 2.0.1
  resolution: "b@npm:2.0.1"

"b@patch:b@npm%3A^2.0.0#./fix.patch":
  version: 2.0.1
  resolution: "b@patch:b@npm%3A2.0.1#./fix.patch::version=2.0.1"

"app@workspace:.":
  version: 0.0.0-use.local
  resolution: "app@workspace:."
  dependencies:
    a: "npm:^1.0.0"
`
    expect(short('yarn.lock', lock)).toEqual({ packages: ['a@1.2.0:4 > b@2.0.1', 'b@2.0.1:11'], direct: ['/a=a@1.2.0'] })
  })
})

test('bun.lock: nested packages and workspaces', () => {
  const lock = `{
  "lockfileVersion": 1,
  "workspaces": {
    "": { "name": "root", "dependencies": { "a": "^1.0.0" }, "devDependencies": { "d": "^1" }, },
    "apps/web": { "name": "web", "dependencies": { "b": "^1" }, },
  },
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "b": "^2" } }, "sha512-x"],
    "a/b": ["b@2.0.0", "", {}, "sha512-x"],
    "b": ["b@1.0.0", "", {}, "sha512-x"],
    "d": ["d@1.0.0", "", { "dependencies": { "b": "^1" } }, "sha512-x"],
    "web": ["web@workspace:apps/web"],
  }
}`
  expect(short('bun.lock', lock)).toEqual({
    packages: ['a@1.0.0:8 > b@2.0.0', 'b@1.0.0:10', 'b@2.0.0:9', 'd@1.0.0:11 > b@1.0.0'],
    direct: ['/a=a@1.0.0', '/d=d@1.0.0 dev', 'apps/web/b=b@1.0.0'],
  })
})

test('bun.lockb: what the package manager wrote for debug 4.3.4 and an alias of ms 2.0.0', () => {
  const { facts, problems } = extract('bun.lockb', gunzipSync(Buffer.from(BUN_LOCKB, 'base64')).toString('latin1'))
  expect(problems).toEqual([])
  expect(facts.format).toBe('bun')
  expect(facts.packages.map((p) => `${p.name}@${p.version}${p.requires.length ? ` > ${p.requires.join(' ')}` : ''}`)).toEqual([
    'debug@4.3.4 > ms@2.1.2',
    'ms@2.0.0',
    'ms@2.1.2',
  ])
})

/** A file of the second format as newer versions of bun write it: numbers of versions take eight bytes. */
function inThirdFormat(second: Buffer): Buffer {
  const format = second.indexOf('-format-v0\n') + '-format-v0\n'.length
  const count = Number(second.readBigUInt64LE(format + 4 + 32 + 8))
  const list = Number(second.readBigUInt64LE(format + 4 + 32 + 32))
  const at = list + count * 16
  const wider = Array.from({ length: count }, (_, i) => {
    const one = second.subarray(at + i * 64, at + i * 64 + 64)
    const numbers = Buffer.alloc(24)
    for (let n = 0; n < 3; n++) numbers.writeUInt32LE(one.readUInt32LE(16 + n * 4), n * 8)
    return Buffer.concat([one.subarray(0, 16), numbers, one.subarray(32)])
  })
  const third = Buffer.concat([second.subarray(0, at), ...wider, second.subarray(at + count * 64)])
  const by = BigInt(count * 8)
  third.writeUInt32LE(3, format)
  const move = (place: number) => third.writeBigUInt64LE(third.readBigUInt64LE(place) + by, place)
  move(format + 4 + 32)
  move(format + 4 + 32 + 40)
  let next = Number(third.readBigUInt64LE(format + 4 + 32 + 40))
  for (let buffer = 0; buffer < 6; buffer++) {
    move(next)
    move(next + 8)
    next = Number(third.readBigUInt64LE(next + 8))
  }
  return third
}

test('bun.lockb of the third format has the same packages', () => {
  const second = gunzipSync(Buffer.from(BUN_LOCKB, 'base64'))
  expect(extract('bun.lockb', inThirdFormat(second).toString('latin1'))).toEqual(extract('bun.lockb', second.toString('latin1')))
})

test.each([2, 3])('bun.lockb of format %i that is cut anywhere is said, never thrown', (format) => {
  const second = gunzipSync(Buffer.from(BUN_LOCKB, 'base64'))
  const whole = (format === 2 ? second : inThirdFormat(second)).toString('latin1')
  for (let at = 0; at < whole.length; at += 37) {
    const { facts, problems } = extract('bun.lockb', whole.slice(0, at))
    expect(problems.length > 0 || facts.packages.length > 0, String(at)).toBe(true)
  }
})

describe('deno.lock', () => {
  test('version 4: specifiers at the top', () => {
    const lock = {
      version: '4',
      specifiers: { 'npm:a@1': '1.2.0', 'jsr:@std/fs@1': '1.0.0' },
      npm: { 'a@1.2.0': { integrity: 'x', dependencies: ['b@2.0.0'] }, 'b@2.0.0': {} },
    }
    expect(short('deno.lock', JSON.stringify(lock))).toEqual({ packages: ['a@1.2.0:1 > b@2.0.0', 'b@2.0.0:1'], direct: ['/a=a@1.2.0'] })
  })

  test('version 5: npm packages, and modules from esm.sh', () => {
    const lock = {
      version: '5',
      specifiers: { 'jsr:@std/assert@1': '1.0.0', 'npm:a@^1.0.0': '1.2.0_peer@3.0.0' },
      npm: { 'a@1.2.0_peer@3.0.0': { dependencies: ['b'] }, 'b@2.0.0': {} },
      remote: { 'https://esm.sh/stripe@14.21.0?target=deno': 'hash', 'https://deno.land/std@0.1.0/x.ts': 'hash' },
    }
    expect(short('supabase/functions/deno.lock', JSON.stringify(lock, null, 1))).toEqual({
      packages: ['a@1.2.0:8 > b@2.0.0', 'b@2.0.0:13', 'stripe@14.21.0:16'],
      direct: ['/a=a@1.2.0', '/stripe=stripe@14.21.0'],
    })
  })

  test('version 3', () => {
    const lock = {
      version: '3',
      packages: { specifiers: { 'npm:@s/a@1': 'npm:@s/a@1.2.0' }, npm: { '@s/a@1.2.0': { dependencies: { b: 'b@2.0.0' } }, 'b@2.0.0': { dependencies: {} } } },
    }
    expect(short('deno.lock', JSON.stringify(lock))).toEqual({ packages: ['@s/a@1.2.0:1 > b@2.0.0', 'b@2.0.0:1'], direct: ['/@s/a=@s/a@1.2.0'] })
  })
})

test('what cannot be read is said, never thrown', () => {
  for (const [path, text] of [
    ['package-lock.json', '{'],
    ['package-lock.json', '[]'],
    ['pnpm-lock.yaml', '- a'],
    ['yarn.lock', '<<<<<<< HEAD\na@1:\n  version "1"\n=======\n'],
    ['bun.lock', ''],
    ['bun.lockb', '\x00\x01'],
    ['deno.lock', '7'],
  ] as const) {
    const { facts, problems } = extract(path, text)
    expect(facts.packages, path).toEqual([])
    expect(problems.map((p) => p.message).join(), path).toMatch(/^is no lock file that can be read/)
  }
  fc.assert(
    fc.property(
      fc.constantFrom('package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock'),
      fc.oneof(fc.json(), fc.string()),
      (path, text) => {
        lockfile.extract(text, path)
      },
    ),
    { numRuns: 300 },
  )
})

/** `bun install` of `{ dependencies: { debug: '4.3.4' }, devDependencies: { left: 'npm:ms@2.0.0' } }`, gzipped. */
const BUN_LOCKB = [
  'H4sIAAAAAAACA1NW1C8tLtJPyszTT80rU0gqzeMCYt2c/OTstMycVN20/KLcxBLdMgMuJgYGBt8lNzKfmCQIFZ597PKrtCdK5aT72lnXDedxyav9sbn0v/oaGwMYsEAoBg40ugFKl8AUMBRn5BeA6J',
  'TUpNJ0IJ1bDBGH0av/HpEz+rT8SF8zg8lDqVPHlmw5cnXr9X4PGM3IQBlggtI8QGwEdCDIYcxIPiBWvx0Q6wD1g/iMSOLE6s9C0k+OH2D2MkPFmImW/8f/j9JARAeMIAQxF9loFlvRVrknU+4+eOsw',
  '+f2ca9aqJ+W2R3zZPnmd1cFimz9vqhx+3pxZs9L9qMJHpc2sr5Q+XpMMPNdYv1v69yGTG3HtPPETkcxFDieWDZn8x58mG91seHH027sGCxFBF52AmektO+KWt1kWrH99OviX2fd9/hdPLppm73xZW3',
  'XtjC09F/fPKnU5sne3qY1b+20kc5HDjcVvVtWFfx0BEy7veLX/6XyZspPGai/uH1p+zs/rgzLHb0UhoWWVnHPtJp2Yx8/x85hRYzL39djWlZWaQRJbuGvf6ZQ8oXa4khcVgw7sgGauM1Cay6a4KFkv',
  'M6+4JDEnRw9W9OiFFKWm2ikYGSgUZ1al5qfpKJgoJOZkpuflp3FBU+5/CICl5x9Q81hYYeaWGhvZAbXhMACWTw2g6m2I0MeMpK8Aqn4fXF+0kVlsqQXQ0WZwvYaoduakppWAaEnPCq/FKm2+HIzQ0q',
  'cBVgLCSjomRhM9Yz0TpLIQVuYxMRrpGeoZgcpVaHkLo1FDsjg1tyy1SM+1oiS1KC8xJ7ikKDMv3U7BEOE4C7jjLKAmnIObBPKHIS5vMOQV5FrlFjsY6RnoGWSUlBQUW+nrF6WmZxaXFFXqASWzivXy',
  'i9L1wZ7S14XQumAP6ZWkV+HRkVsMVJ5brAv2ItFqga4AqWUYpAAAAIRa4WYHAAA=',
].join('')
