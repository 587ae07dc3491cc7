import { createHash } from 'node:crypto'
import type { Issue } from '../checks/outcome.ts'

/** The identity of a finding: what is wrong with what, never where. 16 hexadecimal digits. */
export function fingerprint(checkId: string, issue: Pick<Issue, 'subject' | 'discriminator' | 'workspace'>): string {
  return createHash('sha256')
    .update(JSON.stringify([checkId, issue.subject, issue.discriminator ?? '', issue.workspace ?? '']))
    .digest('hex')
    .slice(0, 16)
}
