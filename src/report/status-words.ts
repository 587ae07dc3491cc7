import type { CheckStatus } from './report.ts'

/** The answers of a check in the words and the order that people read; JSON keeps its own. */
export const STATUS_WORDS: Readonly<Record<CheckStatus, string>> = {
  failed: 'failed',
  unverified: 'check by hand',
  passed: 'passed',
  'not-applicable': 'does not apply',
}
