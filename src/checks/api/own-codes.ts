import { says } from '../../lib/snake-case.ts'
import type { Step, Value } from '../../model/behaviour/behaviour.ts'
import { mentions } from '../../model/behaviour/mentions.ts'

/** The column of an account that holds what was sent to its user to type: `verificationCode`. */
const CODE = /^(?:\w{1,20}_)?(?:otp|verif\w{0,10}|confirm\w{0,7}|two_factor|2fa|mfa)_?(?:code|otp|pin)$|^otp$/i

const isCode = (column: string | undefined): boolean => column !== undefined && says(CODE, column)

/** The step that somebody reaches who types the code in his own row. */
export function behindTypedCode(steps: readonly Step[]): Step | undefined {
  return steps.find(({ effect: e, under }) => e.kind === 'db' && e.op !== 'select' && under.some((c) => mentions(c.test, comparesCode)))
}

function comparesCode(v: Value): boolean {
  if (v.v !== 'op' || !/^[!=]==?$/.test(v.op)) return false
  return v.of.some((x) => x.v === 'row' && isCode(x.field)) && v.of.some((x) => x.v === 'request' && x.part === 'body')
}

/** The message with a code that is made and kept in the same handler. */
export function sendsNewCode(steps: readonly Step[]): Step | undefined {
  const keeps = steps.some(
    ({ effect: e }) => e.kind === 'db' && e.payload?.v === 'object' && Object.entries(e.payload.props).some(([column, v]) => isCode(column) && v.v !== 'const'),
  )
  return keeps ? steps.find(({ effect: e }) => e.kind === 'mail' || e.kind === 'sms') : undefined
}
