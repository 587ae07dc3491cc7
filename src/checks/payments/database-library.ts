import { rememberFor } from '../../lib/remember-for.ts'
import type { Route } from '../../model/routes/routes.ts'

/** The library that most of the application's queries are made with. */
export const libraryOf = rememberFor((routes: readonly Route[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const { behaviour } of routes)
    for (const { effect: e } of behaviour?.steps ?? []) if (e.kind === 'db') counts.set(e.client.library, (counts.get(e.client.library) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
})
