import { lastPart } from '../../../lib/last-part.ts'
import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Command, Policy, ReplayInput, Table, UndecidedPolicy, View } from '../../database.ts'
import { keepsCopies } from '../../sandbox/classification/row-copies.ts'
import { holdsServiceKeys } from '../../sandbox/classification/service-keys.ts'
import { isPayersEvent } from '../../sandbox/classification/user-data.ts'
import { admittingColumns, joiningColumns } from '../column-authority/membership-columns.ts'
import { heldAtFirst } from '../column-authority/pending-state.ts'
import { askedColumns } from '../column-authority/policy-gate-columns.ts'
import type { JudgeWorld, RowState, Way } from '../expression/disjunct.ts'
import { Evaluator } from '../expression/evaluate.ts'
import { judge } from '../expression/judge.ts'
import { ALWAYS, both } from '../expression/predicate.ts'
import { returnsOf } from '../expression/routine.ts'
import type { World } from '../expression/scope.ts'
import type { Tree } from '../expression/tree.ts'
import { readFunctions } from '../functions/security-definer.ts'
import type { Hole, MayRead, TooMuch } from '../hole.ts'
import { FOR_OTHERS, privateParents } from '../owners/private-parent.ts'
import { bearerColumns, letSomebodyIn } from '../row-audience/bearer-code.ts'
import { ENTERED_BY_COLUMN, isInTheWindow } from '../row-audience/for-sale.ts'
import { singlesOut } from '../row-audience/identifying-group.ts'
import { isContactOfBusiness, isMeantToBeSeen, isNobodysBusiness } from '../row-audience/public-content.ts'
import { isBroughtAlong, isOnlyApproval, isPublication } from '../row-audience/published-state.ts'
import { withUserData } from '../row-audience/user-data-by-name.ts'
import { BROWSER_ROLES, type BrowserRole, hasPrivilege, nameOf, type Reading, readPolicies } from './read-policies.ts'
import { asReadableBy } from './readable-columns.ts'
import { withSharedHelpers } from './shared-helper-function.ts'
import { asksForTheImpossible, isExcludedByChecks } from './unsatisfiable-check.ts'
import { publishingColumns, readInsert, readUpdate, type WriteContext } from './write-violations.ts'

/** What the parse trees say: every policy read, and every hole that follows. */
export interface ReadAccess {
  readonly readings: ReadonlyMap<string, readonly Reading[]>
  readonly holes: readonly Hole[]
  readonly undecided: readonly UndecidedPolicy[]
}

/** Reads policies, views and functions of the exposed schemas; tables without row level security are left to `no-rls`. */
export function readAccess(
  catalog: Catalog,
  input: Pick<ReplayInput, 'exposedSchemas'>,
  world: World & JudgeWorld,
  mayRead: MayRead,
  tooMuch: TooMuch = () => undefined,
): ReadAccess {
  const exposed = new Set(input.exposedSchemas)
  const tables = catalog.tables.filter((t) => exposed.has(t.schema) && !t.extension)
  const readings = new Map(tables.map((t) => [nameOf(t), mayRead('policy', nameOf(t), t.at) ? readPolicies(t, catalog, world) : []]))
  const context = writeContext(catalog, readings, world)
  const holes: Hole[] = []
  for (const table of tables.map(withUserData)) {
    if (!table.rls.enabled) continue
    const read = readings.get(nameOf(table)) ?? []
    holes.push(...readTable(table, read, context))
  }
  for (const view of catalog.views) if (exposed.has(view.schema)) holes.push(...readView(view, catalog, readings, world))
  const unprotected = new Map(tables.filter((t) => !t.rls.enabled && !t.stub).map((t) => [nameOf(t), t]))
  const openAnyway = (name: string, role: BrowserRole, states: readonly RowState[] = []): boolean => {
    const table = unprotected.get(name)
    return table ? hasPrivilege(table.grants, role, 'select') : isOpenAnyway(readings.get(name) ?? [], role, states)
  }
  const held = heldAtFirst(readings)
  holes.push(...readFunctions(catalog, exposed, { ...world, heldAtFirst: (table) => held.get(table) ?? [] }, openAnyway, mayRead, tooMuch))
  return {
    readings,
    holes: withSharedHelpers(holes, catalog),
    undecided: tables.map(withUserData).flatMap((t) => undecidedPolicies(t, readings.get(nameOf(t)) ?? [], world)),
  }
}

