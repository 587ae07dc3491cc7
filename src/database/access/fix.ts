import { says } from '../../lib/snake-case.ts'
import type { Catalog, Command, Policy, Table } from '../database.ts'
import { BY_SOMEBODY, reachedBy } from './asked-helpers.ts'
import { authorOf } from './author-of.ts'
import { holdsCallersId, inTheirWords } from './callers-id.ts'
import { grantsByDefault, narrow } from './column-privileges.ts'
import { createPolicy, readableBy } from './create-policy.ts'
import { enableFix, isRecord, ofWork, SEE_REACHED } from './enable-fix.ts'
import { functionObject } from './functions.ts'
import type { Hole } from './hole.ts'
import { houseRoles } from './house-roles.ts'
import { isLookedAfter } from './looked-after.ts'
import { asksForTheImpossible } from './never-holds.ts'
import { dealColumns } from './other-party.ts'
import { type AskParent, byQuery } from './parent-owner.ts'
import { keepWritten } from './party-fix.ts'
import { nameOf, type Reading } from './policies.ts'
import { grantsPower, powerColumnsOf } from './power-columns.ts'
import { keepAbove } from './raised-above.ts'
import { holdsRights, powerIn } from './rights.ts'
import { mayGiveRights } from './rights-by-name.ts'
import { mendedHelper } from './shared-helper.ts'
import { ident, readable, readableName, successorOf } from './sql.ts'
import { withUserData } from './user-data-by-name.ts'

/** SQL that closes a hole, for this very object; undefined when no statement can be given. Not proved yet. */
export function fixFor(hole: Hole, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, ask: AskParent = byQuery): string | undefined {
  const code = fixOf(hole, catalog, readings, ask)
  return code && inTheirWords(code, catalog)
}

