import type { Hole } from '../../../database/database.ts'
import type { Place } from '../../../lib/place.ts'
import type { AppModel } from '../../../model/app-model.ts'

/**
 * Where the application itself lists rows in the very state that a policy opens, whosever they are: a board of open requests. Such a
 * policy does what its author wants, whatever else it shows.
 */
export function listedInState({ routes }: Pick<AppModel, 'routes'>, hole: Hole): Place | undefined {
  const states = hole.states ?? []
  if (hole.cause !== 'row-state' || !states.length || states.some((s) => s.op !== '=')) return undefined
  const names = [hole.object, hole.object.replace(/^public\./, '')]
  for (const route of routes.routes) {
    for (const { effect: e, at } of route.behaviour?.steps ?? []) {
      if (e.kind !== 'db' || e.op !== 'select' || e.one || e.countOnly || !names.includes(e.table)) continue
      if (e.filters.some((f) => f.value.v !== 'const')) continue
      const asked = states.every((s) => e.filters.some((f) => f.op === 'eq' && f.column === s.column && f.value.v === 'const' && f.value.value === s.value))
      if (asked) return at
    }
  }
  return undefined
}
