import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Table } from '../../database.ts'
import { caller } from '../fixes/owner-condition.ts'
import { BY_SOMEBODY } from '../policies/permission-helpers.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { readable, readableName } from '../sql.ts'
import { holdsCallersId } from './caller-id-column.ts'

/** Rows of which each says who belongs to something. */
export const MEMBERSHIP_TABLE =
  /(^|_)(participants?|members?|memberships?|collaborators?|(team|org|group|room|chat|workspace|conversation)_users?|user_(teams?|orgs?|groups?|rooms?|chats?|workspaces?|conversations?))$/i

const CONVERSATION_MESSAGE_TABLE = /(?:^|_)(?:messages?|mensagens|mensajes|nachrichten)$/i

/**
 * Who may read a conversation and its messages, which its author alone may not: a condition of a policy, or `unknown` where nothing in the schema says who
 * takes part. Undefined for whatever else a table holds, and for a conversation of one user (with a model).
 */
export function participantsOf(table: Table, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): string | 'unknown' | undefined {
  const named = partiesOf(table, catalog)
  if (says(CONVERSATION_MESSAGE_TABLE, table.name)) {
    if (named.length > 1) return isOneOf(table, named)
    const parents = parentsOf(table, catalog)
    if (!parents.length) return undefined
    const ways = parents.map(({ parent, column, key }) => ofParent(table, column, parent, key, catalog, readings))
    return ways.find((w) => w !== undefined && w !== 'unknown') ?? ways.find((w) => w === 'unknown')
  }
  if (!catalog.tables.some((t) => says(CONVERSATION_MESSAGE_TABLE, t.name) && parentsOf(t, catalog).some((p) => p.parent === table))) return undefined
  if (named.length > 1) return isOneOf(table, named)
  const [key] = table.primaryKey
  return named.length || key === undefined ? undefined : (ofMembers(table, key, table, key, catalog, readings) ?? 'unknown')
}

/** What somebody writes into a conversation in which he takes part: a condition for rows that are added. */
export const ownAmong = (table: Table, owner: string, participants: string): string =>
  says(CONVERSATION_MESSAGE_TABLE, table.name) && participants.startsWith('exists') ? `${owner}\n    and ${participants}` : owner

/** The people whom a row names, other than who entered it. */
const partiesOf = (table: Table, catalog: Catalog): readonly string[] =>
  (table.userData?.ownerColumns ?? []).filter((c) => !BY_SOMEBODY.test(c) && !table.primaryKey.includes(c) && holdsCallersId(table, c, catalog))

const isOneOf = (table: Table, columns: readonly string[], of = ''): string =>
  `${caller(table, columns[0] as string)} in (${columns.map((c) => `${of}${readable(c)}`).join(', ')})`

/** What the rows of a table belong to, people left aside. */
function parentsOf(table: Table, catalog: Catalog) {
  return table.foreignKeys.flatMap(({ columns: [column, ...more], references, referencedColumns }) => {
    const parent = catalog.tables.find((t) => nameOf(t) === references)
    const key = referencedColumns[0] ?? parent?.primaryKey[0]
    return parent && parent !== table && !more.length && column && key && !holdsCallersId(parent, key, catalog) ? [{ parent, column, key }] : []
  })
}

function ofParent(
  table: Table,
  column: string,
  parent: Table,
  key: string,
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
): string | 'unknown' | undefined {
  const members = ofMembers(table, column, parent, key, catalog, readings)
  if (members) return members
  const named = partiesOf(parent, catalog)
  if (named.length > 1)
    return `exists (\n    select 1 from ${readableName(nameOf(parent))} p\n    where p.${readable(key)} = ${readable(table.name)}.${readable(column)} and ${isOneOf(parent, named, 'p.')}\n  )`
  return named.length ? undefined : 'unknown'
}

/** Whoever is a member of what the row belongs to, where a member sees the own membership and its policies do not ask this table in turn. */
function ofMembers(
  table: Table,
  column: string,
  parent: Table,
  key: string,
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
): string | undefined {
  for (const members of catalog.tables) {
    if (members === table || members === parent || members.stub || !says(MEMBERSHIP_TABLE, members.name)) continue
    const link = members.foreignKeys.find((f) => f.references === nameOf(parent) && f.columns.length === 1 && (f.referencedColumns[0] ?? key) === key)
    const [user] = partiesOf(members, catalog)
    const [of] = link?.columns ?? []
    if (!user || !of || user === of) continue
    const seen = (readings.get(nameOf(members)) ?? []).filter((r) => r.command === 'select' && r.role === 'authenticated' && r.policy.permissive)
    if (members.rls.enabled && !seen.some((r) => r.ways.some((w) => w.outcome === 'owner' || w.outcome === 'open'))) continue
    if (seen.some((r) => new RegExp(`\\b${table.name}\\b`).test(r.policy.using ?? ''))) continue
    return `exists (\n    select 1 from ${readableName(nameOf(members))} m\n    where m.${readable(of)} = ${readable(table.name)}.${readable(column)} and m.${readable(user)} = ${caller(members, user)}\n  )`
  }
  return undefined
}
