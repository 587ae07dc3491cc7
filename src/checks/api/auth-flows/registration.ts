import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import { HIDDEN_LITERAL, type Step, type Value } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'

/** Tables whose rows are accounts, by name. */
export const ACCOUNT_TABLE_WORD = /user|account|member/i

/** Those whose rows are accounts of people who may do everything. */
export const ADMIN_ACCOUNT_TABLE = /(?:^|[._])(?:super_?)?admin(?:istrator)?s?(?:_(?:users?|accounts?))?$/

/** The step that creates an account with a password: sign-up, whatever the route is called. */
export function registers(route: Route): Step | undefined {
  return route.behaviour?.steps.find(
    ({ effect }) =>
      effect.kind === 'db' && effect.op === 'insert' && ACCOUNT_TABLE_WORD.test(effect.table) && effect.payload !== undefined && keepsPassword(effect.payload),
  )
}

/** Whether the handler makes an account for whoever asks: through the platform, or a row with a password of its own. */
export const signsUp = rememberFor(
  (route: Route): boolean =>
    registers(route) !== undefined ||
    (route.behaviour?.steps.some(keepsWholeBody) ?? false) ||
    (route.behaviour?.steps.some(({ effect: e }) => e.kind === 'auth-call' && (e.op === 'sign-up' || /(?:^|\.)createUser$/.test(e.name))) ?? false),
)

/** `User.create(req.body)`, the password in it. */
const keepsWholeBody = ({ effect: e }: Step): boolean =>
  e.kind === 'db' && e.op === 'insert' && ACCOUNT_TABLE_WORD.test(e.table) && e.payload?.v === 'request' && e.payload.part === 'body' && !e.payload.name

/** Whether the password of the new account stands in the code or the environment: it is the same account whoever asks. */
export const makesSameAccount = ({ effect: e }: Step): boolean => e.kind === 'db' && e.payload !== undefined && hashed(e.payload).some(isFixed)

/** It stands in the code or in the environment. */
const isFixed = (v: Value | undefined): boolean =>
  (v?.v === 'call' && v.name.startsWith(HIDDEN_LITERAL)) || v?.v === 'env' || v?.v === 'const' || (v?.v === 'any' && v.of.every(isFixed))

/** A row with the hash of a password, or with the password itself or a code of its own beside the address that is sent along. */
const keepsPassword = (payload: Value): boolean =>
  payload.v === 'any'
    ? payload.of.some(keepsPassword)
    : hashed(payload).length > 0 || (sends(payload, LOGIN_FIELD) && (sends(payload, /passw|pwd/i) || keepsCode(payload)))

const LOGIN_FIELD = /^(?:e_?mail|user_?name|phone)$/i

/** The code that is sent to whoever registers: with it the account gets its password, or needs none. */
const keepsCode = (payload: Value): boolean =>
  payload.v === 'object' && Object.entries(payload.props).some(([name, v]) => says(REGISTRATION_CODE_FIELD, name) && v.v !== 'request' && !isNothing(v))

const REGISTRATION_CODE_FIELD =
  /^(?:(?:email|phone|sms|login|register|registration)_)?(?:otp|verification_code|verify_code|confirmation_code)(?:_(?:code|hash))?$/
const isNothing = (v: Value): boolean => v.v === 'const' && !v.value

const sends = (payload: Value, column: RegExp): boolean =>
  payload.v === 'object' && Object.entries(payload.props).some(([name, v]) => column.test(name) && v.v === 'request' && v.part === 'body')

/** What a row keeps the hash of as a password. */
function hashed(payload: Value): readonly (Value | undefined)[] {
  if (payload.v !== 'object') return []
  const found: (Value | undefined)[] = []
  for (const [name, value] of Object.entries(payload.props))
    if (/passw|pwd/i.test(name))
      mentions(value, (x) => {
        if (x.v === 'call' && x.name === 'hash') found.push(x.args[0])
        return false
      })
  return found
}
