import type { Route } from '../../../model/routes/routes.ts'

/** Whether anything that the request brings gets into what the handler does; a job that takes nothing can only be started. */
export function isSteered(route: Route): boolean {
  const steps = route.behaviour?.steps ?? []
  return (
    !steps.length ||
    // what is read by its path, a file say, the path chooses
    route.route.includes('[') ||
    Boolean(route.behaviour?.gaps?.length) ||
    steps.some(({ effect }) => effect.kind !== 'respond' && effect.kind !== 'log' && mentionsRequest(effect))
  )
}

/** Whether a value of the request is anywhere in an effect. Values share their parts: each is looked at once. */
function mentionsRequest(effect: object): boolean {
  const seen = new Set<unknown>([effect])
  for (const node of seen) {
    if (node === null || typeof node !== 'object') continue
    if ((node as { v?: unknown }).v === 'request' || (node as { v?: unknown }).v === 'unknown') return true
    for (const value of Object.values(node)) seen.add(value)
  }
  return false
}
