import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Command, Policy, Table } from '../../database.ts'
import { dealColumns } from '../column-authority/counterparty-columns.ts'
import { keepAbove } from '../column-authority/global-role-value.ts'
import { grantsPower, measuresUsers } from '../column-authority/privilege-columns.ts'
import { holdsRights, privilegeColumnsOf } from '../column-authority/rights.ts'
import { mayGiveRights } from '../column-authority/rights-table.ts'
import { functionObject } from '../functions/security-definer.ts'
import type { Hole } from '../hole.ts'
import { guestsOrOwn, letsGuestsAdd } from '../owners/anonymous-insert.ts'
import { isLookedAfter } from '../owners/assignee-not-owner.ts'
import { authorOf, isOnesOwn } from '../owners/author-column.ts'
import { holdsCallersId, inTheirWords } from '../owners/caller-id-column.ts'
import { MEMBERSHIP_TABLE, ownAmong, participantsOf } from '../owners/participants.ts'
import { BY_SOMEBODY } from '../policies/permission-helpers.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { SERVICE_POLICY_NAME } from '../policies/service-role-policy-name.ts'
import { mendedHelper } from '../policies/shared-helper-function.ts'
import { houseRoles, type RoleAsked } from '../policies/staff-condition.ts'
import { asksForTheImpossible } from '../policies/unsatisfiable-check.ts'
import { withUserData } from '../row-audience/user-data-by-name.ts'
import { ident, ROW_COMMANDS, readable, readableName, successorOf } from '../sql.ts'
import { byCommand, keepOthers, ownParent, readableParent, saysMore, waiting, wrapped } from './alter-policy.ts'
import { grantsByDefault, narrow } from './column-privileges.ts'
import { keepWritten } from './counterparty-columns-fix.ts'
import { createPolicy, readableBy } from './create-policy.ts'
import { enableFix, isRecord, ofWork, SEE_REACHED, WHO_TAKES_PART } from './enable-rls.ts'
import { caller, ownerCondition } from './owner-condition.ts'
import { type AskParent, byQuery } from './owner-of-parent.ts'
import { gatesOn, keepFromWriting } from './revoke-column-write.ts'

/** SQL that closes a hole, for this very object; undefined when no statement can be given. Not proved yet. */
export function fixFor(hole: Hole, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, ask: AskParent = byQuery): string | undefined {
  const code = fixOf(hole, catalog, readings, ask)
  return code && inTheirWords(code, catalog)
}

