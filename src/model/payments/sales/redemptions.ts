import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains } from '../conditions.ts'
import type { Redemption } from '../payments.ts'
import { isOfProcessor, proofIn } from '../questions.ts'
import type { Schema } from '../webhooks/event-claim.ts'
import { counts, insertProblem, looksUpFirst, rpcProblem } from '../webhooks/repeated-delivery.ts'
import { isBehindTransition, isTransition } from '../webhooks/state-claim.ts'
import { entryPlace } from '../webhooks/verification.ts'

/**
 * Endpoints that somebody calls after a payment, with its id, and that give what was paid for on the processor's word: `payment_status` of a
 * session, or the signature that the browser brought along. Both stay true for ever, so an endpoint that remembers nothing gives it each time.
 */
export const findRedemptions = (routes: readonly Route[], { tables, functions, policies }: Schema): Redemption[] =>
  routes.flatMap((route) => redemptionBy(route, tables, functions, policies) ?? [])

const redemptionBy = rememberFor(
  (route: Route, tables: Schema['tables'], functions: Schema['functions'], policies: Schema['policies']): Redemption | undefined => {
    const { behaviour } = route
    if (!behaviour?.complete || route.guard?.who === 'admin' || behaviour.steps.some(tellsProcessor)) return undefined
    const schema = { tables, functions, policies }
    const given = behaviour.steps.flatMap((step) => {
      const proof = step.under.map((c) => proofIn(c.test, behaviour)).find((p) => p !== undefined)
      const what = proof && !isRemembered(step, behaviour.steps, schema) ? givenBy(step, schema) : undefined
      // a secret keeps customers out, other than the one that signs what their browsers bring along
      return proof && what && (proof === 'signature' || route.guard?.who !== 'secret') ? [{ what, at: entryPlace(step, route), proof }] : []
    })
    const [first] = given
    return (
      first && {
        subject: route.subject,
        proof: first.proof,
        gives: [...new Map(given.map(({ what, at }) => [what, { what, at }])).values()],
        ...(route.workspace ? { workspace: route.workspace } : {}),
      }
    )
  },
)

/** What the processor is told may be what is remembered: a payment that can be captured once, a mark in its metadata. */
function tellsProcessor({ effect: e }: Step): boolean {
  if (e.kind === 'payment') return /\.(update|capture|confirm)$/.test(e.name)
  if (e.kind !== 'http' || !isOfProcessor(e.args[0])) return false
  return contains(e.args[0], (v) => v.v === 'const' && /capture|confirm/i.test(String(v.value)))
}

/** Whether a second call with the same payment does not get there. */
function isRemembered(step: Step, steps: readonly Step[], schema: Schema): boolean {
  if (isTransition(step) || isBehindTransition(step, steps) || looksUpFirst(step, steps)) return true
  const keyed = (s: Step | undefined): boolean =>
    s?.effect.kind === 'db' && s.effect.op === 'insert' && !insertProblem(s.effect.table, s.effect.payload, schema, s)
  // other clients throw for a row that is there already
  if (steps.some((s) => s !== step && s.effect.kind === 'db' && s.effect.client.library !== 'supabase' && keyed(s))) return true
  return step.under.some((c) =>
    contains(c.test, (v) => {
      if (v.v === 'error') return keyed(steps[v.of])
      if (v.v === 'result') return ['kv', 'rpc', 'invoke', 'limit'].includes(steps[v.step]?.effect.kind ?? '')
      return v.v === 'row' ? keyed(steps[v.step]) : v.v === 'call' && REMEMBERS.test(v.name)
    }),
  )
}

const REMEMBERS = /already|process|redeem|used|claim|dup|seen|credited|fulfil|idempot|consum/i

/** Columns that say until when something is paid. */
const UNTIL =
  /^(expir\w*|current_period_end|(ends?|renews?)_?at|(ends?|valid|renews?)_?(on|date)|end)$|(_|[a-z])(until|expires_at|ends_at|expiry|end_date|expires)$/i
/** Rows that are worth something one by one. */
const REDEEMABLE_TABLE = /order|ticket|booking|purchase|licen[cs]e|voucher|gift_?card|credit/i

function givenBy(step: Step, schema: Schema): string | undefined {
  const e = step.effect
  if (e.kind === 'mail' || e.kind === 'sms') return e.kind === 'mail' ? 'sends a mail' : 'sends a text message'
  if (e.kind === 'rpc') return rpcProblem(e.function, e.args, schema.functions)?.what.replace(/ without any id of the event$/, '')
  if (e.kind !== 'db' || (e.op !== 'insert' && e.op !== 'update' && e.op !== 'upsert')) return undefined
  if (e.op !== 'insert' && counts(e.table, e.payload)) return `adds to a value in ${e.table}`
  const repeated = e.op === 'insert' ? insertProblem(e.table, e.payload, schema, step) : undefined
  if (e.op === 'insert' && !repeated?.severe) return undefined
  const until = e.payload?.v === 'object' ? Object.entries(e.payload.props).find(([column, value]) => UNTIL.test(column) && isFromClock(value)) : undefined
  if (until) return `sets ${until[0]} in ${e.table}, counted from now`
  return repeated && REDEEMABLE_TABLE.test(e.table) ? `inserts into ${e.table}` : undefined
}

const isFromClock = (value: Value): boolean =>
  contains(value, (v) => v.v === 'call' && v.args.length === 0 && /^(Date|Date\.now|now|dayjs|moment|DateTime\.(now|utc|local))$/.test(v.name))
