import type { Table } from '../../../database/database.ts'
import { says } from '../../../lib/snake-case.ts'
import { compares, isAlike, mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Effect, Step, Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

const TOKEN_COLUMN = /^(?:access|refresh|id|bearer|api|auth)?_?(?:token|secret|key)$|^token_?type$/i

/**
 * The application keeps its own token of another service and writes a new one when it has run out: the row is nobody's, and whoever calls
 * chooses neither which nor what.
 */
export function renewsOwnToken(e: Extract<Effect, { kind: 'db' }>, table: Table | undefined): boolean {
  const user = table?.userData
  if (
    !user ||
    user.ownerColumns.length ||
    user.tenantColumns.length ||
    !user.personalColumns.length ||
    !user.personalColumns.every((c) => TOKEN_COLUMN.test(c))
  )
    return false
  if ((e.op !== 'insert' && e.op !== 'update' && e.op !== 'upsert') || e.unread || e.payload?.v !== 'object' || e.payload.rest) return false
  return [...Object.values(e.payload.props), ...e.filters.map((f) => f.value)].every((v) => !isTainted(v))
}

/**
 * A token of another service that has run out is renewed on the way to something else, with the refresh token that its row holds: the caller chooses
 * nothing of what is kept, whichever row it is.
 */
export function renewsToken({ effect: e }: Step, { steps }: Behaviour, index: number): boolean {
  if (e.kind !== 'db' || e.op !== 'update' || e.payload?.v !== 'object' || e.payload.rest) return false
  const set = Object.entries(e.payload.props)
  if (!set.some(([column]) => says(TOKEN_COLUMN, column)) || set.some(([, v]) => isTainted(v))) return false
  const asked = steps.slice(0, index).findLast((s) => s.effect.kind === 'http')?.effect
  const named = (word: string) => asked?.kind === 'http' && asked.args.some((a) => mentions(a, (x) => x.v === 'const' && String(x.value).includes(word)))
  return named('refresh_token') && !named('authorization_code') && !handsOn(steps)
}

/** What another service answered is in the handler's own answer, which is got with the token: that the token was renewed is part of handing it out. */
const handsOn = (steps: readonly Step[]): boolean =>
  steps.some(({ effect: e }) => e.kind === 'respond' && e.body !== undefined && (e.status ?? 200) < 300 && !tellsNothing(e.body, steps))

const tellsNothing = (body: Value, steps: readonly Step[]): boolean =>
  !mentions(body, (x) => x.v === 'unknown' || ((x.v === 'result' || x.v === 'row') && steps[x.step]?.effect.kind === 'http'))

const CACHE_TABLE = /(?:^|_)cached?(?:_|$)/i
/** What a cached answer is found by. */
const CACHE_KEY_COLUMN = /(?:^|_)(?:id|key|hash|slug|query|url|place|lang|locale|language)$/i

/** What another service answered is kept for the next time: the caller says what is looked up, not what is kept. */
export function fillsCache(e: Extract<Effect, { kind: 'db' }>): boolean {
  if (!CACHE_TABLE.test(e.table) || e.op === 'select' || e.op === 'delete' || e.unread || e.payload?.v !== 'object' || e.payload.rest) return false
  return Object.entries(e.payload.props).every(([column, v]) => !isTainted(v) || CACHE_KEY_COLUMN.test(column))
}

/** Where messages are pushed to. */
const DEVICES = /(?:^|[._])(?:(?:web_?)?push_?(?:subscriptions?|tokens?|endpoints?)|(?:device|fcm|apns)_?tokens?)$/i

/** A device that the push service does not know any more (`410 Gone`) is taken off the list: which one it is says the row that the message was for. */
export function dropsDevice(e: Extract<Effect, { kind: 'db' }>): boolean {
  if (e.op !== 'delete' || e.unread || !says(DEVICES, e.table) || !e.filters.length) return false
  return e.filters.every((f) => !isTainted(f.value)) && e.filters.some((f) => mentions(f.value, (x) => x.v === 'row'))
}

/** Codes that are sent to somebody, and that expire. */
const SENT_CODE_PURPOSE = /verif|confirm|otp|one_?time|magic|reset/i
const EXPIRING_CODE_TABLE = /(?:tokens?|codes?|links?|otps?|verifications?)$/i

/** Whoever asks for another code has the last one taken back: the rows go under the same name as the new one that follows, which is sent to whom it names. */
export function replacesCode({ effect: e }: Step, { steps }: Behaviour, index: number): boolean {
  if (e.kind !== 'db' || e.op !== 'delete' || e.unread || !SENT_CODE_PURPOSE.test(e.table) || !EXPIRING_CODE_TABLE.test(e.table) || !e.filters.length)
    return false
  return steps.slice(index + 1).some(({ effect: made }) => {
    if (made.kind !== 'db' || (made.op !== 'insert' && made.op !== 'upsert') || made.table !== e.table || made.payload?.v !== 'object') return false
    const { props } = made.payload
    return e.filters.every((f) => f.op === 'eq' && props[f.column] !== undefined && isAlike(f.value, props[f.column] as Value))
  })
}

/** What a row keeps of a code that is on its way to whom the row is about. */
const OF_CODE = /otp|verif|confirm|reset|magic|one_?time|_code$|attempts?$|expires?|_at$/i
const THE_CODE = /(?:otp|code|token)(?:_?hash)?$/i
const ADDRESSEE_COLUMN = /e_?mail$|phone$|mobile$/i

/** A row gets a new code to be asked for, which goes out at once: the caller chooses neither the code nor, where the address is compared with the row's own, whom it reaches. */
export function keepsNewCode({ effect: e, under }: Step, { steps }: Behaviour, index: number): boolean {
  if (e.kind !== 'db' || e.op !== 'update' || e.unread || e.payload?.v !== 'object' || e.payload.rest) return false
  const set = Object.entries(e.payload.props)
  if (!set.some(([c]) => THE_CODE.test(c) && SENT_CODE_PURPOSE.test(c)) || !set.every(([c]) => OF_CODE.test(c))) return false
  if (!set.every(([c, v]) => !isTainted(v) || (ADDRESSEE_COLUMN.test(c) && isComparedWith(e.table, v, under)))) return false
  return steps.slice(index + 1).some(({ effect: sent }) => sent.kind === 'mail' || sent.kind === 'sms')
}

/** Whether a value had to be equal to something of the table's row to get here. */
function isComparedWith(table: string, value: Value, under: Step['under']): boolean {
  const ofRow = (x: Value) => x.v === 'row' && x.table === table
  const isValue = (x: Value) => isAlike(x, value)
  return under.some((c) => mentions(c.test, (x) => compares(x, ofRow, isValue)))
}

const ISSUED_AT_COLUMN = /^(?:created|issued|sent|requested)_?(?:at|on)$/i
const ENDS_AT = /^(?:expir\w*|valid_?(?:until|to)|\w{0,20}expires?_?(?:at|on)?)$/i

/** A code that has run out is thrown away where somebody tries it: it opened nothing any more. */
export function throwsAwayExpired({ effect: e, under }: Step): boolean {
  if (e.kind !== 'db' || e.op !== 'delete' || e.unread || !SENT_CODE_PURPOSE.test(e.table) || !EXPIRING_CODE_TABLE.test(e.table)) return false
  return under.some((c) => !c.negated && c.test.v === 'op' && saysExpired(c.test.op, c.test.of, e.table))
}

/** `row.expires_at < now`, `now - row.created_at > limit`, and the same from the other side. */
function saysExpired(op: string, [left, right]: readonly Value[], table: string): boolean {
  const before = op === '<' || op === '<='
  if (!left || !right || !(before || op === '>' || op === '>=')) return false
  const has = (v: Value, field: RegExp) => mentions(v, (x) => x.v === 'row' && x.table === table && field.test(x.field ?? ''))
  if (has(left, ENDS_AT)) return before
  if (has(right, ENDS_AT)) return !before
  const isAge = (v: Value) => v.v === 'op' && v.op === '-' && has(v, ISSUED_AT_COLUMN)
  if (isAge(left)) return !before
  if (isAge(right)) return before
  return has(left, ISSUED_AT_COLUMN) ? before : has(right, ISSUED_AT_COLUMN) && !before
}
