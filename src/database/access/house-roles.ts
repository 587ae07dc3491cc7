import type { Catalog, Command, Policy } from '../database.ts'
import { nameOf, type Reading } from './policies.ts'

/** `has_role(auth.uid(), 'manager') or has_role(auth.uid(), 'clerk')`, or `role in ('manager', 'clerk')`: roles that a condition names. */
const ROLE = /'([^']{2,40})'(?:::[\w."]{1,80})?/g

/** What whoever signs up is. */
const EVERYBODY = /^(?:users?|customers?|clients?|members?|guests?|viewers?|students?|usuario|cliente|utente|public|authenticated|anon)$/i

const rolesIn = (condition: string): readonly string[] => [...new Set([...condition.matchAll(ROLE)].map((m) => m[1] as string))]

/**
 * The condition by which an application that several kinds of staff work with opens its tables to them: one that names several roles and asks nothing
 * of the row, as policies of several tables have it: of those for reading, or for writing, the one that leaves out fewest who work here.
 */
export function houseRoles(
  catalog: Catalog,
  readings: ReadonlyMap<string, readonly Reading[]>,
  command: Policy['command'],
  asksRoleAlone: (reading: Reading) => string | undefined,
): string | undefined {
  const users = new Set(catalog.tables.filter((t) => t.userData).map(nameOf))
  const found = new Map<string, { readonly text: string; readonly roles: number; readonly tables: Set<string> }>()
  const wanted = (c: Command) => (command === 'select' ? c === 'select' : c !== 'select')
  for (const [table, list] of readings)
    for (const reading of list) {
      if (!wanted(reading.command) || !users.has(table)) continue
      const text = asksRoleAlone(reading)
      const roles = text ? rolesIn(text) : []
      if (!text || roles.length < 2 || roles.some((r) => EVERYBODY.test(r))) continue
      const key = text.replace(/\s+/g, ' ')
      const one = found.get(key) ?? { text, roles: roles.length, tables: new Set<string>() }
      one.tables.add(table)
      found.set(key, one)
    }
  const [widest] = [...found.values()].filter((f) => f.tables.size > 1).toSorted((a, b) => b.roles - a.roles || b.tables.size - a.tables.size)
  return widest?.text
}
