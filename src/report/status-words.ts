import type { CheckStatus } from './report.ts'

/** The answers of a check in the words that people read; JSON keeps its own. */
export const STATUS_WORDS: Readonly<Record<CheckStatus, string>> = {
  failed: 'failed',
  passed: 'passed',
  'not-applicable': 'does not apply',
  unverified: 'check by hand',
}
