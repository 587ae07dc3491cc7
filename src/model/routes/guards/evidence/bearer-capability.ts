import { lastPart } from '../../../../lib/last-part.ts'
import { rememberFor } from '../../../../lib/memo/memoize-by-object.ts'
import { isAlike, mentions } from '../../../behaviour/domain/contains.ts'
import { ENTRY, isCallers } from '../../../behaviour/identity/caller-values.ts'
import { findsSession } from '../../../behaviour/identity/signed-token.ts'
import type { Behaviour, Effect, Step, Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import type { Guard } from '../guard-model.ts'
import { keyForLookUp } from './credential-lookup-rpc.ts'
import { fromProcessor } from './processor-object.ts'

const CAPABILITY_FIELD =
  /token|secret|hash|nonce|share|invite|code|(licen[cs]e|api|access|activation)_?key|session_?id|checkout_?id|payment_?intent|unsubscribe|(?:unique|secret|magic|public)_?link/i

/** What is counted, sold or collected under that name: everybody may know how many, and which. */
const CRYPTO_TOKEN_FIELD = /tokens(?:_|$)|token_?(?:id|name|symbol|address|contract|type|price|cost|points|count|amount|balance|limit|usage)$/i

/** A column that holds something unguessable: by its name, or the slug of a link that is shared. */
function namesCapability(table: string, column: string): boolean {
  const name = lastPart(column)
  return (
    (CAPABILITY_FIELD.test(name) && !CRYPTO_TOKEN_FIELD.test(name)) ||
    (/^slug$/i.test(name) && /share|invit/i.test(table)) ||
    (/^state$/i.test(name) && /oauth|state/i.test(table))
  )
}

/** A query that finds its row by something unguessable that the caller sent: who knows it may. */
export function capability(step: Step, behaviour: Behaviour): Guard | undefined {
  const e = step.effect
  if (e.kind === 'rpc') return secretArgument(e, step)
  if (e.kind !== 'db' || saysThatItIsPaid(e)) return undefined
  const f = e.filters.find(
    (x) =>
      x.op === 'eq' &&
      ((namesCapability(e.table, x.column) && isTainted(x.value)) ||
        findsSession(e.table, x.value) ||
        isOwnVisit(x.value, behaviour) ||
        fromProcessor(x.value, behaviour)),
  )
  const visit = e.op === 'insert' && e.payload && !saysAll(e.table, e.payload) ? visitColumn(e.payload, behaviour) : undefined
  if (visit !== undefined) return { who: 'token', at: step.at, trust: 'verified', how: `${e.table}.${visit}`, refusal: {} }
  const column = f?.column ?? amongOwn(step, behaviour)
  return column ? { who: 'token', at: step.at, trust: 'verified', how: `${e.table}.${column}`, refusal: {} } : undefined
}

/** All that is sent becomes an order: a visitor's own, but at the price and in the state that the visitor says. */
const saysAll = (table: string, payload: Value): boolean =>
  /order|payment|purchase|subscription|invoice|transaction/i.test(table) && payload.v === 'object' && payload.rest !== undefined && isTainted(payload.rest)

const OF_A_PAYMENT = /payment_?intent|checkout_?(?:session_?)?id|stripe_?session/i
const PAYMENT_STATUS_FIELD = /^(?:payment_?|order_?|transaction_?)?(?:status|state)$|^(?:is_?)?paid$/i

/** Whoever pays knows the id of the payment; whether the money arrived is not for the payer to say. */
function saysThatItIsPaid({ op, filters, payload }: Extract<Effect, { kind: 'db' }>): boolean {
  if (op !== 'update' || !payload || !filters.some((f) => OF_A_PAYMENT.test(f.column) && isTainted(f.value))) return false
  return (payload.v === 'any' ? payload.of : [payload]).some(
    (row) => row.v === 'object' && Object.entries(row.props).some(([name, value]) => PAYMENT_STATUS_FIELD.test(name) && isTainted(value)),
  )
}

/** The column by which a new row is the visitor's own; where it is the caller's otherwise (`user ? { userId } : { sessionId }`) as well. */
function visitColumn(payload: Value, behaviour: Behaviour): string | undefined {
  if (payload.v === 'any') {
    const rows = payload.of.map((x) => ({
      of: visitColumn(x, behaviour),
      callers: x.v === 'object' && Object.values(x.props).some((v) => isCallers(v, behaviour)),
    }))
    return rows.every((r) => r.of !== undefined || r.callers) ? rows.find((r) => r.of !== undefined)?.of : undefined
  }
  return payload.v === 'object' ? Object.entries(payload.props).find(([, value]) => isOwnVisit(value, behaviour))?.[0] : undefined
}

/** A cookie in which the application leaves the id of what a visitor has put together: `cartId`, `guest_id`. */
const VISIT_COOKIE =
  /^(?:[a-z]+[-_.]|session|shop|store|my|guest)?(?:(?:cart|basket)(?:[-_]?(?:cart|user|session))?|(?:guest|visitor|anon(?:ymous)?)(?:[-_]?[a-z]{1,12})?)[-_]?(?:u?u?id|token|key)$/i
/** The same in a header, where a page keeps it itself. */
const VISIT_HEADER = /^x-(?:(?:cart|basket|guest|visitor|anon(?:ymous)?)(?:-[a-z]{1,12})?-(?:id|token|key)|session-id)$/i
/** What a new visitor is given at once: `cookies.get('guest_id')?.value ?? crypto.randomUUID()`. */
const NEW_VISITOR_ID_CALL = /(?:^|\.)(?:random|uuid(?:v4)?|v4|nanoid|createId|cuid2?)$/

const isDrawn = (v: Value): boolean => !isTainted(v) && mentions(v, (x) => x.v === 'call' && NEW_VISITOR_ID_CALL.test(x.name))
const isSessionsId = (v: Value): boolean => v.v === 'call' && (v.name === 'req.sessionID' || v.name === `${ENTRY}.id`)

/** Whether a test is about the id of the session; conditions are shared by many values. */
const asksForSession = rememberFor((test: Value): boolean => mentions(test, isSessionsId))

/** The id of the session that express-session keeps for whoever calls, signed in or not: what hangs on it (a cart) is the visitor's own. */
function isOwnVisit(value: Value, behaviour: Behaviour, depth = 0): boolean {
  const next = (x: Value) => depth < 4 && isOwnVisit(x, behaviour, depth + 1)
  if (value.v === 'any') {
    // `if (!req.session.id) req.session.id = …`: the session keeps what was drawn for the visitor
    const kept = value.under?.some((under) => under.some((c) => asksForSession(c.test)))
    return (kept || value.of.some(next)) && value.of.every((x) => x.v === 'const' || isDrawn(x) || next(x))
  }
  if (value.v === 'call') return isSessionsId(value)
  if (value.v === 'request')
    return (value.part === 'cookie' && VISIT_COOKIE.test(value.name ?? '')) || (value.part === 'header' && VISIT_HEADER.test(value.name ?? ''))
  const found = value.v === 'row' ? behaviour.steps[value.step]?.effect : undefined
  if (found?.kind !== 'db') return false
  // the cart that was just opened for the visitor
  if (found.op === 'insert') return depth < 4 && found.payload !== undefined && visitColumn(found.payload, behaviour) !== undefined
  return found.filters.some((f) => f.op === 'eq' && next(f.value))
}

/** `findFirst({ id, cartId })` found what is then changed by its id alone: it is among what the visitor has put together. */
function amongOwn({ effect: e, under }: Step, behaviour: Behaviour): string | undefined {
  if (e.kind !== 'db' || e.op === 'insert') return undefined
  for (const { test, negated } of under) {
    const found = test.v === 'row' && !negated && test.field === undefined && test.step >= 0 ? behaviour.steps[test.step]?.effect : undefined
    if (found?.kind !== 'db' || found.op !== 'select' || found.table !== e.table) continue
    const own = found.filters.find((f) => f.op === 'eq' && isOwnVisit(f.value, behaviour))
    const isKeyed = e.filters.some((f) => f.op === 'eq' && found.filters.some((g) => g.op === 'eq' && g.column === f.column && isAlike(g.value, f.value)))
    if (own && isKeyed) return own.column
  }
  return undefined
}

/** A database function that is given the digest of a secret to look its row up by. */
function secretArgument(e: Extract<Effect, { kind: 'rpc' }>, step: Step): Guard | undefined {
  if (e.args.v !== 'object') return undefined
  const name =
    keyForLookUp(e) ??
    Object.entries(e.args.props).find(([key, value]) => /token|secret|_hash$/i.test(key) && !CRYPTO_TOKEN_FIELD.test(key) && isTainted(value))?.[0]
  return name ? { who: 'token', at: step.at, trust: 'verified', how: `${e.function}, ${name}`, refusal: {} } : undefined
}
