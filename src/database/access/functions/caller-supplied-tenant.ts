import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'
import { type Atom, bases } from '../expression/predicate.ts'
import type { Instance } from '../expression/scope.ts'
import type { Effect } from '../expression/statement-effects.ts'
import { nameOf } from '../policies/read-policies.ts'

/** Rows that say who is in what. */
const MEMBERSHIPS = /(?:^|_)(?:members?|memberships?|collaborators?)$/
/** What people are let into. Who wants to be in a group, a course or a room joins it. */
const CLOSED_TENANT_COLUMN = /^(?:org|organi[sz]ation|team|workspace|tenant|company|agency|family|household)(?:_?(?:id|uuid))?$/

/** Whether the rows of a table say who is in what, by its name. */
export const saysWhoIsIn = (table: string): boolean => says(MEMBERSHIPS, table)

/** Whether a column names what people are let into, not what they join. */
export const namesClosedTenant = (column: string): boolean => says(CLOSED_TENANT_COLUMN, column)

/**
 * The column in which a function writes the tenant that its caller names, into a row that says who is in it, where it asks no other table before: no
 * invitation, no code, nothing that the tenant says of who may come in.
 */
export function chosenTenant(effect: Effect, table: Table | undefined, instances: readonly Instance[]): string | undefined {
  if (!table || effect.command !== 'insert' || !saysWhoIsIn(table.name)) return undefined
  const isOwn = (instance: number) => instance === effect.instance || instances[instance]?.table === nameOf(table)
  const asksNothing = (atom: Atom): boolean => {
    if (atom.a === 'exists') return isOwn(atom.instance)
    // that something is not there (the membership, mostly) nobody has to prove
    if (atom.a === 'some') return atom.name === 'not exists'
    const terms = atom.a === 'compare' ? [atom.left, atom.right] : atom.a === 'null' ? [atom.of] : []
    return atom.a !== 'unknown' && terms.flatMap(bases).every((t) => t.t !== 'column' || isOwn(t.instance))
  }
  if (!effect.when.flat().every(asksNothing)) return undefined
  return [...effect.writes].find(([column, values]) => namesClosedTenant(column) && values.length > 0 && values.every((v) => v.term.t === 'argument'))?.[0]
}