/** What the writes of every table are judged against: who is asked for what by the policies of all others. */
function writeContext(catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, world: World & JudgeWorld): WriteContext {
  return {
    catalog,
    memberships: membershipTables(catalog, readings),
    asked: askedColumns(readings, world),
    publishing: publishingColumns(readings),
    readings,
    joining: joiningColumns(readings),
    admitting: admittingColumns(readings),
  }
}

/**
 * One table once more, after statements that concern it alone: its holes, and the readings of all tables with its own policies read anew.
 * `undefined` when the catalog has no such table.
 */
export function readTableAgain(
  name: string,
  catalog: Catalog,
  before: ReadonlyMap<string, readonly Reading[]>,
  world: World & JudgeWorld,
): Pick<ReadAccess, 'holes' | 'readings'> | undefined {
  const found = catalog.tables.find((t) => nameOf(t) === name)
  if (!found) return undefined
  const readings = new Map([...before, [name, readPolicies(found, catalog, world)] as const])
  const table = withUserData(found)
  return { readings, holes: table.rls.enabled ? readTable(table, readings.get(name) ?? [], writeContext(catalog, readings, world)) : [] }
}

/** Policies whose condition calls what only the dashboard holds. What binds the owner of the row beside the call decides by itself. */
function undecidedPolicies(table: Table, readings: readonly Reading[], world: World): UndecidedPolicy[] {
  const found = new Map<string, UndecidedPolicy>()
  for (const { policy, command, role, ways } of table.rls.enabled ? readings : []) {
    if (!hasPrivilege(table.grants, role, command)) continue
    for (const way of ways) {
      const fn = way.outcome === 'unknown' ? /^function (.+) is not defined in the repository$/.exec(way.because ?? '')?.[1] : undefined
      if (fn === undefined || !world.missing(lastPart(fn))) continue
      found.set(`${policy.name}\0${command}`, { object: nameOf(table), policy: policy.name, command, function: fn, at: policy.at })
    }
  }
  return [...found.values()]
}

/** Tables through which others' policies let members in: whoever writes a row there lets himself in. */
function membershipTables(catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): ReadonlySet<string> {
  const found = new Set<string>()
  // the parent of the row is no membership: only the group that a row names lets its user into the group
  const groups = new Map(catalog.tables.map((t) => [nameOf(t), (t.userData?.tenantColumns ?? []).map((c) => `${nameOf(t)}.${c}`)]))
  for (const [name, list] of readings) {
    for (const reading of list) {
      for (const way of reading.ways) {
        if (way.outcome !== 'via') continue
        for (const t of way.tables) if (t !== name && groups.get(t)?.some((column) => way.links.includes(column))) found.add(t)
      }
    }
  }
  return found
}

