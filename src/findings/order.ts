import { SEVERITIES, type Severity } from '../checks/outcome.ts'
import { comparePlaces, type Place } from '../lib/place.ts'

/** What the order of two findings is decided by. */
interface Ranked {
  readonly severity: Severity
  /** The id of the check. */
  readonly check: string
  readonly aliases?: readonly string[]
  readonly proof: 'executed' | 'inferred'
  readonly subject: string
  readonly fingerprint: string
  readonly at: Place
}

/** What an attacker gets, most first; the words are names, not text for people. */
const GAINS = ['everything', 'accounts', 'changes others’ data or money', 'reads others’ data', 'a step on the way', 'nothing by itself'] as const
export type Gain = (typeof GAINS)[number]

/** By weakness, where it says more than the check does: the first that a finding names counts. */
const BY_WEAKNESS: readonly (readonly [string, Gain])[] = [
  ['CWE-89', 'everything'],
  ['CWE-287', 'accounts'],
  ['CWE-269', 'accounts'],
  ['CWE-345', 'accounts'],
  ['CWE-915', 'changes others’ data or money'],
  ['CWE-840', 'changes others’ data or money'],
  ['CWE-307', 'a step on the way'],
  ['CWE-755', 'nothing by itself'],
]

const BY_CHECK: Readonly<Record<string, Gain>> = {
  'rls/enabled': 'everything',
  'rls/service-role-client': 'everything',
  'env/committed': 'everything',
  'env/public-database-url': 'everything',
  'env/public-secret': 'everything',
  'api/sql-injection': 'everything',
  'code/hardcoded': 'accounts',
  'auth/oauth-redirect': 'accounts',
  'auth/password-reset': 'accounts',
  'rls/insert-owner': 'changes others’ data or money',
  'rls/write-owner': 'changes others’ data or money',
  'rls/storage': 'changes others’ data or money',
  'api/auth': 'changes others’ data or money',
  'api/ownership': 'changes others’ data or money',
  'payments/signature': 'changes others’ data or money',
  'rls/select-owner': 'reads others’ data',
  'auth/protected-routes': 'reads others’ data',
  'code/dependencies': 'a step on the way',
  'api/rate-limit': 'a step on the way',
  'auth/session-refresh': 'nothing by itself',
  'auth/otp-expiry': 'a step on the way',
  'env/separation': 'a step on the way',
  'payments/idempotency': 'changes others’ data or money',
  'payments/subscription-deleted': 'nothing by itself',
  'payments/payment-failed': 'nothing by itself',
}

/** What an attacker gets by a finding: by its weakness, otherwise by its check. */
export function gainOf({ check, aliases = [] }: Pick<Ranked, 'check' | 'aliases'>): Gain {
  const named = BY_WEAKNESS.find(([weakness]) => aliases.includes(weakness))?.[1]
  return named ?? BY_CHECK[check] ?? 'a step on the way'
}

/** 0 is the most that an attacker can get. */
const gain = (f: Ranked): number => GAINS.indexOf(gainOf(f))

/**
 * The one order of findings, for every list that people read: by severity, then by what an attacker gets, then what was tried before what was read
 * from the code. The place, the subject and the fingerprint make it the same in every run.
 */
export function compareFindings(a: Ranked, b: Ranked): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    gain(a) - gain(b) ||
    (a.proof === b.proof ? 0 : a.proof === 'executed' ? -1 : 1) ||
    comparePlaces(a.at, b.at) ||
    compareText(a.subject, b.subject) ||
    compareText(a.fingerprint, b.fingerprint)
  )
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
