import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
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
const REPEATED_DIGIT_ID = /^(.)\1{7}-/
const OF_A_TRIAL = /(?:^|_)(?:beta|test|dev|demo|temp|mock|fake|hard_?coded)_(?:user|account|profile|owner|member|customer)_?(?:id|uid)$/i

/** What somebody runs by hand, for the user that is named there. */
const BY_HAND = /(?:^|\/)(?:scripts?|tools|bin)\/|(?:^|\/)test[_-][^/]{1,80}$/i

/** Ids as Prisma, MongoDB and PostgreSQL make them. */
const GENERATED_ROW_ID = /^(?:c[a-z0-9]{24}|[0-9a-f]{24}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i
const MAY_BE_USER = /^(?:id|uid|(?:[a-z]{1,12}_)?user_?id|owner_id|author_id|client_id|customer_id|utilisateur_id|usuario_id)$/
const OF_USER = /(?:^|_)(?:user|owner|author|client|customer|utilisateur|usuario|profile|account|member)_?id$/
/** Code that answers requests, or is called by what does. */
const REQUEST_HANDLER_FILE = /(?:^|\/)(?:api|actions?|routes?|server|functions|controllers?|services?)\/|(?:^|\/)(?:route|actions?)\.[cm]?[jt]sx?$/

/** Whether a name holds the id of one row and is given as somebody's: `const id = 'cm95…'`, `data: { userId: id }`. */
function standsForUser(name: string, id: string | undefined, js: JavaScriptFacts): boolean {
  if (id === undefined || !says(MAY_BE_USER, name) || !GENERATED_ROW_ID.test(id) || REPEATED_DIGIT_ID.test(id) || /^(.)\1+$/.test(id)) return false
  return js.functions.some((f) =>
    expressions(f).some((e) =>
      subExpressions(e).some((x) => {
        if (x.k === 'obj') return x.props.some((p) => p.key !== undefined && says(OF_USER, p.key) && p.value.k === 'id' && p.value.name === name)
        return x.k === 'call' && says(OF_USER, stringOf(x.args[0]) ?? '') && x.args[1]?.k === 'id' && x.args[1].name === name
      }),
    ),
  )
}

/** Constants such as `BETA_USER_ID` that hold the id of a row and are used in the same file; one for each file. */
export const fixedUsers = collectByCodeFile((path, js: JavaScriptFacts) => {
  if (BY_HAND.test(path)) return undefined
  for (const fn of js.functions) {
    for (const s of statements(fn.body)) {
      if (s.k !== 'let' || !s.init) continue
      const name = boundNames(s.to).find((n) => says(OF_A_TRIAL, n))
      const id = name === undefined ? undefined : stringOf(s.init)
      if (name === undefined || id === undefined || !UUID.test(id) || REPEATED_DIGIT_ID.test(id)) {
        const stands = s.to.k === 'name' ? standsForUser(s.to.name, stringOf(s.init), js) : false
        if (stands && s.to.k === 'name' && REQUEST_HANDLER_FILE.test(path)) return unlessEmpty([{ path, line: s.l, name: s.to.name } satisfies FixedUser])
        continue
      }
      const used = js.functions.some((f) => expressions(f).some((e) => subExpressions(e).some((x) => x.k === 'id' && x.name === name)))
      if (used) return unlessEmpty([{ path, line: s.l, name } satisfies FixedUser])
    }
  }
  return unlessEmpty<FixedUser>([])
})
