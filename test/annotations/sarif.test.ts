import type { Run } from 'sarif'
import { describe, expect, test } from 'vitest'
import { renderSarif } from '../../src/annotations/sarif.ts'
import { finding, report } from './sample-report.ts'

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
})
