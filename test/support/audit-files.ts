import { type AuditPorts, type AuditRequest, audit } from '../../src/audit.ts'
import { DEFAULT_CONFIG } from '../../src/config/config.ts'
import type { Report } from '../../src/report/report.ts'
import { testDatabase } from './database.ts'
import { type Content, MemorySource } from './memory-source.ts'
import { assertReport } from './report-schema.ts'

/** Audits files that exist in memory only, through the whole pipeline with the real database sandbox. */
export async function auditFiles(
  files: Readonly<Record<string, Content>>,
  request: Partial<AuditRequest> = {},
  ports: Partial<AuditPorts> = {},
): Promise<Report> {
  const source = new MemorySource([{ name: 'head', files }])
  const { report, crashes } = await audit(
    { commit: 'head', config: DEFAULT_CONFIG, today: '2026-11-20', ...request },
    { source, database: testDatabase(), ...ports },
  )
  if (crashes.length) throw new Error(`check ${crashes[0]?.check} crashed: ${crashes[0]?.error}`)
  assertReport(report)
  return report
}
