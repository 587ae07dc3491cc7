import { type Gain, gainOf } from '../findings/order.ts'
import { ROW_COMMANDS } from './access-words.ts'
import type { Report, ReportFinding } from './report.ts'

/** Why a problem comes first: what an attacker gets, how easily, and how sure we are. Parts of a short sentence, without capital and full stop. */
export interface Stakes {
  /** Absent where nobody gets anything by this alone. */
  readonly gets?: string
  /** Absent where the facts do not say. */
  readonly ease?: string
  readonly certainty: string
}

/** What an attacker gets and needs by check, where that says more than the kind of gain does. */
const STAKES_OF_CHECK: Readonly<Record<string, { readonly gets?: string; readonly ease?: string }>> = {
  'rls/enabled': { gets: 'every row of the table' },
  'rls/service-role-client': { gets: 'your whole database', ease: 'the key is in code for the browser' },
  'rls/storage': { gets: 'files of other users' },
  'env/committed': { gets: 'what the keys in the file open', ease: 'reading the repository is enough' },
  'env/public-database-url': { gets: 'your whole database', ease: 'the address is in code for the browser' },
  'env/public-secret': { gets: 'what the key opens', ease: 'the key is in code for the browser' },
  'api/sql-injection': { gets: 'data that the query was not meant to reach', ease: 'one request with crafted text' },
  'code/hardcoded': { gets: 'what the value opens', ease: 'reading the code is enough' },
  'code/dependencies': { gets: 'what the known weakness allows', ease: 'the weakness is public' },
  'api/auth': { gets: 'data or actions that are not public' },
  'api/ownership': { gets: 'data or actions of other users', ease: 'one request, changed by hand' },
  'api/rate-limit': { gets: 'unlimited tries', ease: 'many requests in a row' },
  'auth/oauth-redirect': { ease: 'a user has to open a link' },
  'auth/password-reset': { ease: 'a user has to ask for a reset' },
  'auth/protected-routes': { gets: 'pages that need a sign-in', ease: 'opening the address is enough' },
  'payments/signature': { gets: 'what a payment unlocks', ease: 'one request that looks like a payment event' },
  'payments/idempotency': { gets: 'one payment counted twice' },
}

const WORDS_OF_GAIN: Readonly<Record<Exclude<Gain, 'nothing by itself'>, string>> = {
  everything: 'everything behind it',
  accounts: 'more rights, or an account of somebody else',
  'changes others’ data or money': 'changes to data of other users',
  'reads others’ data': 'data of other users',
  'a step on the way': 'a step towards an attack',
}

/** Medium findings of these checks say that nothing can be reached today. */
const HARMLESS_WHEN_MEDIUM: ReadonlySet<string> = new Set(['env/committed', 'rls/select-owner'])

/** Weaknesses that say who can do it. */
const EASE_BY_WEAKNESS: Readonly<Record<string, string>> = { 'CWE-306': 'one request, without signing in' }

/** A value that is secret, and not one that the code compares with: who reads the code has it. */
const SECRET_VALUES: ReadonlySet<string> = new Set(['CWE-798', 'CWE-321', 'CWE-259'])

/** What is at stake with a finding, from its check, its weaknesses and what was tried. */
export function stakesOf(report: Pick<Report, 'access'>, f: ReportFinding): Stakes {
  const gain = gainOf(f)
  const certainty = certaintyOf(f)
  if (gain === 'nothing by itself' || (f.severity === 'Medium' && HARMLESS_WHEN_MEDIUM.has(f.check))) return { certainty }
  const isValue = f.check === 'code/hardcoded' && f.aliases.some((a) => SECRET_VALUES.has(a))
  const own = gain === 'accounts' && !isValue ? undefined : STAKES_OF_CHECK[f.check]
  const ease = triedBy(report, f) ?? f.aliases.map((a) => EASE_BY_WEAKNESS[a]).find(Boolean) ?? own?.ease
  return { gets: own?.gets ?? WORDS_OF_GAIN[gain], ...(ease ? { ease } : {}), certainty }
}

/** `An attacker gets every row of the table: one request, without signing in (tried in a copy of your database).` */
export function stakesSentence(report: Pick<Report, 'access'>, f: ReportFinding): string {
  const { gets, ease, certainty } = stakesOf(report, f)
  return gets ? `An attacker gets ${gets}${ease ? `: ${ease}` : ''} (${certainty}).` : `By itself this gives an attacker nothing (${certainty}).`
}

/** How we know: `tried in a copy of your database`. Never says that an attack works: some of what is tried harms nobody. */
export function certaintyOf({ proof, check }: Pick<ReportFinding, 'proof' | 'check'>): string {
  if (proof === 'inferred') return 'read from the code'
  if (check.startsWith('rls/')) return 'tried in a copy of your database'
  if (check.startsWith('auth/')) return 'read from your live project'
  return 'tried'
}

const COMMANDS_OF_CHECK: Readonly<Record<string, readonly string[]>> = {
  'rls/enabled': ROW_COMMANDS,
  'rls/select-owner': ['select', 'execute'],
  'rls/insert-owner': ['insert', 'execute'],
  'rls/write-owner': ['update', 'delete', 'execute'],
  'rls/storage': ROW_COMMANDS,
}

/** Who got through when it was tried: a visitor before a signed-in user. */
function triedBy({ access }: Pick<Report, 'access'>, f: ReportFinding): string | undefined {
  const commands = COMMANDS_OF_CHECK[f.check]
  if (!commands || f.proof !== 'executed') return undefined
  const cells = access
    .filter((o) => isNamed(f.subject, o.object))
    .flatMap((o) => o.cells)
    .filter((c) => c.result === 'allowed' && commands.includes(c.command))
  if (cells.some((c) => c.role === 'anon')) return 'one request, without signing in'
  return cells.some((c) => c.role === 'A') ? 'one request of any signed-in user' : undefined
}

/** Whether a subject names an object of the access matrix, and not one whose name only begins or ends alike. */
function isNamed(subject: string, object: string): boolean {
  return subject.split(/[^\w$.]+/).includes(object)
}
