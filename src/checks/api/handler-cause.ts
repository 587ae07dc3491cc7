import type { Route } from '../../model/routes/routes.ts'
import type { Audience } from './remediation/intended-caller.ts'

type Handler = Pick<Route, 'path' | 'route' | 'kind' | 'subject'>

/** The handlers of one address in one file: what is missing in one of its methods is added to all by the same change. */
const addressOf = ({ path, route, kind, subject }: Handler): string => (kind === 'action' ? subject : `${path} ${route}`)

/** The question who calls, which no method of the address asks; another service proves who it is in another way than people do. */
export const missingGuard = (route: Handler, audience?: Audience): string =>
  `who calls ${addressOf(route)}${audience && audience.who !== 'people' && audience.who !== 'visitors' ? ` (${audience.who})` : ''}`

/** The count of how often somebody calls. */
export const missingLimit = (route: Handler): string => `how often ${addressOf(route)} is called`

/** The comparison of the caller with the owner of the same kind of row. */
export const missingTie = (route: Handler, kind: string, table: string | undefined): string => `whose row ${addressOf(route)} ${kind} ${table ?? ''}`
