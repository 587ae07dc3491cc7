import type { Table } from '../../../database/database.ts'
import type { Condition, Step, Value } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { contains } from '../conditions.ts'

export type Schema = Pick<SchemaModel, 'tables' | 'functions' | 'policies'>

/** The record of processed events: where it is looked up and inserted. */
export interface Claim {
  readonly table: string
  readonly insert?: number
  readonly look: number
  /** Undefined when the schema does not show the table. */
  readonly unique: boolean | undefined
  /** An event that is recorded ends the handler: what comes later is not reached again. */
  readonly ends?: boolean
}

export function eventClaim(steps: readonly Step[], schema: Pick<SchemaModel, 'tables'>): Claim | undefined {
  for (const [i, s] of steps.entries()) {
    const e = s.effect
    if (
      e.kind === 'rpc' &&
      contains(e.args, isEventId) &&
      steps.some((x) => x.under.some((c) => contains(c.test, (v) => (v.v === 'result' && v.step === i) || (v.v === 'error' && v.of === i))))
    ) {
      return { table: `the database function ${e.function}`, look: i, unique: true }
    }
    if (
      e.kind === 'kv' &&
      e.args.some((a) => contains(a, isEventId)) &&
      steps.some((x) => x.under.some((c) => contains(c.test, (v) => v.v === 'result' && v.step === i)))
    )
      return { table: e.name, look: i, unique: true }
    if (e.kind !== 'db') continue
    const column = eventIdColumn(e.payload) ?? e.filters.find((f) => contains(f.value, isEventId))?.column
    if (!column) continue
    const conditioned = steps.some((x) => x.under.some((c) => contains(c.test, (v) => (v.v === 'row' && v.step === i) || (v.v === 'error' && v.of === i))))
    if (e.op === 'select' && conditioned) {
      const insert = steps.findIndex(
        (x) => x.effect.kind === 'db' && x.effect.op !== 'select' && x.effect.table === e.table && eventIdColumn(x.effect.payload) !== undefined,
      )
      const marks = insert === -1 ? steps.findIndex((x) => x.effect.kind === 'db' && x.effect.op !== 'select' && x.effect.table === e.table) : insert
      if (marks === -1) continue
      return { table: e.table, look: i, ...(insert === -1 ? {} : { insert }), unique: isUnique(e.table, [column], schema) }
    }
    if ((e.op === 'insert' || e.op === 'upsert') && conditioned) return { table: e.table, look: i, insert: i, unique: isUnique(e.table, [column], schema) }
  }
  return undefined
}

export function endsHandler(steps: readonly Step[], claim: Claim): boolean {
  const about = (c: Condition) =>
    contains(
      c.test,
      (v) =>
        ((v.v === 'row' || v.v === 'result') && (v.step === claim.look || v.step === claim.insert)) ||
        (v.v === 'error' && (v.of === claim.insert || v.of === claim.look)),
    )
  return steps.some(
    (s) => s.under.some((c) => about(c) && c.otherwise.ends) || (s.effect.kind === 'respond' && (s.effect.status ?? 200) < 300 && s.under.some(about)),
  )
}

/** Where processors carry it in the body. */
const EVENT_ID = /^(?:event\.|notification\.|payload\.)?(?:id|event_id|eventId|notification_id)$/

/** The id of the event itself. */
export function isEventId(v: Value): boolean {
  return (
    (v.v === 'event' && v.field === 'id') ||
    (v.v === 'request' && v.part === 'body' && v.name !== undefined && EVENT_ID.test(v.name)) ||
    (v.v === 'request' && v.part === 'header' && v.name !== undefined && /webhook-id|svix-id|event-id/.test(v.name))
  )
}

function eventIdColumn(payload: Value | undefined): string | undefined {
  const object = payload?.v === 'array' ? payload.items[0] : payload
  if (object?.v !== 'object') return undefined
  return Object.entries(object.props).find(([, v]) => isEventId(v) || (v.v === 'any' && v.of.some(isEventId)))?.[0]
}

/** True when getting to the step depends on the claim's outcome. */
export function isGuarded(step: Step, claim: Claim): boolean {
  return step.under.some((c) =>
    contains(c.test, (v) =>
      v.v === 'row' || v.v === 'result' ? v.step === claim.look || v.step === claim.insert : v.v === 'error' && (v.of === claim.look || v.of === claim.insert),
    ),
  )
}

/** The record is written with nobody's rights, and no policy lets nobody in: the insert fails each time, and nothing is remembered. */
export function isRefused(claim: Claim, steps: readonly Step[], schema: Schema): boolean {
  const e = claim.insert === undefined ? undefined : steps[claim.insert]?.effect
  const t = tableNamed(claim.table, schema)
  if (e?.kind !== 'db' || e.client.library !== 'supabase' || (e.client.rights !== 'anon' && e.client.rights !== 'caller') || !t?.rls.enabled || t.stub)
    return false
  return !schema.policies.some(
    (p) =>
      p.schema === t.schema &&
      p.table === t.name &&
      p.permissive &&
      (p.command === 'insert' || p.command === 'all') &&
      p.roles.some((r) => r === 'anon' || r === 'public') &&
      (p.check ?? p.using) !== 'false',
  )
}

export function isEffect(s: Step): boolean {
  const e = s.effect
  return (e.kind === 'db' && e.op !== 'select') || ['rpc', 'mail', 'sms', 'invoke', 'payment', 'http', 'auth-call', 'enqueue'].includes(e.kind)
}

export function tableNamed(name: string, schema: Pick<SchemaModel, 'tables'>): Table | undefined {
  const plain = (n: string) =>
    n
      .replace(/^public\./, '')
      .replace(/[_"]/g, '')
      .toLowerCase()
  return (
    schema.tables.find((t) => t.name === name && t.schema === 'public') ??
    schema.tables.find((t) => plain(t.name) === plain(name)) ??
    schema.tables.find((t) => t.calledInCode !== undefined && plain(t.calledInCode) === plain(name)) ??
    schema.tables.find((t) => plain(t.name) === `${plain(name)}s`)
  )
}

/** Undefined when the schema does not hold the table. */
export function isUnique(table: string, columns: readonly string[], schema: Pick<SchemaModel, 'tables'>): boolean | undefined {
  const t = tableNamed(table, schema)
  if (!t || t.stub) return undefined
  // an ORM's field `userId` may be the column `user_id`
  const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const wanted = columns.map(letters)
  return [t.primaryKey, ...t.uniques.filter((u) => !u.partial).map((u) => u.columns)].some((k) => k.length > 0 && k.every((c) => wanted.includes(letters(c))))
}