function readTable(table: Table, readings: readonly Reading[], context: WriteContext): Hole[] {
  const holes: Hole[] = []
  const byPolicy = new Map<string, Reading[]>()
  for (const r of readings) {
    if (!hasPrivilege(table.grants, r.role, r.command)) continue
    const key = `${r.policy.name}\0${r.command}`
    byPolicy.set(key, [...(byPolicy.get(key) ?? []), r])
  }
  for (const group of byPolicy.values()) {
    const [{ policy, command }] = group as [Reading]
    if (command === 'select' && isPutUpByStaff(table, policy.name, readings, context.catalog)) continue
    const shown = command === 'select' ? group.filter((r) => showsUserData(table, r.role)) : group
    const open = shown.flatMap((r) => openWays(r, table, context.catalog).map((way) => ({ way, role: r.role })))
    if (open.length) {
      const mayStand = command === 'insert' && !table.userData?.ownerColumns.length
      const [under] = mayStand ? privateParents(table, context.catalog, context.readings) : []
      const parents = mayStand && !under ? parentColumns(table, readings) : []
      holes.push({
        ...policyHole(table, policy, command, open),
        ...(under ? { tables: [{ table: under.parent, command }] } : {}),
        ...(parents.length ? { columns: parents } : {}),
      })
      continue
    }
    const guests = command === 'insert' ? group.flatMap((r) => guestWays(r, table).map((way) => ({ way, role: r.role }))) : []
    if (guests.length) holes.push({ ...policyHole(table, policy, command, guests), because: 'guests' })
    const signedIn = group.find((r) => r.role === 'authenticated')
    if (!signedIn) continue
    if (command === 'insert') holes.push(...readInsert(table, signedIn, context))
    if (command === 'update') holes.push(...readUpdate(table, signedIn, context))
  }
  if (
    table.userData &&
    !keepsCopies(table) &&
    !isOnlyEvents(table) &&
    !isOnlyCodes(table) &&
    !table.stub &&
    !table.outlined &&
    !readings.some((r) => r.command === 'select')
  ) {
    holes.push({ kind: 'locked', object: nameOf(table), command: 'select', who: 'authenticated', at: table.at, proof: 'inferred' })
  }
  return holes
}

/** Whether what the role may select of a table is anybody's: with the privilege on its personal columns revoked, a row of nobody's says nothing. */
function showsUserData(table: Table, role: BrowserRole): boolean {
  const { ownerColumns = [], tenantColumns = [], personalColumns = [] } = table.userData ?? {}
  if (!table.userData || ownerColumns.length || tenantColumns.length || !personalColumns.length) return table.userData !== undefined
  const seen = asReadableBy(table, role)
  return !seen.partly || (seen.userData?.personalColumns.length !== 0 && withUserData(seen).userData !== undefined)
}

/**
 * What those who run the place put up for everybody (the events of a season): that a row says who entered it is bookkeeping where every policy that
 * lets rows be written asks for a role.
 */
function isPutUpByStaff(table: Table, policy: string, readings: readonly Reading[], { tables }: Catalog): boolean {
  const { ownerColumns = [], tenantColumns = [], personalColumns = [] } = table.userData ?? {}
  if (!ownerColumns.length || !ownerColumns.every((c) => says(ENTERED_BY_COLUMN, c)) || tenantColumns.length || personalColumns.length) return false
  // what works for whoever has it is not for everybody
  if (bearerColumns(table).length || letSomebodyIn(table) || holdsServiceKeys(table) || table.columns.some((c) => says(COUPON_CODE_COLUMN, c.name)))
    return false
  const written = readings.filter((r) => r.role === 'authenticated' && r.command !== 'select')
  return (
    written.some((r) => r.command === 'insert' && r.ways.length > 0) &&
    written.every((r) => [...r.ways, ...(r.newRow ?? [])].every((w) => w.needsRole)) &&
    isMeantToBeSeen(table, policy, tables)
  )
}

const COUPON_CODE_COLUMN = /(?:^|_)(?:code|coupon|voucher)$/i

/** Codes that nobody owns: the server looks them up. */
const isOnlyCodes = (table: Table): boolean => !table.userData?.ownerColumns.length && bearerColumns(table).length > 0

/** What a processor's events are kept in: nobody's own rows, which only the server reads. */
function isOnlyEvents(table: Table): boolean {
  const { ownerColumns = [], tenantColumns = [], personalColumns = [] } = table.userData ?? {}
  const personal = table.columns.filter((c) => personalColumns.includes(c.name))
  return !ownerColumns.length && !tenantColumns.length && personal.length > 0 && personal.every((c) => isPayersEvent(table, c))
}

