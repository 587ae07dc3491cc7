import fc from 'fast-check'
import type { Run } from 'sarif'
import { describe, expect, test } from 'vitest'
import { renderSarif } from '../../src/annotations/sarif.ts'
import { validateSarif } from '../support/sarif-schema.ts'
import { finding, report } from './sample-report.ts'

const violations = (document: unknown) => (validateSarif(JSON.parse(JSON.stringify(document))) ? [] : validateSarif.errors)

describe('SARIF', () => {
  const sample = report(
    [
      finding({ path: 'app/[id]/a b.ts', related: [{ path: 'x.ts', line: 2, what: 'the caller' }] }),
      finding({ fingerprint: 'f2', check: 'api/auth', severity: 'High' }),
    ],
    {
      introduced: ['0123456789abcdef'],
      suppressed: [{ finding: finding({ fingerprint: 'f3' }), reason: 'public on purpose', where: '.github/prelaunch.yml:3' }],
    },
  )
  const document = renderSarif(sample)
  const run = document.runs[0] as Run
  const results = run.results ?? []
  const rules = run.tool.driver.rules ?? []

  test('has one rule for each of the 25 checks and points at them', () => {
    expect(rules).toHaveLength(25)
    for (const result of results) expect(rules[result.ruleIndex ?? -1]?.id).toBe(result.ruleId)
  })

  test('carries levels, stable fingerprints, encoded paths, suppressions and the baseline', () => {
    expect(results.map((r) => [r.level, r.partialFingerprints?.['prelaunch/v1'], 'suppressions' in r])).toEqual([
      ['error', '0123456789abcdef', false],
      ['warning', 'f2', false],
      ['error', 'f3', true],
    ])
    expect(results[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('app/%5Bid%5D/a%20b.ts')
  })

  test('is valid by the schema of SARIF 2.1.0', () => {
    expect(violations(document)).toEqual([])
    expect(violations(renderSarif(report([])))).toEqual([])
    // The schema would notice: it is no schema that takes everything.
    expect(violations({ ...document, runs: [{ ...run, results: [{ level: 'fatal' }] }] })).not.toEqual([])
  })

  test('stays valid whatever names, paths, lines and texts a repository brings', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '\u202eevil', 'a\u001b[31m', '%00/%zz', 'a b/ü?#[1].ts', 'C:\\x', 'x'.repeat(9000)),
    )
    const hostile = fc.record({
      subject: text,
      title: text,
      message: text,
      path: text,
      line: fc.integer({ min: -5, max: 1e9 }),
      endLine: fc.integer({ min: -5, max: 1e9 }),
      related: fc.array(fc.record({ path: text, line: fc.integer({ min: -5, max: 1e9 }), what: text }), { maxLength: 3 }),
      fix: fc.record({ text, code: text, replaces: fc.constant({ path: 'a b.ts', line: 2, endLine: 3 }) }),
    })
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (findings) => {
        const all = findings.map((f, i) => finding({ ...f, fingerprint: i.toString(16).padStart(16, '0') }))
        expect(violations(renderSarif(report(all)))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('gives an exact change of lines as a fix, and rules with help', () => {
    const exact = renderSarif(
      report([finding({ fix: { text: 'One hour.', code: 'otp_expiry = 3600', replaces: { path: 'supabase/config.toml', line: 3, endLine: 3 } } })]),
    )
    expect(exact.runs[0]?.results?.[0]?.fixes?.[0]?.artifactChanges[0]?.replacements).toEqual([
      { deletedRegion: { startLine: 3, startColumn: 1, endLine: 4, endColumn: 1 }, insertedContent: { text: 'otp_expiry = 3600\n' } },
    ])
    for (const rule of rules) expect(rule.help?.markdown).toContain(`${rule.id}.md`)
  })
})
