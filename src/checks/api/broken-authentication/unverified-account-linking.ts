import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { ACCOUNT_TABLE_WORD } from '../auth-flows/registration.ts'

/** What another provider calls somebody, as a column of an account. */
const PROVIDERS_ID =
  /^(?:google|facebook|github|apple|firebase|auth0|clerk|discord|linkedin|microsoft|twitter|kakao|line|provider|oauth|social)_?(?:account_?|user_?)?(?:u?id|sub)$/

/**
 * Whether an account that is there already is given the id at a provider that the request says: whoever names somebody's address has that account from then
 * on. What a provider has signed is no word of the request any more.
 */
export const linksProvider = rememberFor(({ behaviour, work }: Route): boolean =>
  (behaviour?.steps ?? []).some(
    ({ effect: e, at }) =>
      e.kind === 'db' &&
      e.op === 'update' &&
      e.client.rights === 'service' &&
      ACCOUNT_TABLE_WORD.test(e.table) &&
      e.payload?.v === 'object' &&
      Object.entries(e.payload.props).some(([column, v]) => says(PROVIDERS_ID, column) && v.v === 'request' && v.part === 'body') &&
      !e.filters.some((f) => mentions(f.value, (x) => x.v === 'caller')) &&
      work.some((w) => w.kind === 'update' && !w.guard && w.at.path === at.path && w.at.line === at.line),
  ),
)
