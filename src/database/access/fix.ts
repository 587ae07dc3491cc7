import type { Catalog, Policy, Table } from '../database.ts'
import { holdsCallersId } from './callers-id.ts'
import { functionObject } from './functions.ts'
import type { Hole } from './hole.ts'
import { isLookedAfter } from './looked-after.ts'
import { dealColumns } from './other-party.ts'
import { keepWritten } from './party-fix.ts'
import { nameOf, type Reading } from './policies.ts'
import { powerColumnsOf } from './power-columns.ts'
import { keepAbove } from './raised-above.ts'
import { mendedHelper } from './shared-helper.ts'
import { ident, readable, readableName, successorOf } from './sql.ts'
import { withUserData } from './user-data-by-name.ts'

/** SQL that closes a hole, for this very object; undefined when no statement can be given. Not proved yet. */
export function fixFor(hole: Hole, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string | undefined {
  if (hole.kind === 'function-read' || hole.kind === 'function-write') return revokeExecute(hole, catalog)
  if (hole.kind === 'view') {
    const view = readableName(hole.object)
    return hole.because === 'materialized' ? `revoke select on ${view} from anon, authenticated;` : `alter view ${view} set (security_invoker = on);`
  }
  const found = catalog.tables.find((t) => nameOf(t) === hole.object)
  if (!found) return undefined
  const table = withUserData(found)
  const owner = ownerCondition(table, catalog, readings, hole.command === 'insert')
  const on = readableName(hole.object)
  const policy = catalog.policies.find((p) => nameOf({ schema: p.schema, name: p.table }) === hole.object && p.name === hole.policy)
  switch (hole.kind) {
    case 'no-rls':
      return enable(table, catalog, owner, readings)
    case 'locked':
      return owner && create(table, 'Users see their own rows', 'select', owner)
    case 'escalation':
      if (hole.because === 'above' && hole.states?.[0]) return keepAbove(table, hole.states[0], 'update')
      if (hole.because === 'held') return policy?.using ? `alter policy ${ident(policy.name)} on ${on} with check ${wrapped(policy.using)};` : undefined
      return narrow(table, [...(hole.columns ?? []), ...(hole.withheld ?? [])], 'update')
    case 'owner-change':
      if (hole.because === 'either' || hole.because === 'stored' || hole.because === 'party') return narrow(table, hole.columns ?? [], 'update')
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
      const author = (hole.columns ?? []).find((c) => table.userData?.ownerColumns.includes(c))
      const power = (hole.columns ?? []).filter((c) => c !== author)
      if (!condition || !author) return undefined
      const bound = `alter policy ${ident(policy.name)} on ${on} with check (${stripped(condition)} and ${caller(table, author)} = ${readable(author)});`
      return power.length ? `${bound}\n${narrow(table, power, 'insert')}` : bound
    }
    case 'self-grant':
      if (hole.because === 'above' && hole.states?.[0]) return keepAbove(table, hole.states[0], 'insert')
      if (hole.because === 'publication') return policy && ownParent(hole, policy, on, catalog)
      if (hole.because === 'moderation') return policy && waiting(hole, policy, on, table)
      if ((hole.because === 'settled' || hole.because === 'requested') && policy?.command === 'insert')
        return waiting(hole, policy, on, table) ?? narrow(table, hole.columns ?? [], 'insert')
      return policy && isForTheServer(hole, policy)
        ? [`drop policy ${ident(policy.name)} on ${on};`, ...keepOthers(table, policy)].join('\n')
        : narrow(table, hole.columns ?? [], 'insert')
    case 'policy':
      if (hole.helper) return mendedHelper(hole, catalog)
      if (policy && holdsWithSession(hole)) return `alter policy ${ident(policy.name)} on ${on} to authenticated;`
      // whoever sends an enquiry is not who looks after it
      return policy && replacePolicy(table, policy, catalog, policy.command === 'insert' && isLookedAfter(table) ? undefined : owner, readings)
    default:
      return undefined
  }
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
  return (['select', 'delete'] as const).map((c) => create(table, successorOf(policy.name, c === 'select' ? '(see)' : '(leave)'), c, stripped(using)))
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
function ownParent(hole: Hole, policy: Policy, on: string, catalog: Catalog): string | undefined {
  const parent = catalog.tables.find((t) => nameOf(t) === hole.tables?.[0]?.table)
  const owner = (parent?.userData?.ownerColumns ?? []).find((c) => /uuid|text|char/.test(parent?.columns.find((x) => x.name === c)?.type ?? ''))
  const condition = policy.check ?? policy.using
  const [column] = hole.columns ?? []
  if (!parent || !owner || !condition || !column) return undefined
  const own = `exists (select 1 from ${readableName(nameOf(parent))} p where p.${readable(parent.primaryKey[0] ?? 'id')} = ${readable(column)} and p.${readable(owner)} = ${caller(parent, owner)})`
  return `alter policy ${ident(policy.name)} on ${on} with check (${stripped(condition)} and ${own});`
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
function ownerCondition(table: Table, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, isNew = false): string | undefined {
  const own = ownColumn(table, catalog)
  if (own) return `${caller(table, own)} = ${readable(own)}`
  for (const key of table.foreignKeys) {
    const parent = catalog.tables.find((t) => nameOf(t) === key.references)
    const column = parent && ownColumn(parent, catalog)
    if (!parent || !column || key.columns.length !== 1 || nameOf(parent) === nameOf(table)) continue
    return `exists (\n    select 1 from ${readableName(nameOf(parent))} p\n    where p.${readable(key.referencedColumns[0] ?? 'id')} = ${readable(table.name)}.${readable(key.columns[0] as string)} and p.${readable(column)} = ${caller(parent, column)}\n  )`
  }
  // what a sibling policy already uses; nothing can refer to a row before it is there
  const refers = (name: string) => isNew && catalog.tables.some((t) => nameOf(t) === name && t.foreignKeys.some((f) => f.references === nameOf(table)))
  const bound = (readings.get(nameOf(table)) ?? []).find(
    (r) => r.ways.length > 0 && r.ways.every((w) => (w.outcome === 'owner' || w.outcome === 'via') && !w.tables.some(refers)),
  )
  return bound?.policy.using ? stripped(bound.policy.using) : undefined
}

/** A role predicate that the application already uses, so that a fix speaks its language. */
function adminCondition(catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string | undefined {
  for (const list of readings.values()) {
    for (const r of list) {
      const text = r.policy.using ?? r.policy.check
      if (!text || text.length > 300 || !r.ways.length || !r.ways.every((w) => w.outcome === 'role' && w.because === undefined && w.states.length === 0))
        continue
      if (/\b(\w+)\.(\w+)/.test(text) && new RegExp(`\\b${r.policy.table}\\.`).test(text)) continue
      return stripped(text)
    }
  }
  const helper = catalog.functions.find(
    (f) => /^(is_?admin|fs_is_admin|is_staff|is_superuser)$/i.test(f.name) && f.args.length === 0 && /^bool/.test(f.returns) && !f.stub,
  )
  return helper && `(select ${readableName(nameOf(helper))}())`
}

function create(table: Table, name: string, command: 'select' | 'insert' | 'update' | 'delete' | 'all', condition: string): string {
  const clauses =
    command === 'insert'
      ? `with check (${condition})`
      : command === 'update' || command === 'all'
        ? `using (${condition})\n  with check (${condition})`
        : `using (${condition})`
  return `create policy ${ident(name)} on ${readableName(nameOf(table))}\n  for ${command} to authenticated\n  ${clauses};`
}

function replacePolicy(table: Table, policy: Policy, catalog: Catalog, owner: string | undefined, readings: ReadonlyMap<string, readonly Reading[]>): string {
  const drop = `drop policy ${ident(policy.name)} on ${readableName(nameOf(table))};`
  const others = (readings.get(nameOf(table)) ?? []).filter(
    (r) => r.policy.name !== policy.name && r.role === 'authenticated' && (policy.command === 'all' || r.command === policy.command),
  )
  // one that lets owners in beside others has to go as well
  const covered = others.some((r) => r.ways.some((w) => w.outcome === 'owner' || w.outcome === 'via') && !r.ways.some((w) => w.outcome === 'open'))
  const forServer = policy.command === 'insert' && /system|service|trigger|server|backend|webhook|function/i.test(policy.name)
  if (forServer) return `${drop}\n-- the service role needs no policy: it bypasses row level security`
  if (covered) return `${drop}\n-- the policy that binds the owner stays`
  const name = successorOf(policy.name, '(own rows)')
  if (owner) return [drop, create(table, name, policy.command, owner), ...keepPower(table, policy.command, catalog, readings)].join('\n')
  const admin = adminCondition(catalog, readings)
  const readers = policy.command === 'all' && !table.userData ? `\n${readableBy(table, isReadBySignedOut(table, policy, readings))}` : ''
  if (admin && policy.command !== 'select') return `${drop}\n${create(table, successorOf(policy.name, '(administrators)'), policy.command, admin)}${readers}`
  return `${drop}${readers}\n-- ${policy.command === 'select' ? 'reading then goes' : 'changes then go'} through the server, with the service role`
}

function enable(table: Table, catalog: Catalog, owner: string | undefined, readings: ReadonlyMap<string, readonly Reading[]>): string {
  const name = readableName(nameOf(table))
  const on = `alter table ${name} enable row level security;`
  if (table.kind === 'foreign') return `revoke all on ${name} from anon, authenticated;`
  if (catalog.policies.some((p) => p.schema === table.schema && p.table === table.name)) return on
  // own rows that grant power are read by their owner and changed by the server: the fix must not open check 4
  const power = [...new Set([...powerColumnsOf(table), ...dealColumns(table, readings.get(nameOf(table)) ?? [], catalog)])]
  if (owner && power.length)
    return `${on}\n${create(table, 'Users see their own rows', 'select', owner)}\n-- ${power.map(readable).join(', ')}: changed by the server only, with the service role`
  if (owner) return `${on}\n${create(table, 'Users manage their own rows', 'all', owner)}`
  if (table.userData || FOR_THE_SERVER.test(table.name)) return `${on}\n-- no policy: only the service role, that is your server, reads and writes it`
  return `${on}\n${readableBy(table, true)}`
}

/** A policy that keeps a table readable, for those alone who are signed in unless others read it too. */
const readableBy = (table: Table, signedOut: boolean): string =>
  `create policy "${signedOut ? 'Everyone' : 'Everyone who is signed in'} may read" on ${readableName(nameOf(table))}\n  for select to ${signedOut ? 'anon, authenticated' : 'authenticated'}\n  using (true);`

/** Whether a policy shows rows to people who are not signed in. */
const isReadBySignedOut = (table: Table, policy: Policy, readings: ReadonlyMap<string, readonly Reading[]>): boolean =>
  readings
    .get(nameOf(table))
    ?.some((r) => r.policy.name === policy.name && r.command === 'select' && r.role === 'anon' && r.ways.some((w) => w.outcome === 'open')) ?? false

/** Tables of the server's own: codes it sent, jobs, what it wrote down. */
const FOR_THE_SERVER =
  /verif|(^|_)otps?($|_)|nonce|passw|token|secret|credential|(^|_)sessions?$|queue|(^|_)jobs?$|webhook|audit|usage|(^|_)logs?($|_)|rate_?limit/i

/** What keeps an owner from granting himself power through a policy that lets him write his own rows. */
function keepPower(table: Table, command: Policy['command'], catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string[] {
  if (command === 'select' || command === 'delete') return []
  const power = powerColumnsOf(table)
  const read = readings.get(nameOf(table)) ?? []
  // what a deal costs is written once, when the buyer makes it
  const deal = command === 'insert' ? [] : dealColumns(table, read, catalog)
  const privileges = command === 'all' ? (['insert', 'update'] as const) : [command]
  return privileges.flatMap((p) => {
    if (p === 'insert' || !deal.length) return power.length ? (narrow(table, power, p) ?? []) : []
    const kept = keepWritten({ because: 'terms', columns: [...deal, ...power] }, table, read, catalog, (columns) => narrow(table, columns, p))
    return kept ?? []
  })
}

/** Column privileges: everything but the columns named stays writable. */
function narrow(table: Table, columns: readonly string[], privilege: 'insert' | 'update'): string | undefined {
  const keep = table.columns.filter(
    (c) =>
      !columns.includes(c.name) &&
      !c.generated &&
      c.identity !== 'always' &&
      !(
        privilege === 'update' &&
        (table.primaryKey.includes(c.name) || table.userData?.ownerColumns.includes(c.name) || table.userData?.powerColumns.includes(c.name))
      ),
  )
  const name = readableName(nameOf(table))
  const revoke = `revoke ${privilege} on ${name} from anon, authenticated;`
  return keep.length ? `${revoke}\ngrant ${privilege} (${keep.map((c) => readable(c.name)).join(', ')}) on ${name} to authenticated;` : revoke
}

/** What compares the caller, and lets through only who has no session: a function or a policy. */
export const holdsWithSession = (hole: Hole): boolean =>
  (hole.kind === 'function-write' || hole.kind === 'policy') && hole.cause === 'null-slips-through' && hole.who === 'anon'

function revokeExecute(hole: Hole, catalog: Catalog): string | undefined {
  const fn = catalog.functions.find((f) => f.securityDefiner && functionObject(f) === hole.object)
  // a function that policies call must stay executable
  if (fn && catalog.policies.some((p) => new RegExp(`\\b${fn.name}\\(`).test(`${p.using ?? ''} ${p.check ?? ''}`))) return undefined
  if (holdsWithSession(hole))
    return `revoke execute on function ${hole.object} from public, anon;\ngrant execute on function ${hole.object} to authenticated, service_role;`
  return `revoke execute on function ${hole.object} from public, anon, authenticated;\ngrant execute on function ${hole.object} to service_role;`
}
