/**
 * What a finding of check 17 says. The words stand apart from what finds the breaches, one function for each kind, so that a text is changed without reading
 * a rule.
 */
import type { Route } from '../../../model/routes/routes.ts'
import type { Manners } from '../remediation/code-conventions.ts'
import type { OwnershipBreach } from '../shared/violation.ts'
import { OPERATION_WORDS } from './function-level.ts'
import { ROW_WORDS } from './object-level.ts'
import { PAYMENT_WORDS } from './payment-integrity.ts'
import type { BreachWords, SaidOfBreach } from './types.ts'

/** A server action gets values, not a body. */
export function ofArguments(b: OwnershipBreach): OwnershipBreach {
  const words = (text: string) => text.replace('the request body', 'an argument that the browser passes').replace('body `', 'argument `')
  return { ...b, what: words(b.what), ...(b.by ? { by: words(b.by) } : {}) }
}

/** By kind of breach; each kind has its words in one of three files, and a new one that has none does not compile. */
const WORDING_BY_KIND: Readonly<Record<OwnershipBreach['kind'], BreachWords>> = { ...ROW_WORDS, ...OPERATION_WORDS, ...PAYMENT_WORDS }

/** What a finding of check 17 says, by kind of breach. */
export function ownershipWords(route: Route, b: OwnershipBreach, how: Manners): SaidOfBreach {
  const who = route.guard?.how ? ` (${route.guard.how})` : ''
  return inWordsOf(b.library, WORDING_BY_KIND[b.kind]({ b, route, how, who, place: `${b.at.path}:${b.at.line}` }))
}

const EITHER = 'with the service role or a direct connection'

/** A library for the platform acts with the service role, every other one with a connection of its own, which has no client of the caller beside it. */
function inWordsOf(library: string | undefined, said: SaidOfBreach): SaidOfBreach {
  if (library === undefined || library === 'other') return said
  if (library === 'supabase') return { ...said, message: said.message.replaceAll(EITHER, 'with the service role') }
  const text = said.fix.text.replace(/, or use the caller's own client(?:,)? so that row level security applies/, '')
  const message = said.message.replaceAll(EITHER, 'with a direct connection').replace(' Row level security does not apply to this client.', '')
  return { ...said, message, fix: { ...said.fix, text } }
}
