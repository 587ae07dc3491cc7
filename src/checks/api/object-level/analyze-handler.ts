import { isDirectory } from '../../../database/access/row-audience/public-content.ts'
import type { AccessMatrix } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { says } from '../../../lib/snake-case.ts'
import { ANSWERED, isCallers } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import { anyTable } from '../../../model/routes/operations/dynamic-table.ts'
import { inProduction } from '../../../model/routes/request/production-view.ts'
import type { Guard, Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { signsUp } from '../auth-flows/registration.ts'
import { refusesTheServer } from '../binding/function-requires-caller.ts'
import { Ties } from '../binding/ownership-binding.ts'
import { choosingFilter } from '../binding/resource-selector.ts'
import { rlsState } from '../binding/rls-outcome.ts'
import { foundByMetadata } from '../broken-authentication/lookup-by-user-metadata.ts'
import { forgedState } from '../broken-authentication/unverified-oauth-state.ts'
import { isHouseOfStaff, isWorkOfTheHouse } from '../exceptions/internal-staff-app.ts'
import { listedTables } from '../exceptions/publicly-listed-table.ts'
import { keptAlong } from '../exposure/embedded-protected-relation.ts'
import { toldAlong, toldParents } from '../exposure/foreign-parent-disclosure.ts'
import { wholeAccounts } from '../exposure/full-account-record.ts'
import { areaBreaches, asAdminOperation } from '../function-level/admin-route-without-role.ts'
import { keptForRole, signsAsStaff } from '../function-level/role-policy-bypass.ts'
import { jobBreaches, scheduledWork } from '../function-level/scheduled-job-callable.ts'
import { publicByNature } from '../missing-authentication/public-endpoint.ts'
import { chosenPrice } from '../payment-integrity/client-supplied-price.ts'
import { chosenTerms } from '../payment-integrity/client-supplied-terms.ts'
import { settledForAnybody } from '../payment-integrity/payment-not-bound-to-payer.ts'
import { claimedPayments } from '../payment-integrity/payment-replayed-by-other.ts'
import { unboundProof } from '../payment-integrity/signature-not-bound-to-order.ts'
import { administratorsSessions } from '../principal/admin-session-cookie.ts'
import { acrossHouses, addedInHouse, filterDropped, type House, housesOf, raisedInHouse, roleInHouse } from '../principal/location-scoped-role.ts'
import { ownersRole } from '../principal/owner-role.ts'
import { isAskedOfAdministrators, isStaffs } from '../principal/staff-membership.ts'
import { inAnother, roleInOne } from '../principal/tenant-scoped-role.ts'
import { creditBreaches } from '../property-level/ledger-amount.ts'
import { editableBreaches, payloadBreaches } from '../property-level/mass-assignment.ts'
import { decidingBreaches, decidingColumns } from '../property-level/privilege-columns-in-code.ts'
import { signUpBreaches } from '../property-level/privileged-registration.ts'
import { saysPaid, soldBreaches, soldColumns } from '../property-level/processor-owned-column.ts'
import { besidePlan, planForNothing } from '../property-level/unpaid-plan.ts'
import { isForAdministrators } from '../remediation/code-conventions.ts'
import { belongsToSomebody, type OwnershipBreach, tableOf, verbOf } from '../shared/violation.ts'
import { tenantBreaches } from '../tenant-isolation/cross-tenant-write.ts'
import { joinedTenants } from '../tenant-isolation/self-service-join.ts'
import { boughtBreaches } from './entitlement-mismatch.ts'
import { parentBreaches } from './foreign-parent.ts'
import { everyRow, keptApart, unkeptListing } from './missing-owner-filter.ts'
import { listingBreaches, otherBreaches } from './privileged-operation.ts'
import { rowBreach } from './row-access.ts'

export interface Judged {
  readonly breaches: readonly OwnershipBreach[]
  /** Queries by an id of the request. */
  readonly resources: number
  /** Some of them stand behind no guard at all: check 16 reports the handler. */
  readonly unguarded: boolean
  readonly looked: boolean
  readonly because: string
}

/** The part of the application for those who are no administrators: what they may do there, the server does for them. */
const FOR_WORKERS = /^\/api\/(?:worker|employee|driver|technician|customer|client|member|student|patient|tenant|vendor|guest|me|my|self|portal)\//i

const USER_TABLE = /(^|\.)(users?|profiles?|accounts?)$/i

type Schema = Pick<SchemaModel, 'tables' | 'functions' | 'enums' | 'policies'>

/** What a handler does with objects that the request names, and what ties them to the caller. */
export const breachesOf = (route: Route, { tables, functions, enums, policies }: Schema, access: AccessMatrix, routes: readonly Route[]): Judged =>
  judged(
    route,
    tables,
    functions,
    enums,
    policies,
    access,
    listedTables(routes, tables),
    keptApart(routes, tables),
    scheduledWork(routes),
    administratorsSessions(routes, tables),
    soldColumns(routes),
    decidingColumns(routes),
    isHouseOfStaff(routes, tables),
    housesOf(routes),
    toldAlong(routes),
  )

const judged = rememberFor(
  (
    route: Route,
    tables: Schema['tables'],
    functions: Schema['functions'],
    enums: Schema['enums'],
    policies: Schema['policies'],
    access: AccessMatrix,
    listed: ReadonlySet<string>,
    kept: ReadonlySet<string>,
    scheduled: ReadonlyMap<string, string>,
    administrators: ReadonlySet<string>,
    sold: ReadonlyMap<string, readonly string[]>,
    deciding: readonly string[],
    house: boolean,
    houses: readonly House[],
    told: ReadonlySet<string>,
  ) => {
    const found = judge(route, { tables, functions, enums, policies }, access, listed, kept, scheduled, administrators, sold, deciding, houses, told)
    const breaches = house ? found.breaches.filter((b) => !isWorkOfTheHouse(b)) : found.breaches
    return breaches.length === found.breaches.length
      ? found
      : { ...found, breaches, because: 'all who sign in work there: accounts are made by those who have one' }
  },
)

function judge(
  route: Route,
  schema: Schema,
  access: AccessMatrix,
  listed: ReadonlySet<string>,
  kept: ReadonlySet<string>,
  scheduled: ReadonlyMap<string, string>,
  administrators: ReadonlySet<string>,
  sold: ReadonlyMap<string, readonly string[]>,
  deciding: readonly string[],
  houses: readonly House[],
  told: ReadonlySet<string>,
): Judged {
  const behaviour = inProduction(route.behaviour as Behaviour, route.framework)
  const breaches: OwnershipBreach[] = []
  const ties = new Ties(
    behaviour,
    (q) => rlsState(q, schema, access, 'A') !== 'open',
    (name) => refusesTheServer(name, schema),
  )
  /** What of the request chose the rows that everybody may see, by the step that loads them: changing one is something else. */
  const seen = new Map<number, Value>()
  let resources = 0
  let unguarded = false
  let looked = false
  const reasons = new Set<string>()
  const area = isForAdministrators(route)
  const open = openCalls(route, behaviour)
  behaviour.steps.forEach((step, index) => {
    const e = step.effect
    const strict = open.has(callOf(step, route) ?? '') ? undefined : (guardOfStep(step, behaviour) ?? libraryGuard(route, step))
    const role = e.kind === 'db' && !area ? ownersRole(step, e, strict, behaviour, schema) : undefined
    const one = e.kind === 'db' && !role ? roleInOne(step, strict, behaviour) : undefined
    const staff =
      // where the variable is not set that names them, check 16 says so
      strict?.who === 'user' &&
      (strict.roleless !== undefined ||
        administrators.has(strict.how) ||
        isStaffs(step, behaviour, schema) ||
        (area && isAskedOfAdministrators(step, behaviour)))
    const inHouse = e.kind === 'db' && !role && !one ? roleInHouse(step, e, strict, behaviour, houses, schema) : undefined
    const guard = strict && (role || one || inHouse) ? { ...strict, who: 'user' as const } : strict && staff ? { ...strict, who: 'admin' as const } : strict
    if (!guard && signsUp(route) && publicByNature(route) && !behaviour.gaps?.some((g) => g.step <= index))
      breaches.push(...signUpBreaches(step, behaviour, schema), ...decidingBreaches(step, behaviour, deciding, true))
    if (guard) breaches.push(...foundByMetadata(step, e))
    const signedIn = guard?.who === 'user' && (guard.trust === 'verified' || guard.trust === 'unverified' || guard.trust === 'editable')
    if (e.kind === 'db') {
      looked = true
      const state = forgedState(step, e, behaviour)
      if (state && guard?.who !== 'signature' && guard?.who !== 'admin') {
        breaches.push(state)
        return
      }
      const named = signedIn ? anyTable(step) : undefined
      if (named) {
        breaches.push({ kind: 'any-table', severity: 'Critical', at: step.at, verb: verbOf(e), by: named, what: `${verbOf(e)} whatever table ${named} names` })
        return
      }
      const unbound = unboundProof(step, e, behaviour)
      if (unbound) {
        breaches.push(unbound)
        return
      }
      const settled = guard?.who === 'admin' || guard?.who === 'signature' || guard?.who === 'secret' ? [] : settledForAnybody(step, e, behaviour, schema)
      if (settled.length) {
        breaches.push(...settled)
        return
      }
      const chosen = choosingFilter(e, behaviour, step.under) ?? choosingRow(e, seen)
      const owned = belongsToSomebody(e, schema, behaviour)
      if (chosen && owned) {
        if (!guard || guard.trust === 'claimed') {
          if (e.client.rights !== 'caller' && !isSignup(e))
            unguarded ||= route.work.some((w) => !w.guard && w.at.line === step.at.line && w.at.path === step.at.path && w.userData === true)
          return
        }
        resources++
        if (!signedIn) {
          reasons.add(`${guard.who} (${guard.how})`)
          return
        }
        if (e.client.rights === 'service' && listed.has(e.table) && (e.op === 'select' || addsOwnPart(e, behaviour))) {
          reasons.add(`${e.table} is listed for everybody`)
          if (e.op === 'select' && says(/(?:^|_)(?:id|uuid)$/, chosen.column)) seen.set(index, chosen.value)
          return
        }
        const breach = rowBreach(step, index, e, chosen.value, chosen.column, behaviour, ties, schema, access, reasons)
        if (breach && inHouse && e.op !== 'select') {
          breaches.push(acrossHouses(breach, inHouse, e, schema))
          return
        }
        if (breach && one) {
          breaches.push(inAnother(breach, one))
          return
        }
        if (breach) {
          const around = checkWithWayAround(step, ties)
          if (around) {
            breaches.push({ ...breach, severity: 'High', around })
            return
          }
          breaches.push(
            role ? { ...breach, role: role.role, ownerColumn: role.of.column, ...(breach.table === role.of.table ? {} : { ownedBy: role.of.table }) } : breach,
          )
          return
        }
      }
      if (signedIn) breaches.push(...decidingBreaches(step, behaviour, deciding, false), ...saysPaid(step, e, behaviour, sold, schema))
      if (guard && !breaches.some((b) => b.kind === 'mass-assignment')) breaches.push(...soldBreaches(step, e, behaviour, sold))
      if (inHouse)
        breaches.push(...addedInHouse(step, e, inHouse, behaviour, ties, schema), ...raisedInHouse(payloadBreaches(step, e, behaviour, ties, schema), inHouse))
      else if (one) breaches.push(...parentBreaches(step, e, behaviour, ties, schema, access))
      else if (signedIn && !role)
        breaches.push(
          ...besidePlan(payloadBreaches(step, e, behaviour, ties, schema), step, planForNothing(step, e, behaviour, schema)),
          ...tenantBreaches(step, e, behaviour, ties, schema),
          ...joinedTenants(step, e, behaviour, ties, schema),
          ...parentBreaches(step, e, behaviour, ties, schema, access),
          ...toldParents(step, e, behaviour, ties, schema, told),
          ...boughtBreaches(step, e, behaviour, schema),
          ...claimedPayments(step, e, behaviour, schema),
          ...planForNothing(step, e, behaviour, schema),
          ...creditBreaches(step, e, behaviour, schema),
          ...editableBreaches(step, e, behaviour, schema, access),
          ...(peopleMeet(e, listed, schema) && !area ? [] : listings(step, index, e, behaviour, ties, schema, route, kept)),
          ...(area || peopleMeet(e, listed, schema) ? [] : wholeAccounts(step, index, e, behaviour, ties, schema)),
          ...filterDropped(step, e, behaviour, houses, schema),
          ...jobBreaches(step, e, behaviour, ties, schema, route, scheduled),
          ...keptAlong(step, index, e, behaviour, ties, schema, access),
          ...(FOR_WORKERS.test(route.route) ? [] : keptForRole(step, e, behaviour, ties, schema, access)),
          ...signsAsStaff(step, e, behaviour, ties, schema),
          ...(area ? areaBreaches(step, e, behaviour, ties, schema, access) : []),
        )
      return
    }
    if (!signedIn) return
    breaches.push(
      ...otherBreaches(step, e, behaviour, ties, schema),
      ...chosenPrice(step, e, behaviour, route),
      ...chosenTerms(step, index, e, behaviour),
      ...(area ? areaBreaches(step, e, behaviour, ties, schema, access) : []),
    )
  })
  return {
    breaches: dedupe(area ? breaches.map(asAdminOperation) : breaches),
    resources,
    unguarded,
    looked,
    because: [...reasons].slice(0, 3).join('; ') || 'nothing is chosen by the request',
  }
}

/** What a query does to rows that nobody chose; a table with personal columns needs no other handler to say that it is nobody else's. */
function listings(
  step: Step,
  index: number,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Schema,
  route: Route,
  kept: ReadonlySet<string>,
): readonly OwnershipBreach[] {
  const plain = listingBreaches(step, index, e, behaviour, ties, schema, route)
  if (plain.length || ties.byCondition(step)) return plain
  return [...unkeptListing(step, index, e, behaviour, schema, kept), ...everyRow(step, e, behaviour, schema)]
}

/** Profiles that are listed although they say personal things, and entries of a directory: people meet by them. */
function peopleMeet(e: Query, listed: ReadonlySet<string>, schema: Schema): boolean {
  const table = tableOf(e, schema)
  if (e.op !== 'select' || !table) return false
  return (listed.has(e.table) && (table.userData?.personalColumns.length ?? 0) > 0) || (!table.stub && isDirectory(table))
}

/** A guard that a library's middleware is: nothing of it is followed. */
function libraryGuard(route: Route, step: Step): Guard | undefined {
  return route.before.some((b) => b.external && b.blocks) ? route.work.find((w) => w.at.path === step.at.path && w.at.line === step.at.line)?.guard : undefined
}

/**
 * Middleware that lets through whoever has no session (`if (!req.user) return next()`) makes the handler run on both ways: what it does on the one
 * without a caller, it does for anybody, and that somebody may be signed in besides is no guard.
 */
function openCalls(route: Route, behaviour: Behaviour): ReadonlySet<string> {
  return new Set(
    behaviour.steps.flatMap((step) => {
      const call = step.effect.kind === 'db' && step.under.some((c) => c.negated && c.test.v === 'caller' && c.test.field === undefined) && callOf(step, route)
      return call && !guardOfStep(step, behaviour) ? [call] : []
    }),
  )
}

/** Where the handler itself calls for what a step does, and what that is. */
function callOf({ effect, at, via, before }: Step, route: Route): string | undefined {
  if (effect.kind !== 'db' || before) return undefined
  const call = [...via, at].findLast((p) => p.path === route.path && p.line >= route.line && (route.endLine === undefined || p.line <= route.endLine))
  return call && `${call.line} ${at.path}:${at.line} ${effect.op} ${effect.table}`
}

function dedupe(list: readonly OwnershipBreach[]): OwnershipBreach[] {
  const seen = new Set<string>()
  return list.filter((b) => {
    const key = `${b.kind} ${b.at.path}:${b.at.line} ${b.table ?? ''}`
    return seen.has(key) ? false : seen.add(key)
  })
}

/** `update … where id = post.id`, the row that the request chose among those which everybody may see. */
function choosingRow(e: Query, seen: ReadonlyMap<number, Value>): { column: string; value: Value } | undefined {
  if (e.op !== 'update' && e.op !== 'delete') return undefined
  for (const { op, column, value } of e.filters) {
    const by = op === 'eq' && value.v === 'row' && /^_?id$|_id$/i.test(value.field ?? '') ? seen.get(value.step) : undefined
    if (by) return { column: lastPart(column), value: by }
  }
  return undefined
}

const isSignup = (e: Query): boolean => e.op === 'select' && USER_TABLE.test(e.table)

/** An update that changes nothing of the row and hangs a row of the caller's on it: `data: { messages: { create: { text, userId } } }`. */
function addsOwnPart(e: Query, behaviour: Behaviour): boolean {
  if (e.op !== 'update' || e.payload?.v !== 'object' || e.payload.rest) return false
  const parts = Object.values(e.payload.props)
  const isOwn = (part: Value) =>
    part.v === 'object' &&
    Object.keys(part.props).join() === 'create' &&
    part.props.create?.v === 'object' &&
    Object.values(part.props.create.props).some((v) => isCallers(v, behaviour))
  return parts.length > 0 && parts.every(isOwn)
}

/** The check that ties a step to the caller unless its look-up fails; undefined when there is none. */
function checkWithWayAround(step: Step, ties: Ties): Place | undefined {
  let check: Place | undefined
  const under = step.under.map((c): Condition => {
    const { test } = c
    if (test.v !== 'op' || test.op !== '||' || !test.of.some(isAnswered)) return c
    check ??= c.at
    return { ...c, test: { ...test, of: test.of.filter((x) => !isAnswered(x)) } }
  })
  return check && ties.byCondition({ ...step, under }) ? check : undefined
}

const isAnswered = (x: Value): boolean => x.v === 'op' && x.op === ANSWERED
