import type { Issue } from '../checks/outcome.ts'

/** An issue with its identity across commits. */
export interface Finding extends Issue {
  /** The id of its check. */
  readonly check: string
  readonly checkNumber: number
  /** Hash of check id, subject and discriminator; 16 hexadecimal digits. */
  readonly fingerprint: string
  readonly state?: 'introduced' | 'existing' | 'unreadable'
}
