import type { Finding } from '../../src/findings/finding.ts'
import { fingerprint } from '../../src/findings/fingerprint.ts'
import { causeId } from '../../src/findings/root-cause.ts'

/** A finding with the fields that a test cares about. */
export function finding(fields: Partial<Finding> & { subject: string }): Finding {
  const check = fields.check ?? 'rls/enabled'
  return {
    check,
    checkNumber: 1,
    severity: 'Critical',
    message: `${fields.subject} is open`,
    attack: 'anyone reads it',
    fix: { text: 'close it' },
    at: { path: 'supabase/migrations/1.sql', line: 1 },
    proof: 'inferred',
    fingerprint: fingerprint(check, fields),
    cause: causeId(check, fields),
    ...fields,
  }
}
