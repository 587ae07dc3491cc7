import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'
import { bases } from '../expression/predicate.ts'
import type { Instance } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'

/** What somebody signs in with. */
const SIGN_IN_CREDENTIAL_COLUMN = /(?:^|_)(?:password|passwd|passcode|pin|pin_?code)(?:_?(?:hash|digest))?$|^hashed_(?:password|pin)$/i

/** Whether a statement lets its caller choose what somebody signs in with who was there before: whoever calls first is that person. */
export function givesCredentials(effect: Effect, table: Table | undefined, instances: readonly Instance[]): boolean {
  const chosen = [...effect.writes].some(
    ([column, values]) => says(SIGN_IN_CREDENTIAL_COLUMN, column) && values.some((v) => bases(v.term).some((t) => t.t === 'argument')),
  )
  if (!chosen || effect.command !== 'insert') return chosen && effect.command === 'update'
  const whose = [...(table?.userData?.ownerColumns ?? []), ...(table?.foreignKeys.flatMap((f) => f.columns) ?? [])]
  return whose.some((column) =>
    effect.writes
      .get(column)
      ?.some((v) =>
        bases(v.term).some((t) => t.t === 'argument' || (t.t === 'column' && instances[t.instance]?.table !== undefined && t.instance !== effect.instance)),
      ),
  )
}
