import { PASSWORD } from '../../../lexicon/columns/password.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { compares, mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'

const REQUEST_BODY_PARTS: ReadonlySet<string> = new Set(['body', 'form', 'query'])

const isSent = (v: Value): boolean => v.v === 'request' && REQUEST_BODY_PARTS.has(v.part) && PASSWORD.test(lastPart(v.name ?? ''))
const sendsPassword = (v: Value): boolean => mentions(v, isSent)
const isKept = (v: Value): boolean => v.v === 'row' && PASSWORD.test(lastPart(v.field ?? ''))

/**
 * Where a password that was sent is looked at by the application itself, whatever the handler and its helpers are called: compared with the column of a
 * row, looked for in one, or given to a method of the account that was found (`user.matchPassword(password)`).
 */
export const asksForPassword = rememberFor((steps: readonly Step[]): Place | undefined => {
  for (const { effect: e, at, under } of steps) {
    if (e.kind === 'db' && e.op === 'select' && e.filters.some((f) => f.op === 'eq' && PASSWORD.test(lastPart(f.column)) && sendsPassword(f.value))) return at
    const asked = under.find((c) => looksAtPassword(c.test))
    if (asked) return asked.at
    if (e.kind === 'respond' && e.body && (e.status ?? 200) < 300 && signsForPassword(e.body)) return at
  }
  return undefined
})

const looksAtPassword = rememberFor((test: Value): boolean =>
  mentions(test, (x) => compares(x, isKept, isSent) || (x.v === 'call' && x.args.some((a) => a.v === 'row' && !a.field) && x.args.some(sendsPassword))),
)

/** A token for what a function of the application gave for the password: `sign({ id: (await User.login(email, password)).id })`. */
const signsForPassword = (body: Value): boolean =>
  mentions(
    body,
    (x) =>
      x.v === 'call' &&
      x.name === 'signed-token' &&
      x.args.some((claims) => mentions(claims, (y) => y.v === 'call' && y.name !== 'hash' && y.args.some(sendsPassword))),
  )