/**
 * Columns by which the policies for changing rows tell whose they are: `services.provider_id`, of a provider that is the caller's. Those for reading
 * tell it as well where nobody writes to others: the records of a patient, not the requests to an agent.
 */
function parentColumns(table: Table, readings: readonly Reading[]): readonly string[] {
  const telling = readings.filter((r) => r.role === 'authenticated' && r.command !== 'insert' && (r.command !== 'select' || !FOR_OTHERS.test(table.name)))
  const tied = telling.flatMap((r) => r.ways.flatMap((w) => (w.outcome === 'via' ? w.tiedColumns : [])))
  return [...new Set(tied)].filter((c) => table.foreignKeys.some((f) => f.columns.length === 1 && f.columns[0] === c))
}

const PAID_TABLE = /subscri|purchase|entitlement|licen[cs]e|enrol|membership|order/i

function openWays(reading: Reading, table: Table, catalog: Catalog): Way[] {
  const owners = table.userData?.ownerColumns ?? []
  return reading.ways.filter((way) => {
    if (way.outcome !== 'open' || isExcludedByChecks(table, way.states) || asksForTheImpossible(way, catalog)) return false
    // what a caller without an address finds by it is what nobody has put one into
    if (way.states.some((s) => s.op === '=' && s.value === '' && (owners.includes(s.column) || table.userData?.personalColumns.includes(s.column))))
      return false
    // content that only paying users see: nobody's rows, so nobody's secret
    if (reading.command === 'select' && !owners.length && way.gates.some((g) => PAID_TABLE.test(g.table))) return false
    // rows that belong to nobody (what the application brings along), and rows that their owner published; guests' own data is no such thing, and
    // what is nobody's is not everybody's to change
    const belongs = [...owners, ...(table.userData?.tenantColumns ?? [])]
    const nobodys = way.states.some((s) => s.op === 'is null' && (belongs.includes(s.column) || (!belongs.length && isTiedBy(s.column, reading, table))))
    // who may take up what somebody else offers is that one's affair: an open request has an owner, and nobody who answers it yet
    const empty = way.states.flatMap((s) => (s.op === 'is null' ? [s.column] : []))
    const changes = (reading.command === 'update' || reading.command === 'delete') && owners.every((c) => empty.includes(c))
    // a code that nobody has used yet works for whoever reads it
    const secret =
      reading.command === 'select' && (table.userData?.personalColumns.some((c) => !owners.includes(c)) || bearerColumns(table).length > 0 || isOfGuests(table))
    if (nobodys && !changes && !secret) return false
    // who adds the row knows a secret of the one that it refers to
    if (reading.command === 'insert' && way.capability) return false
    // anybody may write to it, but not as often as he likes
    if (reading.command === 'insert' && way.limited && !owners.length) return false
    // a person's default address is no template
    if (reading.command === 'select' && way.states.some(isBroughtAlong) && !table.userData?.personalColumns.length) return false
    if (reading.command === 'select' && letSomebodyIn(table)) return true
    if (reading.command === 'select' && way.states.some((s) => isInTheWindow(table, s))) return false
    if (reading.command !== 'select' || holdsServiceKeys(table)) return true
    return !(way.states.some((s) => isPublication(s) && !isOnlyApproval(table, s)) || way.parentStates.some(isPublication))
  })
}

/** By what a guest is known again who has no account. */
const GUEST_KEY = /^(?:guest|anonymous|anon|visitor|device|browser|session|client_session|cart|guest_session)_?(?:id|token|key|uuid|code|session_id)$/i

