import { describe, expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { DIALECTS } from './frameworks.ts'
import { type Application, applications } from './generate.ts'
import { measure, table } from './measure.ts'

/** Findings of the four checks that would stop a release. */
async function serious(a: Application): Promise<readonly string[]> {
  const report = await auditFiles(a.mended)
  return report.checks
    .filter((c) => c.number >= 16 && c.number <= 19)
    .flatMap((c) => c.findings.filter((f) => f.severity !== 'Medium').map((f) => `${a.name}: ${f.severity} ${c.id} ${f.subject}`))
}

describe.each(DIALECTS.map((d) => d.name))('%s: one hole written in many ways', (framework) => {
  const all = applications().filter((a) => a.framework === framework)

  test('is found, and never passed over', { timeout: 120_000 }, async () => {
    const results = await measure((a) => a.framework === framework)
    const passedOver = results.filter((r) => r.said === 'silent').map((r) => `${r.application.name}: ${r.status}`)
    const found = results.filter((r) => r.said === 'found').length
    expect(passedOver).toEqual([])
    expect(found / results.length, table(results)).toBeGreaterThanOrEqual(0.95)
    expect(results).toHaveLength(all.length)
  })

  test('mended, has nothing Critical or High', { timeout: 120_000 }, async () => {
    const wrong: string[] = []
    for (const a of all) wrong.push(...(await serious(a)))
    expect(wrong).toEqual([])
  })
})
