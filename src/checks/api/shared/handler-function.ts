import type { RelatedPlace } from '../../../lib/place.ts'
import type { Route } from '../../../model/routes/routes.ts'

/** The function that a server action is, by its own name, or that answers a route which is registered elsewhere. */
export function handlerFunction(route: Route): readonly RelatedPlace[] {
  if (route.handler) return [{ ...route.handler, what: 'the function that answers' }]
  if (route.kind !== 'action') return []
  const name = route.subject.slice(route.subject.lastIndexOf('#') + 1)
  return [{ path: route.path, line: route.line, subject: `function ${name}`, what: 'the function that browsers can call as an action' }]
}