/** Whether rows of nobody's are guests': beside the owner, who may be missing, a row keeps by what a guest is known. */
function isOfGuests(table: Table): boolean {
  const owners = table.userData?.ownerColumns ?? []
  const refers = new Set(table.foreignKeys.flatMap((f) => f.columns))
  return (
    owners.length > 0 &&
    table.columns.some((c) => says(GUEST_KEY, c.name) && /^(?:text|uuid|char)/.test(c.type) && !refers.has(c.name) && !table.primaryKey.includes(c.name))
  )
}

/** Whether another way of reading finds the caller by a reference to somebody else's row: where that is empty, the row is nobody's. */
const isTiedBy = (column: string, reading: Reading, table: Table): boolean =>
  reading.command === 'select' &&
  table.foreignKeys.some((f) => f.columns.length === 1 && f.columns[0] === column) &&
  reading.ways.some((w) => w.outcome === 'via' && w.tiedColumns.includes(column))

/** Ways in which people who are not signed in add rows of nobody's, as many as they like. */
function guestWays(reading: Reading, table: Table): Way[] {
  const owners = table.userData?.ownerColumns ?? []
  if (reading.role !== 'anon') return []
  return reading.ways.filter(
    (way) =>
      way.outcome === 'open' &&
      !way.capability &&
      !way.limited &&
      !isExcludedByChecks(table, way.states) &&
      way.states.some((s) => s.op === 'is null' && owners.includes(s.column)),
  )
}

/** A table, with what a way asks of the row there that names the caller. */
function askedOf(table: string, { gates }: Way): string {
  const asked = gates.filter((g) => g.table === table && g.op === '=' && g.value !== undefined && !g.counted)
  const words = asked.slice(0, 3).map((g) => `${g.column} = ${typeof g.value === 'string' ? `'${g.value}'` : g.value}`)
  return words.length ? `${table} where ${words.join(' and ')}` : table
}

/** The states of a way, each with what else its column may hold where the ways differ in that alone: `IN ('help', 'feature')` is one way for each. */
function withOthers(way: Way, all: readonly Way[]): readonly RowState[] {
  const same = (a: RowState, b: RowState) => a.column === b.column && a.op === b.op && a.value === b.value && a.counted === b.counted
  return way.states.map((state) => {
    if (state.op !== '=' || state.value === undefined || state.counted) return state
    const others = all.flatMap((o) => {
      const other = o.states.find((s) => s.column === state.column && s.op === '=' && !s.counted)
      const rest = o.states.filter((s) => s !== other)
      return other?.value !== undefined && rest.length === way.states.length - 1 && rest.every((s) => way.states.some((w) => same(w, s))) ? [other.value] : []
    })
    const oneOf = [...new Set([state.value, ...others])]
    return oneOf.length > 1 ? { ...state, oneOf } : state
  })
}

function policyHole(table: Table, policy: Policy, command: Command, open: readonly { way: Way; role: BrowserRole }[]): Hole {
  const anon = open.find((o) => o.role === 'anon')
  const { way, role } = anon ?? (open[0] as { way: Way; role: BrowserRole })
  const because = way.because ?? (way.cause === 'not-tied' ? way.tables.map((t) => askedOf(t, way)).join(', ') : undefined)
  return {
    kind: 'policy',
    object: nameOf(table),
    command,
    policy: policy.name,
    who: anon ? 'anon' : 'authenticated',
    ...(way.cause ? { cause: way.cause } : {}),
    ...(because ? { because } : {}),
    ...(way.states.length
      ? {
          states: withOthers(
            way,
            open.filter((o) => o.role === role).map((o) => o.way),
          ),
        }
      : {}),
    at: policy.at,
    proof: 'inferred',
  }
}

