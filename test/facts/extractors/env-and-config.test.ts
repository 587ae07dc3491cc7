import { describe, expect, test } from 'vitest'
import { configFile } from '../../../src/facts/extractors/config-file/config-file.ts'
import { envFile } from '../../../src/facts/extractors/env-file/env-file.ts'
import { parseDotenv } from '../../../src/facts/extractors/env-file/parse-dotenv.ts'
import { secrets } from '../../../src/facts/extractors/secrets/secrets.ts'
import { PLACEHOLDERS } from '../../support/placeholders.ts'

const live = PLACEHOLDERS['stripe-live-secret'] as string

describe('dotenv', () => {
  test('quotes, export, comments, several lines, colons, CRLF and BOM', () => {
    const text = '\uFEFFexport A="b # no" # yes\r\nB=\'x\'\r\nC=plain # comment\nD="1\n2"\nE: yaml\nF=\n# G=1\nnot an assignment\nH="say \\"hi\\""'
    expect(parseDotenv(text)).toEqual([
      { name: 'A', value: 'b # no', line: 1 },
      { name: 'B', value: 'x', line: 2 },
      { name: 'C', value: 'plain', line: 3 },
      { name: 'D', value: '1\n2', line: 4 },
      { name: 'E', value: 'yaml', line: 6 },
      { name: 'F', value: '', line: 7 },
      { name: 'H', value: 'say "hi"', line: 10 },
    ])
  })

  test('an open quote does not swallow the file', () => {
    expect(parseDotenv(`A="open\n${'B=1\n'.repeat(300)}`)).toHaveLength(301)
  })

  test('kinds of values, secrets redacted', () => {
    const { facts } = envFile.extract(
      `A=${live}\nB=\nC=\${A}\nD=sk_live_your_key\nE=${PLACEHOLDERS['anon-jwt']}\nF=3000\nG=${PLACEHOLDERS['database-url']}\n`,
      '.env',
    )
    expect(facts.variables.map((v) => [v.name, v.kind])).toEqual([
      ['A', 'stripe-live-secret'],
      ['B', 'empty'],
      ['C', 'reference'],
      ['D', 'placeholder'],
      ['E', 'supabase-anon-jwt'],
      ['F', 'plain'],
      ['G', 'database-url'],
    ])
    expect(JSON.stringify(facts)).not.toContain(live)
    expect(facts.variables[0]?.value).toBe('sk_live_…')
    expect(facts.variables[6]?.value).toBe('postgresql://…@db.abcdefghijklmnopqrst.supabase.co:5432/postgres')
  })

  test('declarations are no env files', () => {
    expect(envFile.extract('declare const A=1', '.env.d.ts').facts.variables).toEqual([])
  })
})

describe('configuration files', () => {
  test('TOML: lines of sections, keys, arrays of tables and inline tables', () => {
    const { facts, problems } = configFile.extract(
      'project_id = "x"\n[auth]\nurls = [\n "a",\n]\n[auth.email]\notp_expiry = 3600\ntemplate = { subject = "s" }\n[[hooks.list]]\nname = "h"\n[remotes."prod".auth]\nsite_url = "https://x"\n',
      'supabase/config.toml',
    )
    expect(problems).toEqual([])
    expect(facts.lines).toMatchObject({
      project_id: 1,
      auth: 2,
      'auth.urls': 3,
      'auth.email.otp_expiry': 7,
      'auth.email.template.subject': 8,
      'hooks.list.0.name': 10,
      'remotes.prod.auth.site_url': 12,
    })
    expect(facts.data).toMatchObject({ auth: { email: { otp_expiry: 3600 } } })
  })

  test('TOML with an error keeps the rest and says the line', () => {
    const { facts, problems } = configFile.extract('a = 1\nb = = 2\n[c]\nd = 3\n', 'x.toml')
    expect(problems).toEqual([{ line: 2, message: 'is not valid TOML' }])
    expect(facts.data).toEqual({ a: 1, c: { d: 3 } })
  })

  test('YAML: several documents, merge keys, and aliases that would explode', () => {
    const { facts } = configFile.extract('x: &x\n  A: 1\njob:\n  env:\n    <<: *x\n    B: 2\n---\ny: 1\n', '.github/workflows/a.yml')
    expect(facts.data).toEqual([{ x: { A: 1 }, job: { env: { A: 1, B: 2 } } }, { y: 1 }])
    expect(facts.lines).toMatchObject({ '0.job.env.B': 6, '1.y': 8 })
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`).join('\n')}`
    expect(configFile.extract(bomb, 'compose.yml').problems[0]?.message).toBe('has aliases that expand without bound')
  })

  test('JSON with comments and trailing commas', () => {
    const { facts, problems } = configFile.extract('// c\n{\n  "compilerOptions": { "paths": { "@/*": ["./src/*"], }, },\n}\n', 'tsconfig.json')
    expect(problems).toEqual([])
    expect(facts.lines['compilerOptions.paths.@/*']).toBe(3)
  })

  test.each([
    ['[', 'a.json'],
    ['- ', 'compose.yml'],
    ['{a: ', 'compose.yml'],
  ])('deep nesting of %j is a problem, not a crash', (unit, path) => {
    const file = path === 'a.json' ? 'vercel.json' : path
    expect(configFile.extract(unit.repeat(50_000), file).problems[0]?.message).toContain('nested deeper')
  })

  test('secrets are redacted, lines hold', () => {
    const { facts } = configFile.extract(`env:\n  KEY: ${live}\n  db:\n    password: Winter26!x\n  after: 1\n`, '.github/workflows/a.yml')
    expect(facts.data).toEqual({ env: { KEY: 'sk_live_…', db: { password: '…' }, after: 1 } })
    expect(facts.lines['env.after']).toBe(5)
  })
})

test('secrets of a text file have line, columns and no value', () => {
  const { facts } = secrets.extract(`a\n  const k = '${live}'\n`, 'x.ts')
  expect(facts.secrets).toMatchObject([
    { kind: 'stripe-live-secret', line: 2, column: 14, endColumn: 14 + live.length, redacted: 'sk_live_…', length: live.length, live: 'live', name: 'k' },
  ])
  expect(JSON.stringify(facts)).not.toContain(live.slice(8))
})