function fixOf(hole: Hole, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, ask: AskParent): string | undefined {
  if (hole.kind === 'function-read' || hole.kind === 'function-write') return revokeExecute(hole, catalog)
  if (hole.kind === 'view') {
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
      return keepWritten(hole, table, readings.get(hole.object) ?? [], catalog, (columns) => narrow(table, columns, 'update'))
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
      const bound = `${stripped(condition)} and ${caller(table, author)} = ${readable(author)}`
      // whoever corrects a row of somebody else's is not its author: only who adds one has to be
      const code =
        policy.command === 'all' && policy.using
          ? [`drop policy ${ident(policy.name)} on ${on};`, ...byCommand(table, policy, condition, bound)].join('\n')
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

const USED_UP = /usage|quota|rate_?limit/i

/** Whether a policy asks something of the new row that it does not ask of the old one, and not nothing. */
const saysMore = ({ using, check }: Policy): boolean => check !== undefined && check !== using && !/^\(*true\)*$/i.test(check.trim())

/** Takes browsers the columns; by a policy for everything they could as well delete the row and insert it again as wanted. */
function keepFromWriting(
  table: Table,
  columns: readonly string[],
  policy: Policy | undefined,
  catalog: Catalog,
  command: 'insert' | 'update' = 'update',
): string | undefined {
  // of what somebody has used no column is his to write: which time it counts for decides as much as how much it was
  if (command === 'update' && says(USED_UP, table.name) && policy?.command !== 'insert') {
    const all = policy?.command === 'all' ? 'insert, update, delete' : 'update'
    return [`revoke ${all} on ${readableName(nameOf(table))} from anon, authenticated;`, ...stoppedWriters(table, columns, catalog)].join('\n')
  }
  const bound = policy !== undefined && (policy.check === undefined || policy.check === policy.using)
  const privileges = policy?.command === 'all' ? (['insert', 'update'] as const) : [command]
  const code = privileges.map((p) => narrow(table, columns, p, { granting: true, bound })).filter((c) => c !== undefined)
  return code.length ? [...code, ...stoppedWriters(table, columns, catalog)].join('\n') : undefined
}

/** What of the caller's own row in a table policies ask for before they let in: whether he is still a member. */
function gatesOn(table: Table, readings: ReadonlyMap<string, readonly Reading[]>): readonly string[] {
  const own = [...table.primaryKey, ...(table.userData?.ownerColumns ?? [])]
  const gates = [...readings.values()].flat().flatMap((r) => r.ways.flatMap((w) => w.gates))
  return table.columns.map((c) => c.name).filter((c) => !own.includes(c) && gates.some((g) => g.own && g.table === nameOf(table) && g.column === c))
}

/** Functions that write the columns with the rights of whoever calls them: without the privilege they fail. */
function stoppedWriters(table: Table, columns: readonly string[], { functions, triggers }: Catalog): string[] {
  const plain = (text: string) => text.replace(/\W/g, '.')
  const writes = new RegExp(`\\b(?:update|insert\\s+into)\\s+(?:only\\s+)?(?:"?${plain(table.schema)}"?\\.)?"?${plain(table.name)}"?(?!\\w)`, 'i')
  const named = new RegExp(`\\b(?:${columns.map(plain).join('|')})\\b`, 'i')
  const runsWithRow = (identity: string) => triggers.some((t) => t.function === identity && t.table === nameOf(table) && t.timing === 'before')
  const stopped = functions.filter(
    (f) =>
      !f.securityDefiner &&
      !f.stub &&
      !runsWithRow(f.identity) &&
      f.executableBy.some((r) => r !== 'service_role') &&
      writes.test(f.body) &&
      named.test(f.body),
  )
  return stopped
    .slice(0, 5)
    .map(
      (f) =>
        `-- ${functionObject(f)} writes them with the rights of its caller and fails then: make it SECURITY DEFINER, once it binds auth.uid() and takes no value that decides`,
    )
}

const MEMBERS =
  /(^|_)(participants?|members?|memberships?|collaborators?|(team|org|group|room|chat|workspace|conversation)_users?|user_(teams?|orgs?|groups?|rooms?|chats?|workspaces?|conversations?))$/i

/** Whether policies of other tables let in whoever has a row here: whoever may add one of his own is in. */
function letsIn(name: string, table: Table, readings: ReadonlyMap<string, readonly Reading[]>): boolean {
  if (!says(MEMBERS, table.name)) return false
  return [...readings].some(([other, list]) => other !== name && list.some((r) => r.ways.some((w) => w.outcome === 'via' && w.tables.includes(name))))
}

/** Whether a policy means to let people without an account add rows, which then belong to nobody. */
function letsGuestsAdd(hole: Hole, policy: Policy, table: Table): boolean {
  const own = table.userData?.ownerColumns ?? []
  const nullable = own.length > 0 && own.every((o) => table.columns.some((c) => c.name === o && !c.notNull && !table.primaryKey.includes(o)))
  const meant = policy.roles.includes('anon') || /any(?:one|body)|every(?:one|body)|public|guests?|visitor|anonym|unauth/i.test(policy.name)
  return policy.command === 'insert' && hole.who === 'anon' && !isLookedAfter(table) && nullable && meant && !FOR_THE_SERVER.test(policy.name)
}

/** New rows are nobody's or the caller's, and say nothing of what others decide. */
function guestsOrOwn(table: Table, policy: Policy, on: string): string {
  const own = (table.userData?.ownerColumns ?? []).map((c) => `(${readable(c)} is null or ${readable(c)} = ${caller(table, c)})`)
  const power = powerColumnsOf(table).filter((c) => !table.userData?.ownerColumns.includes(c))
  // what the policy asks beside that (a length, an address that looks like one) it goes on asking
  const asked = policy.check && !/^\(?true\)?$/i.test(policy.check.trim()) ? [stripped(policy.check)] : []
  const bound = `alter policy ${ident(policy.name)} on ${on} with check (${[...asked, ...own].join(' and ')});`
  const note = '-- rows of guests belong to nobody: the server limits how many, or adds them itself with the service role'
  return [bound, ...(power.length ? [narrow(table, power, 'insert', { granting: true, guests: true }) ?? ''] : []), note].join('\n')
}

/** Whether no browser is to add such rows at all: who joins or is appointed, and by a policy for adding alone what is charged and what a tenant paid. */
function isForTheServer({ because }: Hole, policy: Policy): boolean {
  if (because === 'membership' || because === 'appointment') return true
  return policy.command === 'insert' && (because === 'price' || because === 'tenant' || because === 'certificate')
}

/** What a policy for everything allows beside adding rows: to see the own ones and to leave. */
function keepOthers(table: Table, policy: Policy): string[] {
  const { using } = policy
  if (policy.command !== 'all' || !using) return []
  return (['select', 'delete'] as const).map((c) => createPolicy(table, successorOf(policy.name, c === 'select' ? '(see)' : '(leave)'), c, stripped(using)))
}

/** A policy for everything as one for each command, a condition of its own for new rows. */
function byCommand(table: Table, policy: Policy, check: string, added: string): string[] {
  const using = stripped(policy.using ?? check)
  const of = (words: string) => successorOf(policy.name, words)
  const change = `create policy ${ident(of('(change)'))} on ${readableName(nameOf(table))}\n  for update to authenticated\n  using (${using})\n  with check (${stripped(check)});`
  return [
    createPolicy(table, of('(see)'), 'select', using),
    createPolicy(table, of('(add)'), 'insert', added),
    change,
    createPolicy(table, of('(delete)'), 'delete', using),
  ]
}

function stripped(condition: string): string {
  return condition.trim()
}

function wrapped(condition: string): string {
  return /^\(.*\)$/s.test(condition.trim()) ? condition.trim() : `(${condition.trim()})`
}

/** A new row waits as it does by default, also where the page says so itself. */
function waiting(hole: Hole, policy: Policy, on: string, table: Table): string | undefined {
  const condition = policy.check ?? policy.using
  const [column = ''] = hole.columns ?? []
  const state = /^'[^']*'/.exec(table.columns.find((c) => c.name === column)?.default ?? '')?.[0]
  return condition && state ? `alter policy ${ident(policy.name)} on ${on} with check (${stripped(condition)} and ${readable(column)} = ${state});` : undefined
}

/** The row that is shown has to be the caller's own. */
function ownParent(hole: Hole, policy: Policy, on: string, catalog: Catalog, ask: AskParent): string | undefined {
  const parent = catalog.tables.find((t) => nameOf(t) === hole.tables?.[0]?.table)
  const owner = (parent?.userData?.ownerColumns ?? []).find((c) => /uuid|text|char/.test(parent?.columns.find((x) => x.name === c)?.type ?? ''))
  const condition = policy.check ?? policy.using
  const [column] = hole.columns ?? []
  if (!parent || !owner || !condition || !column) return undefined
  const key = parent.primaryKey[0] ?? 'id'
  const own = `p.${readable(owner)} = ${caller(parent, owner)}`
  const query = `exists (select 1 from ${readableName(nameOf(parent))} p where p.${readable(key)} = ${readable(column)} and ${own})`
  return `alter policy ${ident(policy.name)} on ${on} with check (${stripped(condition)} and ${ask({ parent, key, column, own }, query)});`
}

/** The parent has to be a row that the caller sees: its own policies say which. Where they ask the child, neither could be read. */
function readableParent(hole: Hole, policy: Policy, on: string, table: Table, readings: ReadonlyMap<string, readonly Reading[]>): string | undefined {
  const [column = ''] = hole.columns ?? []
  const parent = hole.tables?.[0]?.table ?? ''
  const key = table.foreignKeys.find((f) => f.columns[0] === column && f.references === parent)?.referencedColumns[0]
  const condition = policy.check ?? policy.using
  const askBack = (readings.get(parent) ?? []).some((r) => r.command === 'select' && r.ways.some((w) => w.tables.includes(hole.object)))
  if (!key || !condition || askBack) return undefined
  const seen = `exists (select 1 from ${readableName(parent)} p where p.${readable(key)} = ${readable(table.name)}.${readable(column)})`
  return `alter policy ${ident(policy.name)} on ${on} with check (${stripped(condition)} and ${seen});`
}

/** The caller's id as the column's type has it. */
function caller(table: Table, column: string): string {
  const type = table.columns.find((c) => c.name === column)?.type ?? 'uuid'
  return /text|char/.test(type) ? '(select auth.uid())::text' : '(select auth.uid())'
}

/** The owner column that can hold the caller's id. */
function ownColumn(table: Table, catalog: Catalog): string | undefined {
  return table.userData?.ownerColumns.find(
    (c) => /uuid|text|char/.test(table.columns.find((x) => x.name === c)?.type ?? '') && holdsCallersId(table, c, catalog),
  )
}

/** What ties a row to the caller: its owner column, its parent's, or membership of its tenant. */
function ownerCondition(
  table: Table,
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
  command: Policy['command'],
  ask: AskParent,
): string | undefined {
  const isNew = command === 'insert'
  const own = ownColumn(table, catalog)
  const mine = own && `${caller(table, own)} = ${readable(own)}`
  if (mine && !BY_SOMEBODY.test(own)) return mine
  // what several people work with is not alone that one's who entered it
  const reached = reachedBy(table, catalog, readings, command)
  if (mine && reached && command !== 'select') return isNew ? `${mine} and ${reached}` : mine
  if (reached) return reached
  if (mine) return mine
  for (const reference of table.foreignKeys) {
    const parent = catalog.tables.find((t) => nameOf(t) === reference.references)
    const owner = parent && ownColumn(parent, catalog)
    const [column] = reference.columns
    if (!parent || !owner || !column || reference.columns.length !== 1 || nameOf(parent) === nameOf(table)) continue
    const key = reference.referencedColumns[0] ?? 'id'
    const own = `p.${readable(owner)} = ${caller(parent, owner)}`
    const query = `exists (\n    select 1 from ${readableName(nameOf(parent))} p\n    where p.${readable(key)} = ${readable(table.name)}.${readable(column)} and ${own}\n  )`
    return ask({ parent, key, column, own }, query)
  }
  // what a sibling policy already uses; nothing can refer to a row before it is there
  const refers = (name: string) => isNew && catalog.tables.some((t) => nameOf(t) === name && t.foreignKeys.some((f) => f.references === nameOf(table)))
  const bound = (readings.get(nameOf(table)) ?? []).find(
    (r) => r.ways.length > 0 && r.ways.every((w) => (w.outcome === 'owner' || w.outcome === 'via') && !w.tables.some(refers)),
  )
  return bound?.policy.using ? stripped(bound.policy.using) : undefined
}

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

const FOR_THE_SERVER = /system|service|trigger|server|backend|webhook|function/i

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
  const commands = policy.command === 'all' ? EACH : [policy.command]
  const unbound = commands.filter((c) => !others.some((r) => r.command === c && isBound(r)))
  const forServer = /^(?:insert|update|delete)$/.test(policy.command) && FOR_THE_SERVER.test(policy.name)
  if (forServer) return `${drop}\n-- the service role needs no policy: it bypasses row level security`
  if (!unbound.length) return `${drop}\n-- the policy that binds the owner stays`
  const admin = adminCondition(table, catalog, readings)
  if (own && policy.command !== 'select' && holdsRights(table, readings))
    return rightsOf(table, policy, own, FOR_THE_SERVER.test(policy.name) ? undefined : admin, commands, others)
  // what another policy opens is told of that one, and goes by its fix
  const left = unbound.filter((c) => !others.some((r) => r.command === c && r.ways.length > 0))
  if (unbound.length < commands.length)
    return [
      drop,
      ...alsoForOwners(
        table,
        commands.filter((c) => !unbound.includes(c)),
        left,
        FOR_THE_SERVER.test(policy.name) ? undefined : owner,
        catalog,
        readings,
      ),
    ].join('\n')
  const name = successorOf(policy.name, '(own rows)')
  const staff = houseRoles(catalog, readings, policy.command, (r) => {
    const text = roleAlone(r, catalog)
    return text && canBeAsked(text, catalog, readings) ? text : undefined
  })
  if (staff && table.userData && isOfTheHouse(table, catalog))
    return `${drop}\n${createPolicy(table, successorOf(policy.name, '(staff)'), policy.command, policy.command === 'insert' ? enteredBy(table, staff, catalog) : staff)}`
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
    return says(SET_UP, table.name) || !staff
      ? `${drop}\n${createPolicy(table, successorOf(policy.name, '(administrators)'), policy.command, admin)}${readers}`
      : `${drop}\n${createPolicy(table, successorOf(policy.name, '(staff)'), policy.command, staff)}${readers}`
  return `${drop}${readers}\n-- ${policy.command === 'select' ? 'reading then goes' : 'changes then go'} through the server, with the service role`
}