/** A view with its owner's rights shows what row level security of its tables would hide. */
function readView(view: View, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, world: World & JudgeWorld): Hole[] {
  if (view.securityInvoker && !view.materialized) return []
  const roles = BROWSER_ROLES.filter((r) => hasPrivilege(view.grants, r, 'select'))
  if (!roles.length) return []
  const evaluator = new Evaluator(world, returnsOf)
  const query = world.parse(view.definition).stmts?.[0]?.stmt['SelectStmt'] as Tree | undefined
  if (!query) return []
  const tables = new Map(catalog.tables.map((t) => [nameOf(t), t]))
  const shown = new Map<string, { who: BrowserRole; columns: Set<string> }>()
  // tables whose policies show every row to a role that has no privilege on the columns
  const past = new Set<string>()
  for (const select of evaluator.select(query, { frames: [], variables: new Map(), inside: [] })) {
    for (const target of select.targets) {
      const node = target['ResTarget']?.val as Tree | undefined
      if (isAggregated(node)) continue
      for (const value of evaluator.values(node, select.scope)) {
        if (value.term.t !== 'column') continue
        const { instance, column } = value.term
        const name = evaluator.instances[instance]?.table ?? ''
        const table = tables.get(name)
        if (name !== 'auth.users' && (!table?.userData || (!table.rls.enabled && !table.stub))) continue
        if (query['groupClause'] && !singlesOut(column, table)) continue
        const ways = judge(both(select.when, value.when ?? ALWAYS), evaluator.instances, instance, world)
        for (const role of roles) {
          const open = ways.some(
            (w) => w.outcome === 'open' && (role === 'anon' ? w.who !== 'authenticated' : true) && ![...w.states, ...w.parentStates].some(isPublication),
          )
          const anyway = open && isOpenAnyway(readings.get(name) ?? [], role)
          if (!open || (anyway && !(table && isWithheld(table, column, role)))) continue
          if (anyway) past.add(name)
          const entry = shown.get(name) ?? { who: role, columns: new Set<string>() }
          entry.columns.add(column)
          shown.set(name, entry)
          break
        }
      }
    }
  }
  for (const name of past) {
    const table = tables.get(name) as Table
    // how to reach a business is on its door: shown by itself it was meant
    if ([...(shown.get(name)?.columns ?? [])].every((c) => isContactOfBusiness(table, c))) shown.delete(name)
  }
  if (!shown.size) return []
  return [
    {
      kind: 'view',
      object: nameOf(view),
      command: 'select',
      who: [...shown.values()].some((s) => s.who === 'anon') ? 'anon' : 'authenticated',
      columns: [...new Set([...shown.values()].flatMap((s) => [...s.columns]))].sort(),
      tables: [...shown.keys()].sort().map((table) => ({ table, command: 'select' as const })),
      at: view.at,
      proof: 'inferred',
      ...(view.materialized
        ? { because: 'materialized' }
        : [...shown.keys()].every((name) => past.has(name))
          ? { because: 'withheld' }
          : query['groupClause']
            ? { because: 'grouped' }
            : {}),
    },
  ]
}

/** A personal column of a table that the role may not select itself, whichever rows the policies would show: REVOKE hides it, not a policy. */
function isWithheld(table: Table, column: string, role: BrowserRole): boolean {
  if (!table.userData?.personalColumns.includes(column) && !isNobodysBusiness(column) && !isContactOfBusiness(table, column)) return false
  const held = table.grants.filter((g) => g.privilege === 'select' && (g.role === role || g.role.toLowerCase() === 'public'))
  return !held.some((g) => !g.columns || g.columns.includes(column))
}

function isAggregated(node: Tree | undefined): boolean {
  return ['count', 'sum', 'avg', 'max', 'min'].includes(node?.['FuncCall']?.funcname?.at(-1)?.String?.sval ?? '')
}

/** The table's own policies already show every row to the role, or every row in these states: then the policy is the finding. */
function isOpenAnyway(readings: readonly Reading[], role: BrowserRole, states: readonly RowState[] = []): boolean {
  const asked = (state: RowState) => states.some((s) => s.column === state.column && s.op === state.op && s.value === state.value)
  return readings.some((r) => r.command === 'select' && r.role === role && r.ways.some((w) => w.outcome === 'open' && w.states.every(asked)))
}
