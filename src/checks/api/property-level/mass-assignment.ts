import { saysWhereToSend } from '../../../database/access/column-authority/privilege-columns.ts'
import type { AccessMatrix, Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { ACCEPTED, isCallers, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { rlsState } from '../binding/rls-outcome.ts'
import { addedTo, isTransfer } from '../exceptions/balanced-transfer.ts'
import { tellsAnother } from '../exceptions/notification-row.ts'
import {
  breachOfColumn,
  callerOf,
  directly,
  isRequestControlled,
  OWN_METADATA,
  OWNER_COLUMN,
  type OwnershipBreach,
  referredTo,
  tableOf,
  verbOf,
} from '../shared/violation.ts'

/** Columns that hold the key of whom they name, as documents do. */
const NAMED_IN_DOCUMENT = /^(?:user|owner|author|customer|sender)$/
const FORGEABLE = /^(?:user_?id|owner_?id|author_?id|created_?by(?:_?id)?|profile_?id|uid|sender_?id)$/i

/** The owner taken from the request, and whole bodies written with rights above the caller's. */
export function payloadBreaches(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables' | 'enums'>): OwnershipBreach[] {
  if (!e.payload || e.client.rights !== 'service' || e.op === 'delete' || e.op === 'select') return []
  const tied = ties.byCondition(step)
  const table = tableOf(e, schema)
  const out: OwnershipBreach[] = []
  /** What is written about the caller: an invitation says into what he may, not as what. */
  const ofOneself = new Set<OwnershipBreach>()
  const written = (kind: OwnershipBreach['kind'], column: string, by: string): OwnershipBreach => ({
    ...breachOfColumn(kind, step.at, { verb: verbOf(e), table: e.table }, column, by),
    callerAs: callerOf(behaviour),
  })
  for (const payload of payloadRows(e.payload)) {
    const owners = new Set(table?.userData?.ownerColumns ?? [])
    if (payload.v === 'object') {
      for (const [column, value] of Object.entries(payload.props)) {
        const replaced = isReplaced(value, behaviour)
        if (replaced && hasShape(step)) continue
        const names = FORGEABLE.test(column) || (e.client.library === 'mongoose' && NAMED_IN_DOCUMENT.test(column))
        if ((owners.has(column) && (OWNER_COLUMN.test(column) || replaced)) || names) {
          if (table && isBesideOwner(table, column, payload.props, behaviour, schema)) continue
          if (
            isRequestControlled(value, behaviour) &&
            directly(value) &&
            !tellsAnother(e, column, value, payload.props, behaviour) &&
            !givesOwn(e, column, behaviour)
          )
            out.push(written('forged-owner', column, requestName(value) ?? 'a value of the request'))
        } else if (
          (grantsPower(column, e.table, table) || isPlanOfTenant(column, e, table, payload.props)) &&
          !(e.op === 'insert' && appointsIntoOwn(payload.props, behaviour)) &&
          !isTransfer(step, column, value, behaviour)
        ) {
          const by =
            chosenByCaller(value, behaviour, schema) && !isHarmlessChoice(step, value)
              ? (requestName(addedTo(value) ?? value) ?? (value.v === 'any' ? pickedBy(value, behaviour) : undefined) ?? OWN_METADATA)
              : decidingClaim(step, value)
          if (!by) continue
          const breach = written('power', column, by)
          out.push(breach)
          if (Object.entries(payload.props).some(([c, v]) => owners.has(c) && OWNER_COLUMN.test(c) && isCallers(v, behaviour))) ofOneself.add(breach)
        }
      }
    }
    const whole = wholeBody(payload)
    if (whole) {
      const bound = new Set([...(payload.v === 'object' ? Object.keys(payload.props) : []), ...(whole.without ?? []).map(snakeCase)])
      const power = powerColumns(table).filter((c) => !bound.has(c))
      // a row that is there already can be moved into another tenant
      const owner = [...owners, ...(e.op === 'update' ? (table?.userData?.tenantColumns ?? []) : [])].filter((c) => !bound.has(c))
      const paid =
        !power.length && (whole.without || !hasShape(step))
          ? table?.columns.find((c) => PAYMENT_STATE_FIELD.test(c.name) && !bound.has(c.name))?.name
          : undefined
      const house = !power.length && !paid && table && (whole.without || !hasShape(step)) ? saidByHouse(table).find((c) => !bound.has(c)) : undefined
      const column = paid ?? house
      if (column) {
        out.push({
          ...written('mass-assignment', column, requestName(whole) ?? 'the request body'),
          severity: 'High',
          ...(bound.size ? { bound: true as const } : {}),
          paid: paid ? true : 'house',
        })
        continue
      }
      if (table && !table.stub && !power.length && (!owner.length || e.op === 'update') && !(e.op === 'update' && owner.length)) continue
      out.push({
        kind: 'mass-assignment',
        severity: power.length ? 'Critical' : 'High',
        at: step.at,
        table: e.table,
        verb: verbOf(e),
        by: requestName(whole) ?? 'the request body',
        ...((power[0] ?? owner[0]) ? { ownerColumn: (power[0] ?? owner[0]) as string } : {}),
        ...(bound.size ? { bound: true as const } : {}),
        what: `${verbOf(e)} ${e.table} with the whole request body`,
      })
    }
  }
  const along = payloadRows(e.payload).flatMap((row) =>
    authorsAlong(e, row, behaviour).map(([column, value]) => written('forged-owner', column, requestName(value) ?? 'a value of the request')),
  )
  if (!tied) return [...out, ...along]
  along.push(...out.filter((b) => b.kind === 'forged-owner' && isSaidByAnother(b, step, e, behaviour)))
  // whose row it is was asked; what the caller may write into the own one was not
  if (!ties.keyedByCaller(step))
    return [...out.filter((b) => ofOneself.has(b) || (b.kind === 'mass-assignment' && b.ownerColumn !== undefined && e.op === 'update')), ...along]
  const own = out.flatMap((b) =>
    b.kind === 'power' || b.paid || (b.kind === 'mass-assignment' && b.severity === 'Critical') ? [{ ...b, own: true as const }] : [],
  )
  return [...own, ...along]
}

/** `{ user_id: user.id, profile_id: body.profile }` where the profile is a row of settings: the row says whose it is, and the other column names something that people have. */
function isBesideOwner(
  table: Table,
  column: string,
  written: Readonly<Record<string, Value>>,
  behaviour: Behaviour,
  schema: Pick<SchemaModel, 'tables'>,
): boolean {
  const target = referredTo(table, column, schema)
  const owners = target?.userData?.ownerColumns ?? []
  if (!target || target.stub || !owners.length || target.primaryKey.some((c) => owners.includes(c))) return false
  return (table.userData?.ownerColumns ?? []).some((c) => c !== column && written[c] !== undefined && isCallers(written[c], behaviour))
}

/** `update tokens set owner = $to where owner = $me`: what is the caller's own becomes somebody else's. */
const givesOwn = (e: Query, column: string, behaviour: Behaviour): boolean =>
  e.op === 'update' && e.filters.some((f) => f.op === 'eq' && lastPart(f.column) === column && isCallers(f.value, behaviour))

/** The body of the request, where a row is written with all that it brings. */
export function wholeBody(payload: Value): Extract<Value, { v: 'request' }> | undefined {
  const whole = payload.v === 'object' ? payload.rest : payload
  if (whole?.v !== 'request' || whole.as || (whole.part !== 'body' && whole.part !== 'form')) return undefined
  return whole.name && payloadIsScalar(whole.name) ? undefined : whole
}

const AUTHORED_TEXT_TABLE = /(?:^|_)(?:messages?|comments?|repl(?:y|ies)|posts?|notes?|reviews?)$/
const AUTHOR_FIELD = /^(?:sender|author|posted_by|written_by|from_user|user)(?:_?id)?$/

/** That the caller is in the conversation was asked; in whose name the message is, the request says. */
function isSaidByAnother({ ownerColumn = '', by }: OwnershipBreach, step: Step, e: Query, behaviour: Behaviour): boolean {
  if (e.op !== 'insert' || !says(AUTHORED_TEXT_TABLE, lastPart(e.table)) || !says(AUTHOR_FIELD, ownerColumn)) return false
  const named = (x: Value) => x.v === 'request' && requestName(x) === by
  return !step.under.some((c) => mentions(c.test, named) && mentions(c.test, (x) => isCallers(x, behaviour)))
}

/** What somebody hands out so that others name it. */
const REFERRAL_CODE_FIELD = /(?:^|_)(?:(?:referral|invite|invitation|promo|coupon|affiliate|partner|discount|ref)_?(?:code|slug)|referrer_code)$/i

/** Who is said to have written what is created along with a row: Prisma's `data: { messages: { create: { senderId } } }`. */
function authorsAlong(e: Query, row: Value, behaviour: Behaviour): readonly (readonly [string, Value])[] {
  if (e.client.library !== 'prisma' || row.v !== 'object') return []
  const made = Object.values(row.props).flatMap((v) => (v.v === 'object' && v.props.create ? payloadRows(v.props.create) : []))
  return made.flatMap((m) =>
    m.v === 'object'
      ? Object.entries(m.props).filter(([column, value]) => FORGEABLE.test(column) && isRequestControlled(value, behaviour) && directly(value))
      : [],
  )
}

/** What says of an order or a booking that it was paid, or that somebody has seen the money. */
const PAYMENT_STATE_FIELD =
  /^(?:payment_(?:status|state|verified|confirmed|received)|(?:is_?)?paid|paid_(?:at|amount)|amount_paid|(?:\w{1,20}_)?verified_payment)$/i

const OPERATOR_DECIDED_FIELD =
  /^(?:commission_(?:rate|percent(?:age)?)|verification_(?:status|level)|is_certified|(?:is_)?verified_?(?:purchase|buyer|seller|review)|is_verified)$/
/** What people pay the application for, in what they offer to others. */
const PROMOTED = /^(?:(?:is_)?(?:featured|promoted|sponsored)(?:_until)?)$/
const CHARGED = /^(?:total|total_(?:amount|price|cents)|amount_(?:due|total))$/i
const CHARGED_AS = /^stripe_(?:payment_intent|checkout|session|charge)|^payment_intent_id$/i

/** What the application says of whoever offers something in it, and what an order costs that a processor charges. */
const saidByHouse = ({ columns, userData }: Table): readonly string[] =>
  columns
    .map((c) => c.name)
    .filter(
      (c) =>
        says(OPERATOR_DECIDED_FIELD, c) ||
        (says(PROMOTED, c) && (userData?.ownerColumns.length ?? 0) > 0) ||
        (CHARGED.test(c) && columns.some((x) => CHARGED_AS.test(x.name))),
    )

const GRANTOR_FIELD = /^(?:invited|added|granted|shared|created)_?by(?:_user)?(?:_?id)?$|^(?:inviter|owner|host)(?:_user)?_?id$/i
const GRANTEE_FIELD = /^(?:(?:invitee|invited|member|guest|collaborator|recipient)_?)?e_?mail$|^(?:invitee|member|guest|collaborator|user)_?id$/i
const TENANT_OR_GROUP_ID_FIELD =
  /^(?:org|organi[sz]ation|team|workspace|tenant|company|business|group|project|account|family|household|store|shop|club|school|agency)_?(?:id|uuid)$/i

/**
 * Somebody names another person and says as what, in what is the caller's alone: `{ invited_by: user.id, email, role }`. Where the row names a
 * group, it is the group that has to say who may.
 */
function appointsIntoOwn(props: Readonly<Record<string, Value>>, behaviour: Behaviour): boolean {
  const columns = Object.entries(props)
  const callers = (v: Value) => isCallers(v, behaviour)
  return (
    columns.some(([name, v]) => GRANTOR_FIELD.test(name) && callers(v)) &&
    columns.some(([name, v]) => GRANTEE_FIELD.test(name) && !callers(v)) &&
    !columns.some(([name, v]) => TENANT_OR_GROUP_ID_FIELD.test(name) && !callers(v))
  )
}

/** `{ owner_id: user.id, ...body }`: the caller's own id, unless the body brings another. */
const isReplaced = (value: Value, behaviour: Behaviour): boolean =>
  value.v === 'any' && value.of.some((x) => x.v === 'request') && value.of.some((x) => isCallers(x, behaviour))

/** A schema that could not be read let the request through: it may leave out what the application sets itself. */
export const hasShape = (step: Step): boolean => step.under.some((c) => !c.negated && mentions(c.test, (x) => x.v === 'call' && x.name === ACCEPTED))

/** What grants rights or money to the person whose row it is; a `role` of a chat message is none. */
function grantsPower(column: string, name: string, table: Table | undefined): boolean {
  if (
    !says(/(?:^|[._])(?:users?|profiles?|accounts?|members?|memberships?|\w{1,80}_members|user_roles|subscriptions?|wallets?|credits|\w{1,80}_credits)$/i, name)
  )
    return false
  return table && !table.stub ? powerColumns(table).includes(column) : PLAINLY_POWER.test(column)
}

/** Whoever is billed together: what they may use hangs on their plan as it does on a user's. */
const BILLED_TENANT_TABLE = /(?:^|[._])(?:organi[sz]ations?|orgs?|workspaces?|teams?|tenants?|business(?:es)?|compan(?:y|ies)|stores?|shops?|agenc(?:y|ies))$/i
const PLAN_FIELD = /^(?:(?:current_|billing_|subscription_)?(?:plan|tier)(?:_(?:id|name|type|tier|code|slug))?)$/i

/** How payment stands, which decides where a plan is but what was asked for. */
const STANDS = /^(?:subscription|billing|payment|plan)_?status$/i

/** The plan that a tenant is on, changed in the row that is there. */
function isPlanOfTenant(column: string, e: Query, table: Table | undefined, written: Readonly<Record<string, Value>>): boolean {
  if (e.op !== 'update' || !BILLED_TENANT_TABLE.test(e.table) || !says(PLAN_FIELD, column)) return false
  return Object.keys(written).some((c) => says(STANDS, c)) || !table?.columns.some((c) => says(STANDS, c.name))
}

const powerColumns = (table: Table | undefined): readonly string[] => (table?.userData && !saysWhereToSend(table.name) ? table.userData.powerColumns : [])

/** Columns that grant something whatever their table is called. */
export const PLAINLY_POWER = /^(?:role|is_?admin|admin|is_?premium|is_?pro|plan|tier|credits?|balance|subscription_?status|permissions?)$/i

const PRIVILEGED_VALUE = /admin|owner|super|staff|root|manager|head|pro$|premium|enterprise|business|paid|unlimited/i

/** One of a list was asked for, and nothing in the list grants much: `['member', 'viewer'].includes(role)`; the one that is free; or what grants much is refused. */
export function isHarmlessChoice(step: Step, value: Value): boolean {
  return step.under.some((c) => {
    const { test } = c
    if (c.negated && refusesPowerful(test, value, 0)) return true
    if (test.v === 'op' && (c.negated ? /^!==?$/ : /^===?$/).test(test.op) && isAskedFor(test, value)) {
      const named = test.of.find((o) => o.v === 'const')
      return named?.v === 'const' && typeof named.value === 'string' && !PRIVILEGED_VALUE.test(named.value)
    }
    if (c.negated || (test.v !== 'call' && test.v !== 'op')) return false
    const [list, asked] = test.v === 'call' ? test.args : test.of
    if (!/includes$/.test(test.v === 'call' ? test.name : test.op) || list?.v !== 'array' || !asked || requestName(asked) !== requestName(value)) return false
    return list.items.every((x) => x.v === 'const' && !PRIVILEGED_VALUE.test(String(x.value)))
  })
}

/** `role === 'admin'`, alone or with what else it would take (`&& code !== SECRET`). */
function refusesPowerful(test: Value, value: Value, depth: number): boolean {
  if (test.v !== 'op' || depth > 4) return false
  if (test.op === '&&' || test.op === '||') return test.of.some((o) => refusesPowerful(o, value, depth + 1))
  return /^={2,3}$/.test(test.op) && test.of.some((o) => o.v === 'const' && PRIVILEGED_VALUE.test(String(o.value))) && isAskedFor(test, value)
}

/** Whether a comparison is one with the value itself, as the request brings it. */
const isAskedFor = (test: Extract<Value, { v: 'op' }>, value: Value): boolean => test.of.some((o) => o.v === 'request' && requestName(o) === requestName(value))

/** The value is the request's own, or a claim that the user edits; a fixed list that is not known may leave out what grants something. */
export function chosenByCaller(value: Value, behaviour: Behaviour, schema: Pick<SchemaModel, 'enums'>): boolean {
  const chosen = (v: Value | undefined): boolean => v !== undefined && chosenByCaller(v, behaviour, schema)
  if (value.v === 'any') return value.of.some(chosen) || pickedBy(value, behaviour) !== undefined
  const added = addedTo(value)
  if (added) return chosen(added)
  if (value.v === 'object' && value.props.set) return chosen(value.props.set)
  if (value.v === 'call' && /^(?:Number|parseInt|parseFloat|Math\.\w+)$/.test(value.name)) return value.args.some(chosen)
  if (value.v === 'caller') return value.trust === 'editable'
  if (value.v !== 'request' || !isRequestControlled(value, behaviour)) return false
  return value.as !== 'enum' || choicesOf(value, schema).some((choice) => PRIVILEGED_VALUE.test(choice))
}

/** `plan === 'pro' ? 1000 : 10`: what of the request says which of them it is, where nothing else has a say in it. */
function pickedBy({ of, under }: Extract<Value, { v: 'any' }>, behaviour: Behaviour): string | undefined {
  const asked = ({ test }: Condition) =>
    test.v === 'op' && /^[!=]==?$/.test(test.op) && test.of.some((x) => x.v === 'const' && x.value !== null)
      ? test.of.find((x) => x.v === 'request' && isRequestControlled(x, behaviour))
      : undefined
  const other = ({ test }: Condition) => mentions(test, (x) => x.v === 'row' || x.v === 'result' || x.v === 'caller')
  for (const [i, x] of of.entries()) {
    const by = x.v === 'const' && x.value && !under?.[i]?.some(other) ? under?.[i]?.map(asked).find((v) => v !== undefined) : undefined
    if (by) return requestName(by)
  }
  return undefined
}

/** What a validator takes for a value of the request, where it lists that or names an enum of the database. */
export function choicesOf({ choices, listed }: Extract<Value, { v: 'request' }>, { enums }: Pick<SchemaModel, 'enums'>): readonly string[] {
  return choices ?? enums.find((e) => e.name === listed)?.values ?? []
}

/** Claims about what somebody is or may do. */
const ABOUT_RIGHTS = /role|admin|staff|permission|plan|tier|premium|credits?$/i

/** `if (user.user_metadata.invited_role === 'admin')` before `role: 'admin'` is written: the claim that the user edits decides it. */
function decidingClaim(step: Step, value: Value): string | undefined {
  if (value.v !== 'const' || !(value.value === true || PRIVILEGED_VALUE.test(String(value.value)))) return undefined
  for (const { test, negated } of step.under) {
    const compared = test.v === 'op' && /^[!=]={1,2}$/.test(test.op) && test.of.some((x) => x.v === 'const' && x.value) ? test : undefined
    const holds = compared?.op.startsWith('!') ? negated : !negated
    const claim = !holds ? undefined : (compared?.of ?? [test]).find((x) => x.v === 'caller' && x.trust === 'editable')
    if (claim?.v === 'caller' && ABOUT_RIGHTS.test(claim.field ?? '')) return claim.field
  }
  return undefined
}

const payloadIsScalar = (name: string): boolean => /(?:^|[._])(?:id|name|title|status|text|content|email|url)$/i.test(name)

/** The rows that a payload stands for. */
export function payloadRows(payload: Value): readonly Value[] {
  if (payload.v === 'array') return payload.items.slice(0, 4)
  if (payload.v === 'any') return payload.of
  if (payload.v === 'object' && payload.props.create?.v === 'object' && payload.props.update) return [payload.props.create, payload.props.update]
  return [payload]
}

/** Rows chosen by a claim that the user edits (`user_metadata`), or given to the tenant that it names. */
export function editableBreaches(step: Step, e: Query, behaviour: Behaviour, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): OwnershipBreach[] {
  if (!passesPolicies(e, schema, access) || e.filters.some((f) => isCallers(f.value, behaviour))) return []
  const isEditable = (value: Value) => mentions(value, (v) => v.v === 'caller' && v.trust === 'editable')
  const f = e.filters.find((x) => x.op === 'eq' && isEditable(x.value)) ?? givenTenant(e, isEditable)
  // who brings a code along is asked for nothing but the code
  if (!f || REFERRAL_CODE_FIELD.test(lastPart(f.column))) return []
  const own = e.client.rights !== 'service'
  // what somebody says of himself besides (his city) chooses what he is shown
  if (own && !says(TENANT_OR_GROUP_ID_FIELD, lastPart(f.column)) && !says(OWNER_COLUMN, lastPart(f.column))) return []
  const field = f.value.v === 'caller' ? (f.value.field ?? 'user_metadata') : 'user_metadata'
  return [
    {
      kind: 'editable',
      severity: own ? 'High' : 'Critical',
      at: step.at,
      table: e.table,
      verb: verbOf(e),
      by: field,
      ...(own ? { own: true as const } : {}),
      what: `${verbOf(e)} ${e.table} by ${f.column} = ${field}, which the user edits`,
    },
  ]
}

/** No policy refuses what the handler lets through: there is none for this client, the table is not in the SQL, or what is there was found open. */
function passesPolicies(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  if (e.client.rights === 'service') return true
  const table = tableOf(e, schema)
  const state = rlsState(e, schema, access, 'A')
  return state === 'open' || (state === 'unknown' && (!table || table.stub === true))
}

/** The tenant that a new row is given to. */
function givenTenant(e: Query, isEditable: (value: Value) => boolean): { readonly column: string; readonly value: Value } | undefined {
  if ((e.op !== 'insert' && e.op !== 'upsert') || !e.payload) return undefined
  const given = payloadRows(e.payload).flatMap((row) => (row.v === 'object' ? Object.entries(row.props) : []))
  const found = given.find(([column, value]) => says(TENANT_OR_GROUP_ID_FIELD, column) && isEditable(value))
  return found && { column: found[0], value: found[1] }
}
