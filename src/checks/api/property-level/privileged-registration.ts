import type { Table } from '../../../database/database.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import { type Behaviour, type Condition, HIDDEN_LITERAL, type Step, type Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { ACCOUNT_TABLE_WORD, ADMIN_ACCOUNT_TABLE } from '../auth-flows/registration.ts'
import { breachOfColumn, isRequestControlled, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'
import { choicesOf, isHarmlessChoice, PLAINLY_POWER, payloadRows } from './mass-assignment.ts'

type Schema = Pick<SchemaModel, 'tables' | 'enums'>

/** What a sign-up that anybody may call lets them choose about their own rights. */
export function signUpBreaches(step: Step, behaviour: Behaviour, schema: Schema): OwnershipBreach[] {
  const e = step.effect
  const breach = (verb: string, table: string, column: string, by: string): OwnershipBreach => ({
    ...breachOfColumn('power', step.at, { verb, table }, column, by),
    open: true,
  })
  if (e.kind === 'auth-call') {
    // what stands in the app metadata is believed, because users cannot edit it
    const settings = e.args.flatMap((a) => (a.v === 'object' && a.props.app_metadata?.v === 'object' ? Object.entries(a.props.app_metadata.props) : []))
    return settings.flatMap(([name, value]) =>
      PLAINLY_POWER.test(name) && isFree(step, value, behaviour, schema, undefined)
        ? [breach('writes', 'app_metadata', name, requestName(value) ?? 'the request')]
        : [],
    )
  }
  if (e.kind !== 'db' || (e.op !== 'insert' && e.op !== 'upsert') || !e.payload || e.client.rights !== 'service') return []
  const chosen = says(ADMIN_ACCOUNT_TABLE, e.table) ? askedIn(step.under) : undefined
  if (chosen) return [breach(verbOf(e), e.table, 'the choice of this table', chosen)]
  const table = tableOf(e, schema)
  const known = table && !table.stub ? table : undefined
  if (known ? !known.userData : !ABOUT_ACCOUNTS.test(e.table)) return []
  const power = known ? known.columns.map((c) => c.name).filter((name) => PLAINLY_POWER.test(name)) : []
  return payloadRows(e.payload).flatMap((given): OwnershipBreach[] => {
    const row: Value = given.v === 'request' ? { v: 'object', props: {}, rest: given } : given
    if (row.v !== 'object') return []
    const named = Object.entries(row.props).flatMap(([name, value]) =>
      PLAINLY_POWER.test(name) &&
      (!known || power.includes(name)) &&
      !isPart(name, row.props) &&
      !hasAllAlready(name, row.props) &&
      isFree(step, value, behaviour, schema, known && allowedIn(known, name, schema))
        ? [breach(verbOf(e), e.table, name, requestName(value) ?? 'the request')]
        : [],
    )
    if (named.length || !isWholeBody(row.rest)) return named
    const left = power.find((name) => !(name in row.props) && grantsAny(known && allowedIn(known, name, schema)))
    return left ? [breach(verbOf(e), e.table, left, requestName(row.rest) ?? 'the request body')] : []
  })
}

/** `userRole: ['member']`, as the code says beside a role of the form: that one is a part that somebody plays. */
const SYSTEM_ROLE_FIELD = /^(?:user|app|account|system|auth)_roles?$/

const isWritten = (v: Value): boolean => v.v === 'const' || (v.v === 'array' && v.items.every(isWritten))

const isPart = (name: string, props: Readonly<Record<string, Value>>): boolean =>
  name === 'role' && Object.entries(props).some(([other, value]) => says(SYSTEM_ROLE_FIELD, other) && isWritten(value))

/** `role: 'admin'`, as the code says of whoever opens a business of his own: what else he asks for is his by that. */
const hasAllAlready = (name: string, props: Readonly<Record<string, Value>>): boolean =>
  /^permissions?$/i.test(name) && props.role?.v === 'const' && /^(?:.{0,20}[_-])?(?:admin|owner)$/i.test(String(props.role.value))

const ABOUT_ACCOUNTS = new RegExp(`${ACCOUNT_TABLE_WORD.source}|profile`, 'i')

const isWholeBody = (v: Value | undefined): v is Extract<Value, { v: 'request' }> => v?.v === 'request' && !v.as && (v.part === 'body' || v.part === 'form')

/** People say themselves whether they buy or sell; what a list holds beyond that is given by somebody. */
const PRIVILEGED_ROLE_VALUE = /admin|super|staff|root|moderator|premium|^pro$|enterprise|paid|unlimited/i

/** Whether something among the values that are taken grants much; any value may. */
export const grantsAny = (values: readonly string[] | undefined): boolean => !values || values.some((v) => PRIVILEGED_ROLE_VALUE.test(v))

/** Whoever calls sets it to something that grants much. */
function isFree(step: Step, value: Value, behaviour: Behaviour, schema: Schema, allowed: readonly string[] | undefined): boolean {
  if (value.v === 'any') return picksMuch(value) || value.of.some((x) => isFree(step, x, behaviour, schema, allowed))
  // `isAdmin: body.isAdmin === 'true'`
  if (value.v === 'op') return /^={2,3}$/.test(value.op) && asked(value) !== undefined
  if (value.v !== 'request' || !isRequestControlled(value, behaviour) || isHarmlessChoice(step, value)) return false
  return grantsAny(allowed) && (value.as !== 'enum' || grantsAny(choicesOf(value, schema)))
}

/** `as === 'admin' ? 'admin' : 'user'`: what grants much is the caller's to ask for. */
const picksMuch = ({ of, under }: Extract<Value, { v: 'any' }>): boolean =>
  of.some((x, i) => x.v === 'const' && (x.value === true || PRIVILEGED_ROLE_VALUE.test(String(x.value))) && askedIn(under?.[i] ?? []) !== undefined)

/** What of the request decides that it comes to this, where what the server knows has no part in it. */
function askedIn(under: readonly Condition[]): string | undefined {
  const servers = (x: Value) => x.v === 'env' || x.v === 'caller' || x.v === 'row' || x.v === 'result' || (x.v === 'call' && x.name.startsWith(HIDDEN_LITERAL))
  if (under.some((c) => mentions(c.test, servers))) return undefined
  const found = under.map((c) => asked(c.test)).find((x) => x !== undefined)
  return found && (requestName(found) ?? 'the request')
}

/** What of the request is compared with a word of the code that is no secret. */
function asked(test: Value): Value | undefined {
  if (test.v !== 'op' || !/^[!=]==?$/.test(test.op) || !test.of.some((x) => x.v === 'const' && x.value !== null && x.value !== undefined)) return undefined
  return test.of.find((x) => x.v === 'request' && !/code|secret|key|token|passw|pin/i.test(x.name ?? ''))
}

/** The only values that the database takes for a column: of its enum, or of a CHECK that lists them. */
function allowedIn(table: Table, column: string, { enums }: Schema): readonly string[] | undefined {
  const type = table.columns.find((c) => c.name === column)?.type.replace(/^.*\.|"/g, '')
  const listed = enums.find((e) => e.name === type)?.values
  if (listed) return listed
  const check = table.checks?.find((c) => /= ANY \(/.test(c) && c.split(/\W+/).includes(column))
  const values = check ? [...check.matchAll(/'([^']{1,100})'/g)].map((m) => m[1] as string) : []
  return values.length ? values : undefined
}
