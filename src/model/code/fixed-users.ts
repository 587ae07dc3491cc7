import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByFile, unlessEmpty } from '../../lib/collect-by-file.ts'
import type { Place } from '../../lib/place.ts'
import { says } from '../../lib/snake-case.ts'
import { boundNames, expressions, statements, stringOf, subExpressions } from '../frameworks/walk.ts'

/** A user of a try-out for whom the program acts, whoever calls. */
export interface FixedUser extends Place {
  /** The constant's name. */
  readonly name: string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Nobody's: what stands where there is no user. */
const NIL = /^(.)\1{7}-/
const OF_A_TRIAL = /(?:^|_)(?:beta|test|dev|demo|temp|mock|fake|hard_?coded)_(?:user|account|profile|owner|member|customer)_?(?:id|uid)$/i

/** What somebody runs by hand, for the user that is named there. */
const BY_HAND = /(?:^|\/)(?:scripts?|tools|bin)\/|(?:^|\/)test[_-][^/]{1,80}$/i

/** Constants such as `BETA_USER_ID` that hold the id of a row and are used in the same file; one for each file. */
export const fixedUsers = collectByFile((path, js: JavaScriptFacts) => {
  if (BY_HAND.test(path)) return undefined
  for (const fn of js.functions) {
    for (const s of statements(fn.body)) {
      if (s.k !== 'let' || !s.init) continue
      const name = boundNames(s.to).find((n) => says(OF_A_TRIAL, n))
      const id = name === undefined ? undefined : stringOf(s.init)
      if (name === undefined || id === undefined || !UUID.test(id) || NIL.test(id)) continue
      const used = js.functions.some((f) => expressions(f).some((e) => subExpressions(e).some((x) => x.k === 'id' && x.name === name)))
      if (used) return unlessEmpty([{ path, line: s.l, name } satisfies FixedUser])
    }
  }
  return unlessEmpty<FixedUser>([])
})
