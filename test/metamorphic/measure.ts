import type { Report } from '../../src/report/report.ts'
import { auditFiles } from '../support/audit-files.ts'
import { type Application, applications } from './generate.ts'

/** What an audit says of one application: the hole, a doubt about it, or that all is well. */
export interface Result {
  readonly application: Application
  readonly said: 'found' | 'unverified' | 'silent'
  readonly status: string
}

/** Audits every application, one after the other. */
export async function measure(only: (a: Application) => boolean): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const application of applications().filter(only)) {
    const report = await auditFiles(application.files)
    const check = report.checks.find((c) => c.number === application.check) as Report['checks'][number]
    const said = check.findings.length > 0 ? 'found' : check.status === 'unverified' ? 'unverified' : check.status === 'failed' ? 'found' : 'silent'
    results.push({ application, said, status: check.status })
  }
  return results
}

/** The shares by rewrite and framework, as lines of a table. */
export function table(results: readonly Result[]): string {
  const rows = [...Map.groupBy(results, (r) => r.application.rewrite)].map(([rewrite, of]) => {
    const cells = [...Map.groupBy(of, (r) => r.application.framework)].map(
      ([framework, rs]) => `${framework} ${rs.map((r) => `${r.application.check}${r.said === 'found' ? '' : r.said === 'unverified' ? '?' : '!'}`).join(' ')}`,
    )
    return of.every((r) => r.said === 'found') ? `${rewrite}: all ${of.length}` : `${rewrite}: ${cells.join('; ')}`
  })
  const count = (said: Result['said']) => results.filter((r) => r.said === said).length
  return [...rows, `found ${count('found')} of ${results.length}, unverified ${count('unverified')}, silent ${count('silent')}`].join('\n')
}
