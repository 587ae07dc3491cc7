import { rememberFor } from '../../lib/remember-for.ts'
import { says } from '../../lib/snake-case.ts'
import type { Value } from '../../model/behaviour/behaviour.ts'
import { isAlike, mentions } from '../../model/behaviour/mentions.ts'
import type { Route } from '../../model/routes/routes.ts'
import { registers } from './registration.ts'

/** Where a code is kept that signs somebody in or sets another password. */
const OPENS_ACCOUNT = /^(?:\w{1,20}_)?(?:reset|otp|magic|login|sign_?in|one_?time|recovery|password)_?(?:\w{1,20}_)?(?:token|code|hash|otp|pin)s?$|^otp$/
/** What a code or the token of a link is drawn by. */
const DRAWN = /random|uuid|nanoid|createId/i

/** Whether the answer holds the code that was to be sent to the account's own address: whoever names an address has the account. */
export const tellsCode = rememberFor((route: Route): boolean => {
  if (registers(route)) return false
  const steps = route.behaviour?.steps ?? []
  const kept = steps.flatMap(({ effect: e }) => {
    if (e.kind !== 'db' || e.op === 'select' || e.op === 'delete' || e.payload?.v !== 'object') return []
    return Object.entries(e.payload.props).flatMap(([column, value]) => (says(OPENS_ACCOUNT, column) ? drawnIn(value) : []))
  })
  return steps.some(
    ({ effect: e }) =>
      e.kind === 'respond' && (e.status ?? 200) < 400 && e.body !== undefined && kept.some((code) => mentions(e.body as Value, (x) => isSame(x, code))),
  )
})

type Drawn = Extract<Value, { v: 'call' }>

function drawnIn(value: Value): Drawn[] {
  const found: Drawn[] = []
  mentions(value, (x) => {
    if (x.v === 'call' && DRAWN.test(x.name)) found.push(x)
    return false
  })
  return found
}

const isSame = (x: Value, code: Drawn): boolean => x.v === 'call' && isAlike(x, code) && x.at?.line === code.at?.line
