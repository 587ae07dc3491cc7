import { describe, expect, test } from 'vitest'
import { COMMENT_MARKER, renderComment } from '../../src/annotations/comment.ts'
import { suggestionsFor } from '../../src/annotations/suggestions.ts'
import { audience, finding, report } from './sample-report.ts'

describe('the comment', () => {
  test('is two lines after the marker when all is well', () => {
    const lines = (renderComment(report([]), audience()) ?? '').split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(COMMENT_MARKER)
    expect(lines[1]).toContain('Safe to merge')
  })

  test.each([
    ['always', 0, true],
    ['always', 1, true],
    ['findings', 0, false],
    ['findings', 1, true],
    ['never', 1, false],
  ] as const)('with comment: %s and %i introduced findings is written: %s', (comment, n, written) => {
    const body = renderComment(report(n ? [finding()] : []), audience({ config: { failOn: 'critical', comment } }))
    expect(body !== undefined).toBe(written)
  })

  test('stays below GitHub’s limit with 500 long findings', () => {
    const findings = Array.from({ length: 500 }, (_, i) =>
      finding({ fingerprint: String(i), path: `${i}.sql`, message: 'm'.repeat(5000), fix: { text: 'f', code: 'c\n'.repeat(4000) } }),
    )
    const body = renderComment(report(findings), audience()) ?? ''
    expect(body.length).toBeLessThanOrEqual(65_536)
    expect(body).toContain('Do not merge yet')
  })
})

describe('suggestions', () => {
  const fix = { text: 'Check the owner.', code: 'const a = 1', replaces: { path: 'app/a.ts', line: 4, endLine: 5 } }
  test('are made for lines that the diff shows', () => {
    const [suggestion] = suggestionsFor([finding({ fix })], new Map([['app/a.ts', new Set([3, 4, 5])]]))
    expect(suggestion).toMatchObject({ path: 'app/a.ts', startLine: 4, line: 5 })
    expect(suggestion?.body).toContain('```suggestion\nconst a = 1\n```')
  })
  test('are not made outside the diff, and two never overlap', () => {
    expect(suggestionsFor([finding({ fix })], new Map([['app/a.ts', new Set([4])]]))).toEqual([])
    expect(suggestionsFor([finding({ fix }), finding({ fix, fingerprint: 'other' })], new Map([['app/a.ts', new Set([4, 5])]]))).toHaveLength(1)
  })
})
