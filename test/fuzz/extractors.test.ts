import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/parse-config.ts'
import { extractorsFor } from '../../src/facts/extract.ts'
import { EXTRACTORS } from '../../src/facts/extractors/index.ts'
import { seededRandom } from '../support/random.ts'
import { whatIsWrong } from './extraction.ts'
import { mutate } from './mutate.ts'
import { CONFIGURATION, SEEDS } from './seeds.ts'

/** Runs of each property in the tests; `bench/fuzz.ts` runs for as long as it is told. */
const RUNS = 25

describe('files that were changed at random', () => {
  test('exist for every extractor and every lock file', () => {
    const kinds = new Set(SEEDS.flatMap(([path]) => extractorsFor(path).map((e) => e.kind)))
    expect([...kinds].sort()).toEqual(EXTRACTORS.map((e) => e.kind).sort())
    for (const [path, text] of SEEDS) expect(whatIsWrong(path, text), path).toBeUndefined()
  })

  test.each(SEEDS)('%s gives facts or problems, and ends', (path, text) => {
    const random = seededRandom(path.length)
    for (let run = 0; run < RUNS; run++) {
      const input = mutate(text, random)
      expect(whatIsWrong(path, input), JSON.stringify(input.slice(0, 2000))).toBeUndefined()
    }
  })

  test('of any text at all give facts or problems', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SEEDS.map(([path]) => path)),
        fc.string({ unit: 'binary', maxLength: 400 }),
        (path, text) => whatIsWrong(path, text) === undefined,
      ),
      { seed: 7, numRuns: RUNS * 10 },
    )
  })

  test('of any JSON value give facts or problems', () => {
    const paths = SEEDS.map(([path]) => path).filter((path) => /\.(json|lock)$/.test(path))
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.json({ maxDepth: 4 }), (path, text) => whatIsWrong(path, text) === undefined),
      { seed: 7, numRuns: RUNS * 10 },
    )
  })
})

describe('the configuration', () => {
  test('changed at random is read or its problems are named', () => {
    const random = seededRandom(3)
    for (let run = 0; run < RUNS * 10; run++) {
      const text = mutate(CONFIGURATION, random)
      const { config, problems } = parseConfig(text)
      expect(['critical', 'high', 'medium', 'never']).toContain(config.failOn)
      for (const problem of problems) expect(problem.line).toBeGreaterThan(0)
    }
  })
})

describe('inputs that were found', () => {
  const found = globSync('test/data/fuzz/{*/*,*/.*/**,*/*/**}', { withFileTypes: true }).filter((entry) => entry.isFile())

  test.each(found.map((entry) => `${entry.parentPath}/${entry.name}`))('%s', (file) => {
    const path = file.slice(file.indexOf('fuzz/') + 'fuzz/'.length).replace(/^[^/]+\//, '')
    const text = readFileSync(file, 'utf8')
    if (path === '.github/prelaunch.yml') parseConfig(text)
    else expect(whatIsWrong(path, text)).toBeUndefined()
  })
})