function fixOf(hole: Hole, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, ask: AskParent): string | undefined {
  if (hole.kind === 'function-read' || hole.kind === 'function-write') return revokeExecute(hole, catalog)
  if (hole.kind === 'view') {
    // which columns are left for those who are to read the view, its author has to say
    if (hole.because === 'withheld') return undefined
    const view = readableName(hole.object)
    const readsUsers = catalog.views.some((v) => nameOf(v) === hole.object && v.reads.includes('auth.users'))
    if (readsUsers && hole.because !== 'materialized')
      return `revoke select on ${view} from anon, authenticated;\n-- security_invoker would refuse everybody: who reads the view has no right to auth.users`
    return hole.because === 'materialized' ? `revoke select on ${view} from anon, authenticated;` : `alter view ${view} set (security_invoker = on);`
  }
  const found = catalog.tables.find((t) => nameOf(t) === hole.object)
  if (!found) return undefined
  const table = withUserData(found)
  const policy = catalog.policies.find((p) => nameOf({ schema: p.schema, name: p.table }) === hole.object && p.name === hole.policy)
  const owner = ownerCondition(table, catalog, readings, hole.kind === 'policy' ? (policy?.command ?? 'all') : 'select', ask)
  const on = readableName(hole.object)
  switch (hole.kind) {
    case 'no-rls':
      return enableFix(table, catalog, owner, readings)
    case 'locked': {
      const work = ofWork(table, catalog, owner, readings)
      if (work === 'asked') return undefined
      return owner && createPolicy(table, work ? SEE_REACHED : 'Users see their own rows', 'select', owner)
    }
    case 'escalation':
      if (hole.because === 'above' && hole.states?.[0]) return keepAbove(table, hole.states[0], 'update')
      if (hole.because === 'held')
        return policy?.using
          ? `alter policy ${ident(policy.name)} on ${on} with check ${saysMore(policy) ? `(${stripped(policy.check ?? '')} and ${stripped(policy.using)})` : wrapped(policy.using)};`
          : undefined
      return keepFromWriting(table, [...new Set([...(hole.columns ?? []), ...(hole.withheld ?? []), ...gatesOn(table, readings)])], policy, catalog)
    case 'owner-change':
      if (hole.because === 'either' || hole.because === 'stored' || hole.because === 'party') return narrow(table, hole.columns ?? [], 'update')
      // what the new row has to be is what the policy is for: only whose it is stays as it is
      if (policy && saysMore(policy)) return narrow(table, hole.columns ?? [], 'update')
      return policy?.using ? `alter policy ${ident(policy.name)} on ${on} with check ${wrapped(policy.using)};` : undefined
    case 'parent-free':
      return policy && readableParent(hole, policy, on, table, readings)
    case 'rewrite':
      return keepWritten(hole, table, readings.get(hole.object) ?? [], catalog, (columns) =>
        narrow(table, columns, 'update', hole.because === 'terms' || hole.because === 'paid' ? { granting: true } : {}),
      )
    case 'author-free': {
      if (!policy) return undefined
      const condition = policy.check ?? policy.using
      if (condition && hole.because === 'either') {
        const own = (hole.columns ?? []).map((c) => `(${readable(c)} is null or ${readable(c)} = ${caller(table, c)})`)
        return `alter policy ${ident(policy.name)} on ${on} with check (${[stripped(condition), ...own].join(' and ')});`
      }
      const author = authorOf(hole.columns ?? [], table)
      if (!condition || !author) return undefined
      const power = (hole.columns ?? []).filter((c) => grantsPower(c) && !table.userData?.ownerColumns.includes(c))
      const own = `${caller(table, author)} = ${readable(author)}`
      const bound = `${stripped(condition)} and ${own}`
      // whoever corrects a row of somebody else's is not its author: only who adds one has to be
      const code =
        policy.command === 'all' && policy.using
          ? [`drop policy ${ident(policy.name)} on ${on};`, ...byCommand(table, policy, condition, bound, isOnesOwn(table, author) ? own : undefined)].join(
              '\n',
            )
          : `alter policy ${ident(policy.name)} on ${on} with check (${bound});`
      return power.length ? `${code}\n${narrow(table, power, 'insert', { granting: true })}` : code
    }
    case 'self-grant':
      if (hole.because === 'above' && hole.states?.[0]) return keepAbove(table, hole.states[0], 'insert')
      if (hole.because === 'publication') return policy && ownParent(hole, policy, on, catalog, ask)
      if (hole.because === 'moderation') return policy && waiting(hole, policy, on, table)
      if ((hole.because === 'settled' || hole.because === 'requested') && policy?.command === 'insert')
        return waiting(hole, policy, on, table) ?? narrow(table, hole.columns ?? [], 'insert')
      if (policy && isForTheServer(hole, policy)) return [`drop policy ${ident(policy.name)} on ${on};`, ...keepOthers(table, policy)].join('\n')
      if (policy?.command === 'insert' && grantsByDefault(table, hole.columns ?? []))
        return `drop policy ${ident(policy.name)} on ${on};\n-- a row that says nothing grants already, by its defaults: the server adds such rows, with the service role`
      return keepFromWriting(table, hole.columns ?? [], policy, catalog, 'insert')
    case 'policy':
      if (hole.helper) return mendedHelper(hole, catalog)
      if (policy && holdsWithSession(hole)) return `alter policy ${ident(policy.name)} on ${on} to authenticated;`
      if (policy && letsGuestsAdd(hole, policy, table) && owner) return guestsOrOwn(table, policy, on)
      if (policy?.command === 'insert' && letsIn(hole.object, table, readings))
        return `drop policy ${ident(policy.name)} on ${on};\n-- the server adds members, who could otherwise add themselves: it checks an invitation first`
      // whoever sends an enquiry is not who looks after it
      return policy && replacePolicy(table, policy, hole, catalog, policy.command === 'insert' && isLookedAfter(table) ? undefined : owner, readings)
    default:
      return undefined
  }
}

/** Whether policies of other tables let in whoever has a row here: whoever may add one of his own is in. */
function letsIn(name: string, table: Table, readings: ReadonlyMap<string, readonly Reading[]>): boolean {
  if (!says(MEMBERSHIP_TABLE, table.name)) return false
  return [...readings].some(([other, list]) => other !== name && list.some((r) => r.ways.some((w) => w.outcome === 'via' && w.tables.includes(name))))
}

