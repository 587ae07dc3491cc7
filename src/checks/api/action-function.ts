import type { RelatedPlace } from '../../lib/place.ts'
import type { Route } from '../../model/routes/routes.ts'

/** The function that a server action is, by its own name. */
export function actionFunction(route: Route): readonly RelatedPlace[] {
  if (route.kind !== 'action') return []
  const name = route.subject.slice(route.subject.lastIndexOf('#') + 1)
  return [{ path: route.path, line: route.line, subject: `function ${name}`, what: 'the function that browsers can call as an action' }]
}