/** What an application writes down of itself, and no page of its visitors shows. */
const WRITTEN_INSIDE =
  /usage|quota|(^|_)(api|rate)_limits?|(_|^)limits$|(^|_)(logs?|runs?|jobs?|queues?|imports?|tracking|audit|monitoring|metrics|backups?|migrations?|errors?|alerts?)(_|$)/i

/** How an application is set up: administrators say so, not everybody who works with it. */
const SET_UP = /setting|config|price|pricing|plan|template|prompt|rule|instruction|instruc[ao]|menu|flag|feature|limit|key|secret|token/i

/** A new row of what several people work on names whoever enters it, or nobody. */
function enteredBy(table: Table, staff: string, catalog: Catalog): string {
  const by = (table.userData?.ownerColumns ?? []).filter((c) => holdsCallersId(table, c, catalog))
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

const EACH: readonly Command[] = ['select', 'insert', 'update', 'delete']
const OWN: Readonly<Record<Command, string>> = {
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
    ...ours.flatMap((c) => [createPolicy(table, OWN[c], c, owner as string), ...keepPower(table, c, catalog, readings)]),
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
  const power = powerIn(table, readings)
  const read = readings.get(nameOf(table)) ?? []
  // what a deal costs is written once, when the buyer makes it
  const deal = command === 'insert' ? [] : dealColumns(table, read, catalog)
  const privileges = command === 'all' ? (['insert', 'update'] as const) : [command]
  return privileges.flatMap((p) => {
    if (p === 'insert' || !deal.length) return power.length ? (narrow(table, power, p, { granting: true }) ?? []) : []
    const kept = keepWritten({ because: 'terms', columns: [...deal, ...power] }, table, read, catalog, (columns) => narrow(table, columns, p))
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
