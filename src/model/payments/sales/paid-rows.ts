import { opensByBeingThere } from '../../../database/access/column-authority/privilege-columns.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { says } from '../../../lib/snake-case.ts'
import type { Behaviour, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains } from '../conditions.ts'
import type { BoughtRow } from '../payments.ts'
import { proofIn } from '../questions.ts'
import { entryPlace } from '../webhooks/verification.ts'

/** Columns by which a row says that it holds, and for how long. */
const ENTITLEMENT_STATE_COLUMN =
  /^(status|state|active|is_active|enabled|is_enabled|(?:\w{1,20}_)?paid|payment_status|confirmed|is_confirmed|statut|estado|stato)$|^(starts?|ends?|expires?|valid)_?(at|on|date|until)$|^(start|end|expiry|expiration)_date$|_(until|expires_at|ends_at)$|^(credits?|balance|quantity|seats)$|^(is_)?(featured|boosted|promoted|sponsored|highlighted|spotlighted|unlocked)$|(^|_)(boost|promotion|feature|sponsor(ship)?)_(level|type|tier|package)$/i
/** What a payment leaves behind beside what was bought. */
const PAYMENT_SIDE_EFFECT_TABLE = /notif|(^|_)logs?($|_)|audit|event|activit|histor|mail|message|analytic|webhook|metric/i
/** What an object of the processor says before anything was paid as well. */
const BEFORE_PAYMENT = /^(id|object|url|client_secret|client_reference_id|metadata|customer\w*)(\.|$)/

/**
 * Rows that the server writes because the processor says that something was paid, with the columns that say that they hold: behind the
 * signature of a webhook, behind what a payment that was looked up says of itself, or behind the signature that the browser brings along.
 */
export function boughtRows(routes: readonly Route[], webhooks: ReadonlySet<string>): readonly BoughtRow[] {
  const found = new Map<string, BoughtRow>()
  for (const route of routes) {
    if (!route.behaviour) continue
    for (const { step, table, columns, inserted, paid, entitles } of heldRows(route.behaviour)) {
      if (!paid && !webhooks.has(route.subject)) continue
      const at: Place = entryPlace(step, route)
      const key = `${table} ${inserted}`
      const known = found.get(key)
      found.set(
        key,
        known
          ? { ...known, columns: [...new Set([...known.columns, ...columns])] }
          : { table, columns, inserted, at, subject: route.subject, ...(entitles ? { entitles } : {}) },
      )
    }
  }
  return [...found.values()]
}

/** A row that the server writes, with the columns that say that it holds, or what it is about where it holds by being there. */
interface HeldRow extends Pick<BoughtRow, 'table' | 'columns' | 'inserted' | 'entitles'> {
  readonly step: Step
  /** With all rights, and only once a payment object says that something was paid. */
  readonly paid: boolean
}

const heldRows = rememberFor((behaviour: Behaviour): readonly HeldRow[] => {
  const written = behaviour.steps.flatMap((step): Omit<HeldRow, 'entitles'>[] => {
    const e = step.effect
    if (e.kind !== 'db' || !['insert', 'upsert', 'update'].includes(e.op) || !e.payload || PAYMENT_SIDE_EFFECT_TABLE.test(e.table)) return []
    const rows = writtenRows(e.payload)
    if (!rows.length) return []
    const columns = [
      ...new Set(rows.flatMap((row) => Object.entries(row.props).flatMap(([c, value]) => (ENTITLEMENT_STATE_COLUMN.test(c) && isHeld(value) ? [c] : [])))),
    ]
    const paid = e.client.rights === 'service' && (saysPaid(step, behaviour) || step.under.some((c) => proofIn(c.test, behaviour) !== undefined))
    return [{ step, table: e.table, columns, inserted: e.op !== 'update', paid }]
  })
  const elsewhere = written.some((w) => w.columns.length)
  return written.flatMap((row): HeldRow[] => {
    if (row.columns.length) return [row]
    // beside what says that something holds, a purchase is only its receipt
    const what = row.inserted && (opensByBeingThere(lastPart(row.table)) || (PURCHASE_RECORD_NAME.test(row.table) && !elsewhere)) ? thingsNamed(row.step) : []
    return what.length ? [{ ...row, columns: what, entitles: true }] : []
  })
})

/** What is written, which may be put together first (`if (kind === 'deposit') row.deposit_paid = true; else row.final_paid = true`). */
function writtenRows(payload: Value): readonly Extract<Value, { v: 'object' }>[] {
  if (payload.v === 'object') return [payload]
  return payload.v === 'any' ? payload.of.flatMap(writtenRows) : []
}

/** What was bought, which may be a receipt or what opens it. */
const PURCHASE_RECORD_NAME = /(?:^|_)(?:purchases?|compras?|acquisti|achats)$/i

const PURCHASED_THING_COLUMN =
  /^(?!(?:user|owner|customer|client|buyer|student|member|profile|account|author|participant|attendee|order|session|payment|transaction|invoice|checkout|subscription|stripe|paddle|paypal|provider|receipt|coupon|referr\w{1,4})_)\w{1,40}_id$/

/** The columns of a new row that say what it is a row about. */
function thingsNamed({ effect: e }: Step): readonly string[] {
  return e.kind === 'db' && e.payload?.v === 'object' ? Object.keys(e.payload.props).filter((c) => says(PURCHASED_THING_COLUMN, c)) : []
}

/** States that say that something was paid or holds; that work goes on somewhere, or ended, says nothing of it. */
const HELD =
  /^(paid|pagad[oa]|pago|paga|pay[eé]e?|bezahlt|confirm(ed|ad[oa]|[eé]e?)|activ[eoa]|ativ[oa]|aktiv|complet(ed|ad[oa])|succeeded|approved|aprobad[oa]|aprovad[oa]|funded|booked|enrolled)$/i

/** What the processor says, or a state that holds. */
function isHeld(value: Value): boolean {
  if (value.v === 'any') return value.of.some(isHeld)
  return value.v !== 'const' || value.value === true || typeof value.value === 'number' || (typeof value.value === 'string' && HELD.test(value.value))
}

/** Whether a step is reached only when a payment object says something of itself (`session.payment_status === 'paid'`). */
function saysPaid(step: Step, { steps }: Behaviour): boolean {
  if (!steps.some((s) => s.effect.kind === 'payment')) return false
  const said = (v: Value) =>
    v.v === 'result' &&
    v.field !== undefined &&
    !BEFORE_PAYMENT.test(v.field) &&
    steps[v.step]?.effect.kind === 'payment' &&
    /paid|status|state|amount/i.test(v.field)
  return step.under.some((c) => contains(c.test, said))
}
