import type { AccessMatrix, Policy, Table } from '../../../database/database.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { aboutQuery, isRequestControlled, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'

const SESSION_POLICY_ROLE = /^(?:public|authenticated)$/i
/** A policy that asks what somebody is: `has_role(auth.uid(), 'admin')`, `profiles.role = 'admin'`. */
const ROLE_POLICY_SQL =
  /\bhas_(?:any_)?role\b|\bis_(?:(?:super|platform|site|app|system|global|master)_?)?(?:admin(?:istrator)?|staff|moderator|manager)\b|\b(?:user_)?role ?(?:::\w{1,40} ?)?= (?:any )?(?:array\[)?'/i

const asksForRole = ({ using, check }: Policy): boolean =>
  ROLE_POLICY_SQL.test(`${using ?? ''} ${check ?? ''}`.replace(/[\s()]/g, ' ').replace(/ {2,40}/g, ' '))

/** What a handler writes down beside what it does: that it happened, and who is told. */
const LOG_OR_USAGE_TABLE =
  /notif|(?:^|_)(?:logs?|audit|history|events?|activit(?:y|ies)|messages?|queue|usage|metrics?|sessions?|views?|analytics|stats|counters?)(?:_|$)/i

/**
 * A change that the policies of the table leave to a role, made with the service role for everybody who is signed in: an ordinary user who tried it
 * himself was refused. Rows that belong to somebody are asked for otherwise.
 */
export function keptForRole(
  step: Step,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables' | 'policies'>,
  access: AccessMatrix,
): OwnershipBreach[] {
  if (e.op === 'select') return shownForRole(step, e, behaviour, ties, schema, access)
  if (e.client.rights !== 'service' || step.before || (e.op !== 'insert' && e.op !== 'update' && e.op !== 'delete')) return []
  const table = tableOf(e, schema)
  if (!table || table.stub || !table.rls.enabled || LOG_OR_USAGE_TABLE.test(table.name) || !isNobodys(table)) return []
  const chosen = e.op === 'delete' ? e.filters.map((f) => f.value) : e.payload ? [e.payload] : []
  if (!chosen.some((v) => mentions(v, (x) => isRequestControlled(x, behaviour)))) return []
  const own = (v: Query['filters'][number]['value']) => mentions(v, (x) => isCallers(x, behaviour))
  if (chosen.some(own) || e.filters.some((f) => own(f.value)) || ties.byCondition(step) || isFoundOrMade(step, e, behaviour)) return []
  if (!isLeftToRole(table, e.op, schema.policies, access)) return []
  const asks = questionOf(policiesFor(table, e.op, schema.policies))
  return [{ kind: 'admin', severity: 'Critical', ...aboutQuery(step, e, behaviour), ...(asks ? { asks } : {}), what: `${verbOf(e)} ${e.table}` }]
}

/** Added where there is none by that name yet: `ensureTemplate(name)`. */
const isFoundOrMade = ({ under }: Step, { op, table }: Query, { steps }: Behaviour): boolean =>
  op === 'insert' &&
  under.some((c) =>
    mentions(c.test, (x) => {
      const found = x.v === 'row' ? steps[x.step]?.effect : undefined
      return found?.kind === 'db' && found.op === 'select' && found.table === table
    }),
  )

/** The one function without arguments that policies ask: `is_platform_admin()`. */
function questionOf(policies: readonly Policy[]): string | undefined {
  const asked = policies.map(
    ({ using, check }) =>
      /^\(*\s{0,4}(?:select\s{1,4})?(?:public\.)?(is_[a-z_]{2,60})\(\)(?:\s{1,4}as\s{1,4}\w{1,60})?\s{0,4}\)*$/i.exec((using ?? check ?? '').trim())?.[1],
  )
  const [first] = asked
  return asked.every((name) => name === first) ? first : undefined
}

/** Rows that the policies of the table show to a role alone, read with the service role and answered to everybody who is signed in. */
function shownForRole(
  step: Step,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables' | 'policies'>,
  access: AccessMatrix,
): OwnershipBreach[] {
  if (e.client.rights !== 'service' || step.before || e.countOnly) return []
  const table = tableOf(e, schema)
  if (!table || table.stub || !table.rls.enabled || !isNobodys(table)) return []
  if (ties.byFilter(e) || ties.byCondition(step) || !isLeftToRole(table, 'select', schema.policies, access)) return []
  const index = behaviour.steps.indexOf(step)
  const whole = behaviour.steps.some(
    ({ effect: r }) =>
      r.kind === 'respond' &&
      (r.status ?? 200) < 400 &&
      r.body !== undefined &&
      mentions(r.body, (x) => x.v === 'row' && x.step === index && (x.field === undefined || x.field === '*')),
  )
  return whole ? [{ kind: 'admin', severity: 'High', ...aboutQuery(step, e, behaviour), what: `${verbOf(e)} ${e.table}` }] : []
}

/** Who looked at somebody else's row, by the column in which he signs. */
const SIGNED_BY_STAFF = /^(?:validated|scanned|checked_in|approved|verified|reviewed|redeemed)_by(?:_id|_user_id)?$/i

/**
 * Somebody signs what its owner has (a ticket at the door) as those do who look at it, with the service role: policies of the table know a role for
 * such work, and the handler asks for none.
 */
export function signsAsStaff(step: Step, e: Query, behaviour: Behaviour, ties: Ties, schema: Pick<SchemaModel, 'tables' | 'policies'>): OwnershipBreach[] {
  if (e.client.rights !== 'service' || e.op !== 'update' || e.payload?.v !== 'object' || ties.byFilter(e) || ties.byCondition(step)) return []
  const table = tableOf(e, schema)
  if (!table?.userData?.ownerColumns.length || table.stub) return []
  const signs = Object.entries(e.payload.props).some(([name, v]) => SIGNED_BY_STAFF.test(name) && isCallers(v, behaviour))
  const known = schema.policies.some((p) => p.schema === table.schema && p.table === table.name && asksForRole(p))
  return signs && known ? [{ kind: 'admin', severity: 'High', ...aboutQuery(step, e, behaviour), what: `${verbOf(e)} ${e.table}` }] : []
}

const isNobodys = ({ userData }: Table): boolean => !userData?.ownerColumns.length && !userData?.tenantColumns.length

/** The policies by which browsers may do something with a table. */
const policiesFor = (table: Table, op: Query['op'], policies: readonly Policy[]): readonly Policy[] =>
  policies.filter(
    (p) =>
      p.permissive &&
      p.schema === table.schema &&
      p.table === table.name &&
      (p.command === op || p.command === 'all') &&
      p.roles.some((r) => SESSION_POLICY_ROLE.test(r)),
  )

/** Some policy lets browsers do it, each asks for a role, and whoever has none was refused. */
function isLeftToRole(
  table: Table,
  op: 'select' | 'insert' | 'update' | 'delete',
  policies: readonly Policy[],
  { objects }: Pick<AccessMatrix, 'objects'>,
): boolean {
  const own = policiesFor(table, op, policies)
  if (!own.length || !own.every(asksForRole)) return false
  const cells =
    objects.find((o) => o.kind === 'table' && o.object === `${table.schema}.${table.name}`)?.cells.filter((c) => c.role === 'A' && c.command === op) ?? []
  return cells.some((c) => c.result === 'refused') && cells.every((c) => c.result !== 'allowed')
}
