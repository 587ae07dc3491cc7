import type { Issue } from '../checks/outcome.ts'

/** An issue with its identity across commits. */
export interface Finding extends Omit<Issue, 'cause'> {
  /** The id of its check. */
  readonly check: string
  readonly checkNumber: number
  /** Hash of check id, subject and discriminator; 16 hexadecimal digits. */
  readonly fingerprint: string
  /** Id of what one change repairs, shared by findings that it repairs together; 16 hexadecimal digits. */
  readonly cause: string
  readonly state?: 'introduced' | 'existing' | 'unreadable'
}