/** Whether no browser is to add such rows at all: who joins or is appointed, and by a policy for adding alone what is charged and what a tenant paid. */
function isForTheServer({ because }: Hole, policy: Policy): boolean {
  if (because === 'membership' || because === 'appointment') return true
  return policy.command === 'insert' && (because === 'price' || because === 'tenant' || because === 'certificate')
}

const stripped = (condition: string): string => condition.trim()

/** A role predicate that the application already uses, so that a fix speaks its language. */
function adminCondition(table: Table, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string | undefined {
  // a policy that asks its own table never comes to an end
  const asksHere = new RegExp(`\\b(?:from|join)\\s+\\(*"?(?:${table.schema}"?\\."?)?${table.name.replace(/\W/g, '.')}"?\\b`, 'i')
  for (const list of readings.values()) {
    for (const r of list) {
      const text = roleAlone(r, catalog)
      if (text && !asksHere.test(text) && canBeAsked(text, catalog, readings)) return text
    }
  }
  const helper = catalog.functions.find(
    (f) => /^(is_?admin|fs_is_admin|is_staff|is_superuser)$/i.test(f.name) && f.args.length === 0 && /^bool/.test(f.returns) && !f.stub,
  )
  return helper && `(select ${readableName(nameOf(helper))}())`
}

/** The condition of a policy that asks for a role and for nothing of the row. */
function roleAlone(r: Reading, catalog: Catalog): string | undefined {
  const text = r.policy.using ?? r.policy.check
  if (!text || text.length > 300 || !r.ways.length || !r.ways.every((w) => w.outcome === 'role' && w.because === undefined && w.states.length === 0))
    return undefined
  // a role that the table of the roles refuses lets nobody in
  if (r.ways.every((w) => asksForTheImpossible(w, catalog)) || comparesMadeUpKey(text, catalog)) return undefined
  if (/\b(\w+)\.(\w+)/.test(text) && new RegExp(`\\b${r.policy.table}\\.`).test(text)) return undefined
  return stripped(text)
}

/** Each fix looks for them among all policies. */
const rolesAsked = rememberFor((readings: ReadonlyMap<string, readonly Reading[]>, catalog: Catalog): readonly RoleAsked[] =>
  [...readings].flatMap(([table, list]) =>
    list.flatMap((r) => {
      const text = roleAlone(r, catalog)
      return text && canBeAsked(text, catalog, readings) ? [{ table, text, command: r.command }] : []
    }),
  ),
)

/**
 * A condition that reads `auth.users` itself is refused to everybody who signs in (42501), and so is every query of the table that it guards; one that
 * reads a table of which no policy shows its callers a row is never true.
 */
function canBeAsked(text: string, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): boolean {
  if (/\b(?:from|join)\s+\(*auth\.users\b/i.test(text)) return false
  return [...text.matchAll(/\b(?:from|join)\s+\(*(?:"?public"?\.)?"?(\w{1,63})/gi)].every(([, name]) => {
    const table = catalog.tables.find((t) => t.schema === 'public' && t.name === name)
    if (!table?.rls.enabled || table.rls.assumed || table.stub) return true
    return (readings.get(nameOf(table)) ?? []).some((r) => r.command === 'select' && r.role === 'authenticated' && r.policy.permissive)
  })
}

/** `admin_users.id = auth.uid()`, of a list of people that makes its keys up itself: no user has such an id. */
function comparesMadeUpKey(text: string, catalog: Catalog): boolean {
  const [, name, column] = /\b(\w{1,63})\.(\w{1,63}) = \(?\s?(?:select )?auth\.uid\(\)/i.exec(text) ?? []
  const table = catalog.tables.find((t) => t.schema === 'public' && t.name === name && /admin|staff|moderator/i.test(t.name))
  const own = table?.columns.find((c) => c.name === column)
  return own !== undefined && /gen_random_uuid|uuid_generate/.test(own.default ?? '') && !table?.foreignKeys.some((f) => f.columns.includes(own.name))
}

/** Conditions that say something of the row or of the caller, and not whose the row is: they stay beside the owner. */
const NARROWS: ReadonlySet<Hole['cause']> = new Set(['not-tied', 'row-state', 'no-caller'])

/** What of a policy is to stay: the alternatives that lead in those whom they name, and beside the owner what it asks of a row that is written. */
function keptBeside(policy: Policy, hole: Hole, owner: string | undefined, readings: readonly Reading[]): string | undefined {
  const reading = readings.find((r) => r.policy.name === policy.name && r.command === hole.command && r.role === 'authenticated')
  const branches = reading?.branches?.() ?? []
  const closed = branches.filter((b) => b.ways.length > 0 && b.ways.every((w) => w.outcome === 'owner' || w.outcome === 'via' || w.outcome === 'role'))
  if (closed.length && closed.length < branches.length) {
    const own = owner && !closed.some((b) => b.ways.some((w) => w.outcome === 'owner' && !w.needsRole)) ? [owner] : []
    return [...own, ...closed.map((b) => b.text)].join('\n    or ')
  }
  const asked = branches.map((b) => b.text).join(' or ')
  if (!owner || !asked || closed.length || !NARROWS.has(hole.cause) || hole.command === 'select' || asked.length > 600) return owner
  return `${branches.length > 1 ? `(${asked})` : asked}\n    and ${owner}`
}

function replacePolicy(
  table: Table,
  policy: Policy,
  hole: Hole,
  catalog: Catalog,
  own: string | undefined,
  readings: ReadonlyMap<string, readonly Reading[]>,
): string {
  const owner = keptBeside(policy, hole, own, readings.get(nameOf(table)) ?? [])
  const drop = `drop policy ${ident(policy.name)} on ${readableName(nameOf(table))};`
  const others = (readings.get(nameOf(table)) ?? []).filter(
    (r) => r.policy.name !== policy.name && r.role === 'authenticated' && (policy.command === 'all' || r.command === policy.command),
  )
  // one that lets owners in beside others has to go as well
  const isBound = (r: Reading) => r.ways.some((w) => w.outcome === 'owner' || w.outcome === 'via') && !r.ways.some((w) => w.outcome === 'open')
  const commands = policy.command === 'all' ? ROW_COMMANDS : [policy.command]
  const unbound = commands.filter((c) => !others.some((r) => r.command === c && isBound(r)))
  const forServer = /^(?:insert|update|delete)$/.test(policy.command) && SERVICE_POLICY_NAME.test(policy.name)
  if (forServer) return `${drop}\n-- the service role needs no policy: it bypasses row level security`
  // what is written down of users none of them writes, whatever else the server's policy opens
  if (own && policy.command === 'all' && SERVICE_POLICY_NAME.test(policy.name) && (isRecord(table) || measuresUsers(table))) {
    const seen = unbound.includes('select') && !others.some((r) => r.command === 'select' && r.ways.length > 0)
    return [
      drop,
      ...(seen ? [createPolicy(table, OWN_ROWS_POLICY_NAME.select, 'select', own)] : []),
      '-- insert, update, delete: through the server, with the service role, which needs no policy',
    ].join('\n')
  }
  if (!unbound.length) return `${drop}\n-- the policy that binds the owner stays`
  const admin = adminCondition(table, catalog, readings)
  if (own && policy.command !== 'select' && holdsRights(table, readings))
    return rightsOf(table, policy, own, SERVICE_POLICY_NAME.test(policy.name) ? undefined : admin, commands, others)
  // what another policy opens is told of that one, and goes by its fix
  const left = unbound.filter((c) => !others.some((r) => r.command === c && r.ways.length > 0))
  if (unbound.length < commands.length)
    return [
      drop,
      ...alsoForOwners(
        table,
        commands.filter((c) => !unbound.includes(c)),
        left,
        SERVICE_POLICY_NAME.test(policy.name) ? undefined : owner,
        catalog,
        readings,
      ),
    ].join('\n')
  const name = successorOf(policy.name, '(own rows)')
  const staff = houseRoles(catalog, readings, policy.command, rolesAsked(readings, catalog))
  if (staff && table.userData && isOfTheHouse(table, catalog))
    return `${drop}\n${createPolicy(table, successorOf(policy.name, '(staff)'), policy.command, policy.command === 'insert' ? enteredBy(table, staff, catalog) : staff)}`
  const participants = commands.includes('select') ? participantsOf(table, catalog, readings) : undefined
  if (participants && participants !== 'unknown')
    return [
      drop,
      createPolicy(table, successorOf(policy.name, '(participants)'), 'select', participants),
      ...(owner && policy.command === 'all' ? ownChanges(table, policy, owner, participants) : []),
    ].join('\n')
  // whoever wrote it is not alone who may read it
  if (participants === 'unknown' && policy.command === 'select') return `${drop}\n${WHO_TAKES_PART}`
  if (owner) return [drop, createPolicy(table, name, policy.command, owner), ...keepPower(table, policy.command, catalog, readings)].join('\n')
  // whom other policies of the table let in by their role goes on by those
  const byRole = (c: Command) => others.find((r) => r.command === c && r.ways.length > 0 && r.ways.every((w) => w.outcome === 'role'))
  const stay = [...new Set(commands.flatMap((c) => byRole(c)?.policy.name ?? []))].map(ident)
  const isRead = commands.includes('select') && others.some((r) => r.command === 'select' && r.ways.length > 0)
  const isShown = policy.command === 'all' && !table.userData && !isRead && !says(WRITTEN_INSIDE, table.name)
  const readers = isShown ? `\n${readableBy(table, isOpenToSignedOut(table, policy, 'select', readings))}` : ''
  if (stay.length && commands.every((c) => byRole(c) || (c === 'select' && (isRead || isShown))))
    return `${drop}${readers}\n-- ${stay.join(' and ')}: ${stay.length > 1 ? 'these policies let' : 'this policy lets'} in whom ${stay.length > 1 ? 'they ask' : 'it asks'} for and ${stay.length > 1 ? 'stay' : 'stays'}`
  // what visitors send in no administrator adds
  const sentIn = policy.command === 'insert' && !/admin|staff/i.test(policy.name) && isOpenToSignedOut(table, policy, 'insert', readings)
  if (admin && policy.command !== 'select' && !sentIn)
    return says(SETTINGS_TABLE, table.name) || !staff
      ? `${drop}\n${createPolicy(table, successorOf(policy.name, '(administrators)'), policy.command, admin)}${readers}`
      : `${drop}\n${createPolicy(table, successorOf(policy.name, '(staff)'), policy.command, staff)}${readers}`
  return `${drop}${readers}\n-- ${policy.command === 'select' ? 'reading then goes' : 'changes then go'} through the server, with the service role`
}

/** What one wrote one may still change. */
const ownChanges = (table: Table, policy: Policy, owner: string, participants: string): readonly string[] =>
  (['insert', 'update', 'delete'] as const).map((c) =>
    createPolicy(table, successorOf(policy.name, `(own rows ${c})`), c, c === 'insert' ? ownAmong(table, owner, participants) : owner),
  )

/** What an application writes down of itself, and no page of its visitors shows. */
const WRITTEN_INSIDE =
  /usage|quota|(^|_)(api|rate)_limits?|(_|^)limits$|(^|_)(logs?|runs?|jobs?|queues?|imports?|tracking|audit|monitoring|metrics|backups?|migrations?|errors?|alerts?)(_|$)/i

/** How an application is set up: administrators say so, not everybody who works with it. */
const SETTINGS_TABLE = /setting|config|price|pricing|plan|template|prompt|rule|instruction|instruc[ao]|menu|flag|feature|limit|key|secret|token/i

/** A new row of what several people work on names whoever enters it, or nobody. */
function enteredBy(table: Table, staff: string, catalog: Catalog): string {
  // a text may hold his name or his address as well
  const isId = (c: string) => table.columns.some((x) => x.name === c && x.type === 'uuid')
  const by = (table.userData?.ownerColumns ?? []).filter((c) => isId(c) && holdsCallersId(table, c, catalog))
  const isNull = (c: string) => (table.columns.find((x) => x.name === c)?.notNull ? '' : `${readable(c)} is null or `)
  return [staff, ...by.map((c) => `(${isNull(c)}${readable(c)} = ${caller(table, c)})`)].join('\n    and ')
}

/** Rows that are rights are seen by those who have them; who gives them is asked for by another role than theirs. */
function rightsOf(table: Table, policy: Policy, own: string, admin: string | undefined, commands: readonly Command[], others: readonly Reading[]): string {
  const isKept = (c: Command) => others.some((r) => r.command === c && r.ways.length > 0)
  const left = commands.filter((c) => c !== 'select' && !isKept(c))
  return [
    `drop policy ${ident(policy.name)} on ${readableName(nameOf(table))};`,
    ...(commands.includes('select') && !isKept('select') ? [createPolicy(table, 'Users see their own rows', 'select', own)] : []),
    ...(admin && left.length > 2
      ? [createPolicy(table, successorOf(policy.name, '(administrators)'), 'all', admin)]
      : admin
        ? left.map((c) => createPolicy(table, successorOf(policy.name, `(administrators ${c})`), c, admin))
        : left.length
          ? [`-- ${left.join(', ')}: through the server, with the service role: whoever writes such a row of his own gives himself rights`]
          : []),
  ].join('\n')
}

/** Whether rows are what those who work here work on: nobody but them is named in a row or in what it belongs to, and at most who entered it. */
function isOfTheHouse(table: Table, catalog: Catalog): boolean {
  const own = table.userData?.ownerColumns.filter((c) => holdsCallersId(table, c, catalog)) ?? []
  if (own.length) return own.every((c) => BY_SOMEBODY.test(c))
  return table.foreignKeys.every((key) => {
    const parent = catalog.tables.find((t) => nameOf(t) === key.references)
    return !parent || parent === table || (parent.userData?.ownerColumns ?? []).every((c) => BY_SOMEBODY.test(c) || !holdsCallersId(parent, c, catalog))
  })
}

const OWN_ROWS_POLICY_NAME: Readonly<Record<Command, string>> = {
  select: 'Users see their own rows',
  insert: 'Users add their own rows',
  update: 'Users change their own rows',
  delete: 'Users delete their own rows',
}

/** Where other policies bind the owner for some commands alone: the rest for owners as well, unless the server should decide on such rows. */
function alsoForOwners(
  table: Table,
  bound: readonly Command[],
  left: readonly Command[],
  owner: string | undefined,
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
): string[] {
  const stay = `-- the policies that bind the owner for ${bound.join(', ')} stay`
  const decided = mayGiveRights(table) || isRecord(table) || holdsRights(table, readings)
  const ours = left.filter((c) => owner && (c === 'select' || !decided))
  const servers = left.filter((c) => !ours.includes(c))
  return [
    stay,
    ...ours.flatMap((c) => [createPolicy(table, OWN_ROWS_POLICY_NAME[c], c, owner as string), ...keepPower(table, c, catalog, readings)]),
    ...(servers.length ? [`-- ${servers.join(', ')}: through the server, with the service role`] : []),
  ]
}

/** Whether a policy lets people who are not signed in read rows, or add some. */
const isOpenToSignedOut = (table: Table, policy: Policy, command: Command, readings: ReadonlyMap<string, readonly Reading[]>): boolean =>
  readings
    .get(nameOf(table))
    ?.some((r) => r.policy.name === policy.name && r.command === command && r.role === 'anon' && r.ways.some((w) => w.outcome === 'open')) ?? false

/** What keeps an owner from granting himself power through a policy that lets him write his own rows. */
function keepPower(table: Table, command: Policy['command'], catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string[] {
  if (command === 'select' || command === 'delete') return []
  const power = privilegeColumnsOf(table, readings)
  const read = readings.get(nameOf(table)) ?? []
  // what a deal costs is written once, when the buyer makes it
  const deal = command === 'insert' ? [] : dealColumns(table, read, catalog)
  const privileges = command === 'all' ? (['insert', 'update'] as const) : [command]
  return privileges.flatMap((p) => {
    if (p === 'insert' || !deal.length) return power.length ? (narrow(table, power, p, { granting: true }) ?? []) : []
    const kept = keepWritten({ because: 'terms', columns: [...deal, ...power] }, table, read, catalog, (columns) =>
      narrow(table, columns, p, { granting: true }),
    )
    return kept ?? []
  })
}

/** What compares the caller, and lets through only who has no session: a function or a policy. */
export const holdsWithSession = (hole: Hole): boolean =>
  (hole.kind === 'function-write' || hole.kind === 'policy') && hole.cause === 'null-slips-through' && hole.who === 'anon'

function revokeExecute(hole: Hole, catalog: Catalog): string | undefined {
  const fn = catalog.functions.find((f) => f.securityDefiner && functionObject(f) === hole.object)
  // a function that policies call must stay executable
  if (fn && catalog.policies.some((p) => new RegExp(`\\b${fn.name}\\(`).test(`${p.using ?? ''} ${p.check ?? ''}`))) return undefined
  // whoever has the secret calls it without a session of his own: the comparison has to be mended
  if (hole.cause === 'secret-null') return undefined
  if (holdsWithSession(hole))
    return `revoke execute on function ${hole.object} from public, anon;\ngrant execute on function ${hole.object} to authenticated, service_role;`
  return `revoke execute on function ${hole.object} from public, anon, authenticated;\ngrant execute on function ${hole.object} to service_role;`
}
