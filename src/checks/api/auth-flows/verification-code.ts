import { says } from '../../../lib/snake-case.ts'
import { isAlike, mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isTainted } from '../../../model/routes/request/request-taint.ts'
import { ACCOUNT_TABLE_WORD } from './registration.ts'

/** The column of an account that holds what was sent to its user to type: `verificationCode`. */
const VERIFICATION_CODE_COLUMN = /^(?:\w{1,20}_)?(?:otp|verif\w{0,10}|confirm\w{0,7}|two_factor|2fa|mfa)_?(?:code|otp|pin)$|^otp$/i

const isCode = (column: string | undefined): boolean => column !== undefined && says(VERIFICATION_CODE_COLUMN, column)

/** Where an account keeps what is sent to its user when he has forgotten the password, whatever the address of the handler is called. */
const RESETS = /^(?:\w{1,20}_)?(?:reset|recovery|forgot\w{0,8})_?(?:\w{1,20}_)?(?:token|code|hash|otp|pin)s?$/
/** What a code or the token of a link is drawn by. */
export const RANDOM_GENERATOR = /random|uuid|nanoid|createId/i
const PASSWORD_COLUMN = /^(?:hashed_?|encrypted_?)?(?:password|passwd|pwd)(?:_?(?:hash|digest))?$/i
/** What a person types, as the request calls it: `otp`, `verificationCode`. */
const TYPED_CODE_PARAMETER = /^(?:otp|pin|code|\w+(?:Otp|Pin|Code|_otp|_pin|_code)|\w+OTP)$/

/** What a person types, as a value of the request. */
export const isTyped = (v: Value): boolean => v.v === 'request' && TYPED_CODE_PARAMETER.test(v.name ?? '')

/** The step that keeps what was drawn for whoever forgot the password of the account that he names; what is kept goes out by mail or message. */
export function startsReset(steps: readonly Step[]): Step | undefined {
  const keeps = keepsReset(steps)
  return keeps && steps.some(({ effect: e }) => e.kind === 'mail' || e.kind === 'sms') ? keeps : undefined
}

/** The same, whether or not it goes out: who runs the application may hand it on himself, or the message is yet to be written. */
export function keepsReset(steps: readonly Step[]): Step | undefined {
  return steps.find(
    ({ effect: e }) =>
      (e.kind === 'kv' && keepsDrawn(e)) ||
      (e.kind === 'db' &&
        e.op === 'update' &&
        ACCOUNT_TABLE_WORD.test(e.table) &&
        !ofCaller(e) &&
        e.payload?.v === 'object' &&
        Object.entries(e.payload.props).some(([column, v]) => says(RESETS, column) && mentions(v, isDrawn))) ||
      (e.kind === 'db' && (e.op === 'insert' || e.op === 'upsert') && says(OF_RESETS, e.table) && e.payload !== undefined && mentions(e.payload, isDrawn)),
  )
}

/**
 * The step that puts a password of the server's making in the place of the one that was forgotten, for the account whose address the request names; it
 * goes by mail to that very address.
 */
export function mailsNewPassword(steps: readonly Step[]): Step | undefined {
  return steps.find(({ effect: e }, i) => {
    if (e.kind !== 'auth-call' || !/(?:^|\.)updateUserById$/.test(e.name)) return false
    const [who, what] = e.args
    if (what?.v !== 'object' || what.rest || !what.props.password || !isPicked(what.props.password)) return false
    if (Object.keys(what.props).some((key) => key !== 'password' && key !== 'user_metadata')) return false
    const found = who?.v === 'row' ? steps[who.step]?.effect : undefined
    const address = found?.kind === 'db' ? found.filters.find((f) => f.op === 'eq' && /e_?mail/i.test(f.column) && mentions(f.value, isSent))?.value : undefined
    if (who?.v !== 'row' || !address) return false
    const isOwn = (to: Value) =>
      mentions(to, (x) => (x.v === 'row' && x.step === who.step && /e_?mail/i.test(x.field ?? '')) || (isSent(x) && mentions(address, (y) => isAlike(x, y))))
    return steps
      .slice(i + 1)
      .some(({ effect: m }) => m.kind === 'mail' && m.args.some((a) => a.v === 'object' && a.props.to !== undefined && isOwn(a.props.to)))
  })
}

