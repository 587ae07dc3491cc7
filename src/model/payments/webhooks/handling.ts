import type { Behaviour, Step, Value } from '../../behaviour/types.ts'
import type { Route } from '../../routes/routes.ts'
import { contains, namesIn, reaches } from '../conditions.ts'
import type { Handling, RefusedState } from '../payments.ts'
import { STATE_COLUMN } from '../sales/status-readers.ts'
import { effectValues, entryPlace } from './verification.ts'

/** Whether anything outside the endpoint reads one of the columns. */
export type Reads = (table: string, columns: readonly string[]) => boolean

/** What the database says to the state that a step stores. */
export type Refuses = (step: Step) => RefusedState | undefined

/** What an endpoint does on the first of the alternative names that it handles; `updated` names the event that may carry the status instead. */
export function handlingOf(
  behaviour: Behaviour,
  route: Route,
  alternatives: readonly string[],
  updated: readonly string[],
  reads: Reads,
  refuses: Refuses,
): Handling {
  const recommended = alternatives[0] as string
  const handled = alternatives.map((event) => onEvent(behaviour, route, event, reads, refuses))
  const best = handled.find((h) => h && !h.refused && h.how !== 'logs-only' && h.how !== 'status-unread') ?? handled.find((h) => h?.how === 'status-unread')
  if (best) return best
  const refused = handled.find((h) => h?.refused)
  if (refused) return refused
  const resync = resyncOf(behaviour, route, recommended)
  if (resync) return resync
  const logged = handled.find((h) => h !== undefined)
  for (const event of updated) {
    const status = statusOn(behaviour, event)
    if (status && !refuses(status)) {
      const rest = { ...(logged?.at ? { logged: logged.at } : {}), ...(writesUnread(status, reads) ? { unread: true as const } : {}) }
      return { event: logged?.event ?? recommended, how: 'status-only', at: entryPlace(status, route), ...rest }
    }
  }
  return logged ?? { event: recommended, how: 'none' }
}

/** Steps that name the event in a condition. */
function onEvent(behaviour: Behaviour, route: Route, event: string, reads: Reads, refuses: Refuses): Handling | undefined {
  const named = behaviour.steps.filter((s) => reaches(s, event).named)
  if (!named.length) return undefined
  const notice = named.find(isNotice)
  const change = named.find((s) => isChange(s) && !refuses(s) && !restsOnRefused(s, behaviour, refuses))
  const refused = change || notice ? undefined : named.find((s) => isChange(s) && refuses(s))
  if (refused) return { event, how: 'acts', at: entryPlace(refused, route), refused: refuses(refused) as RefusedState }
  if (change)
    return { event, how: !notice && named.every((s) => !isChange(s) || writesUnread(s, reads)) ? 'status-unread' : 'acts', at: entryPlace(change, route) }
  if (notice) return { event, how: 'notifies', at: entryPlace(notice, route) }
  // A select, an identification or a call that could not be followed may lead to something.
  const opaque = named.find((s) => s.effect.kind === 'http' || s.effect.kind === 'kv' || s.effect.kind === 'payment' || s.effect.kind === 'storage')
  if (opaque) return { event, how: 'acts', at: entryPlace(opaque, route) }
  const at = named.find((s) => s.effect.kind === 'log') ?? named.find((s) => s.effect.kind !== 'respond')
  return at ? { event, how: 'logs-only', at: entryPlace(at, route) } : undefined
}

/** It is reached only where a write that the database refuses has worked. */
function restsOnRefused(step: Step, { steps }: Behaviour, refuses: Refuses): boolean {
  return step.under.some(
    (c) => c.negated && contains(c.test, (v) => v.v === 'error' && v.of >= 0 && steps[v.of] !== undefined && refuses(steps[v.of] as Step) !== undefined),
  )
}

/** A step that only writes down what nothing looks at: a state, or where it writes none, whatever else. */
function writesUnread({ effect: e }: Step, reads: Reads): boolean {
  if (e.kind !== 'db' || e.client.library !== 'supabase' || (e.op !== 'update' && e.op !== 'upsert') || e.payload?.v !== 'object' || e.payload.rest)
    return false
  const written = Object.keys(e.payload.props).filter((c) => !/^(updated|created)_at$/.test(c))
  const states = written.filter((c) => STATE_COLUMN.test(c))
  const columns = states.length ? states : written
  return columns.length > 0 && !reads(e.table, columns)
}

/** State read from the processor and stored on whatever event came, without a condition that keeps this one out. */
function resyncOf(behaviour: Behaviour, route: Route, event: string): Handling | undefined {
  for (const s of behaviour.steps) {
    if (s.effect.kind !== 'db' || s.effect.op === 'select' || s.effect.op === 'delete') continue
    const { possible } = reaches(s, event)
    if (!possible || keepsOut(s, event)) continue
    if (effectValues(s).some((v) => fromProcessor(v, behaviour))) return { event, how: 'resyncs', at: entryPlace(s, route) }
  }
  return undefined
}

/** True when a step depends on other event names only. */
function keepsOut(step: Step, event: string): boolean {
  return step.under.some((c) => !c.negated && namesIn(c.test).size > 0 && !namesIn(c.test).has(event) && onlyEquality(c.test))
}

function onlyEquality(v: Value): boolean {
  return v.v === 'op' && /^={2,3}$/.test(v.op)
}

/** A result of asking the processor. */
function fromProcessor(v: Value, behaviour: Behaviour): boolean {
  return contains(v, (x) => x.v === 'result' && behaviour.steps[x.step]?.effect.kind === 'payment')
}

/** Where the updated-event stores a status that comes with it. */
function statusOn(behaviour: Behaviour, event: string): Step | undefined {
  for (const s of behaviour.steps) {
    // a function of the database is given the row as it is to be
    const writes = s.effect.kind === 'rpc' || (s.effect.kind === 'db' && s.effect.op !== 'select' && s.effect.op !== 'delete')
    if (!writes || !reaches(s, event).possible) continue
    if (!reaches(s, event).named && !effectValues(s).some((v) => fromProcessor(v, behaviour))) continue
    if (effectValues(s).some((v) => contains(v, isStatus) || chosenByStatus(v)) || s.under.some((c) => contains(c.test, isStatus))) return s
  }
  return undefined
}

/** `subscription.status === 'active' ? 'active' : 'cancelled'`: a state of one's own that follows it. */
function chosenByStatus(value: Value): boolean {
  return contains(value, (v) => v.v === 'any' && (v.under?.some((branch) => branch.some((c) => contains(c.test, isStatus))) ?? false))
}

function isStatus(v: Value): boolean {
  return (
    ((v.v === 'event' || v.v === 'result') && v.field !== undefined && /(^|\.)status$/.test(v.field)) ||
    (v.v === 'request' && v.name !== undefined && /(^|\.)(object|data|attributes)\.status$/.test(v.name)) ||
    (v.v === 'call' && /(^|\.)status$/.test(v.name))
  )
}

function isChange(s: Step): boolean {
  const e = s.effect
  if (e.kind === 'db') return e.op !== 'select' && !/log|webhook|audit|(^|_)events?$/i.test(e.table)
  return (
    e.kind === 'rpc' ||
    e.kind === 'invoke' ||
    e.kind === 'enqueue' ||
    (e.kind === 'auth-call' && (e.op === 'admin' || e.op === 'update-user')) ||
    (e.kind === 'payment' && /\.(update|cancel|pay|del|create|resume|pause)$/.test(e.name))
  )
}

function isNotice(s: Step): boolean {
  return s.effect.kind === 'mail' || s.effect.kind === 'sms'
}
