import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import type { Behaviour } from '../../model/behaviour/types.ts'
import type { Route, RoutesModel } from '../../model/routes/routes.ts'

/** Libraries that who has them keeps the tables with, whatever else the application is asked through. */
const KEEPERS: readonly (readonly [name: string, library: string])[] = [
  ['@prisma/client', 'prisma'],
  ['drizzle-orm', 'drizzle'],
  ['mongoose', 'mongoose'],
]

/** The library with which code at a place asks the database. */
export function libraryAt(path: string, { routes, surroundings }: RoutesModel): string | undefined {
  const kept = KEEPERS.flatMap(([name, library]) => (surroundings.uses(name, path) ? [library] : []))
  const asked = mostUsed(routes)
  // of several that are there, the one that handlers ask
  return kept.length && !(asked && kept.includes(asked)) ? kept[0] : asked
}

const mostUsed = rememberFor((routes: readonly Route[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const { behaviour } of routes)
    for (const [library, times] of behaviour ? asksThrough(behaviour) : []) counts.set(library, (counts.get(library) ?? 0) + times)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
})

/** How often a handler asks through each library. */
const asksThrough = rememberFor(({ steps }: Behaviour): readonly (readonly [library: string, times: number])[] => {
  const counts = new Map<string, number>()
  for (const { effect: e } of steps) if (e.kind === 'db') counts.set(e.client.library, (counts.get(e.client.library) ?? 0) + 1)
  return [...counts]
})
