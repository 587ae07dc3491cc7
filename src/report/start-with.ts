import { type Item, membersOf } from './items.ts'
import type { Report } from './report.ts'

/** More would be no beginning. */
const MAX_START = 3

/**
 * The problems to begin with, of items in the order in which people read them. Among those of the same severity each check comes once before one
 * comes again: three tables with one mistake would hide what else is open.
 */
export function startItems(items: readonly Item[]): readonly Item[] {
  const chosen: Item[] = []
  for (const level of Map.groupBy(items, (i) => `${i.state === 'introduced'} ${i.severity}`).values()) {
    const checks = [...Map.groupBy(level, (i) => i.check).values()]
    chosen.push(...checks.flatMap((c) => c.slice(0, 1)), ...level.filter((i) => !checks.some(([first]) => first === i)))
    if (chosen.length >= MAX_START) break
  }
  return chosen.slice(0, MAX_START)
}

/** `Start with these three`, for as many as there are. */
export const startTitle = (n: number): string => `Start with ${{ 1: 'this one', 2: 'these two' }[n] ?? 'these three'}`

/** Something that only a person can do. `where` is an address or names the page. */
export type ByHand = NonNullable<Report['doYourself']>[number]

/** What only a person can do for the given items, each once, in their order. */
export function stepsByHand(items: readonly Item[]): readonly ByHand[] {
  const steps = membersOf(items).flatMap((f) => f.fix.byHand ?? [])
  return [...new Map(steps.map((s) => [`${s.what}\0${s.where}`, { what: s.what, where: s.where }])).values()]
}
