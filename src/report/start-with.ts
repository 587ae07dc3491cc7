import { type Item, membersOf } from './items.ts'
import type { Report } from './report.ts'

/** More would be no beginning. */
const MAX_START = 3

/** The problems to begin with, of items in the order in which people read them. */
export const startItems = (items: readonly Item[]): readonly Item[] => items.slice(0, MAX_START)

/** `Start with these three`, for as many as there are. */
export const startTitle = (n: number): string => `Start with ${{ 1: 'this one', 2: 'these two' }[n] ?? 'these three'}`

/** Something that only a person can do. `where` is an address or names the page. */
export type ByHand = NonNullable<Report['doYourself']>[number]

/** What only a person can do for the given items, each once, in their order. */
export function stepsByHand(items: readonly Item[]): readonly ByHand[] {
  const steps = membersOf(items).flatMap((f) => f.fix.byHand ?? [])
  return [...new Map(steps.map((s) => [`${s.what}\0${s.where}`, { what: s.what, where: s.where }])).values()]
}