/** Letters that the server picks. */
const isPicked = (v: Value): boolean =>
  !mentions(v, (x) => x.v === 'request' || x.v === 'row') &&
  mentions(v, (x) => x.v === 'call' && (RANDOM_GENERATOR.test(x.name) || /^(?:index|charAt|element)$/.test(x.name)))

const isSent = (v: Value): boolean => v.v === 'request'

/** `password_reset_tokens`, `passwordResets`. */
const OF_RESETS = /(?:^|_)(?:password_?)?resets?(?:_?(?:tokens?|codes?|requests?|links?))?$|(?:^|_)(?:forgot\w{0,8}|recovery)_?(?:tokens?|codes?)$/

type Called = { readonly name: string; readonly args: readonly Value[] }

const isDrawn = (x: Value): boolean => x.v === 'call' && RANDOM_GENERATOR.test(x.name)

/** `redis.set(`reset:${token}`, user.id)`: kept in a store under its own name, or under the address that it goes to. */
const keepsDrawn = ({ name, args: [key, ...values] }: Called): boolean =>
  /(?:^|\.)(?:set|setex|psetex|setnx|put)$/i.test(name) &&
  key !== undefined &&
  mentions(key, (x) => x.v === 'const' && /reset|forgot|recover|password/i.test(String(x.value))) &&
  [key, ...values].some((x) => mentions(x, isDrawn))

/** The step that sets the password of an account for whoever types the code that a row holds. */
export function setsPasswordByCode(steps: readonly Step[]): Step | undefined {
  const isFound = rowsFoundBy(steps, isTyped)
  return steps.find(({ effect: e, under }) => setsPasswordOfAccount(e) && under.some((c) => mentions(c.test, (x) => comparesTyped(x) || isFound(x))))
}

/** Whether a value is of a row that was looked up by what `by` says. */
function rowsFoundBy(steps: readonly Step[], by: (value: Value) => boolean): (v: Value) => boolean {
  const lookedUp = steps.flatMap(({ effect: e }, i) => (e.kind === 'db' && e.filters.some((f) => f.op === 'eq' && by(f.value)) ? [i] : []))
  return (v) => v.v === 'row' && lookedUp.includes(v.step)
}

/** Puts a password that the request brings into the row of an account, which is not the caller's. */
const setsPasswordOfAccount = (e: Step['effect']): boolean =>
  e.kind === 'db' && e.op === 'update' && ACCOUNT_TABLE_WORD.test(e.table) && !ofCaller(e) && setsPassword(e.payload)

/** What a link carries, as the request calls it: `token`, `resetToken`. */
const LINKS = /^(?:\w{1,20}_)?(?:token|hash|key)$/
const isOfLink = (v: Value): boolean => v.v === 'request' && (v.part === 'body' || v.part === 'form') && says(LINKS, v.name ?? '')

/** The step that sets the password of the account whose row, or whose row of a reset, holds the token that somebody sends. */
export function setsPasswordByToken(steps: readonly Step[]): Step | undefined {
  const isFound = rowsFoundBy(steps, isOfLink)
  const isAsked = ({ effect: e, under }: Step) =>
    under.some((c) => mentions(c.test, isFound)) || (e.kind === 'db' && e.filters.some((f) => mentions(f.value, (v) => isFound(v) || isOfLink(v))))
  if (!steps.some(({ effect: e }) => e.kind === 'db' && e.filters.some((f) => f.op === 'eq' && isOfLink(f.value)))) return undefined
  return steps.find(
    (s) =>
      isAsked(s) &&
      (setsPasswordOfAccount(s.effect) ||
        (s.effect.kind === 'auth-call' && s.effect.op === 'admin' && /updateUser/i.test(s.effect.name) && s.effect.args.some(setsPassword))),
  )
}

const setsPassword = (v: Value | undefined): boolean =>
  v?.v === 'object' && Object.entries(v.props).some(([name, x]) => PASSWORD_COLUMN.test(name) && isTainted(x))

/** The row of whoever is signed in. */
const ofCaller = (e: Query): boolean => e.filters.some((f) => mentions(f.value, (v) => v.v === 'caller' && v.trust === 'verified'))

/** What somebody typed beside what a row holds. */
const comparesTyped = (v: Value): boolean => v.v === 'op' && /^[!=]==?$/.test(v.op) && v.of.some((x) => x.v === 'row') && v.of.some((x) => mentions(x, isTyped))

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
