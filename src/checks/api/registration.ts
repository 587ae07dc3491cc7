import { rememberFor } from '../../lib/remember-for.ts'
import type { Step, Value } from '../../model/behaviour/behaviour.ts'
import { mentions } from '../../model/behaviour/mentions.ts'
import type { Route } from '../../model/routes/routes.ts'

/** Tables whose rows are accounts, by name. */
export const ACCOUNTS = /user|account|member/i

/** The step that creates an account with a password: sign-up, whatever the route is called. */
export function registers(route: Route): Step | undefined {
  return route.behaviour?.steps.find(
    ({ effect }) =>
      effect.kind === 'db' && effect.op === 'insert' && ACCOUNTS.test(effect.table) && effect.payload !== undefined && keepsPassword(effect.payload),
  )
}

/** Whether the handler makes an account for whoever asks: through the platform, or a row with a password of its own. */
export const signsUp = rememberFor(
  (route: Route): boolean =>
    registers(route) !== undefined ||
    (route.behaviour?.steps.some(({ effect: e }) => e.kind === 'auth-call' && (e.op === 'sign-up' || /(?:^|\.)createUser$/.test(e.name))) ?? false),
)

/** A row with the hash of a password. */
function keepsPassword(payload: Value): boolean {
  return (
    payload.v === 'object' &&
    Object.entries(payload.props).some(([name, value]) => /passw|pwd/i.test(name) && mentions(value, (x) => x.v === 'call' && x.name === 'hash'))
  )
}
