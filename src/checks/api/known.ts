import { lastPart } from '../../lib/last-part.ts'
import type { SchemaModel } from '../../model/app-model.ts'
import type { Route, Surroundings } from '../../model/routes/routes.ts'
import { refusal } from './refusal.ts'

/** What advice about a handler may rest on: the other handlers, the code around it, and the tables. */
export interface Known {
  readonly all: readonly Route[]
  readonly around: Surroundings
  readonly schema: Pick<SchemaModel, 'tables' | 'functions'>
}

/** How a handler turns somebody away, with the headers without which a page of another origin does not see the answer. */
export function refusalAt(route: Route, around: Surroundings, status: 401 | 403): string {
  const cors = route.framework === 'Supabase Edge Functions' && around.names(route.path).has('corsHeaders')
  return cors ? `return new Response(null, { status: ${status}, headers: corsHeaders })` : refusal(route, status)
}

/** `router.delete('/:id', requireUser, handler)`, as the router is told of the handler now. */
export function registration(route: Route, middleware: string, around: Surroundings): string {
  const { router, method, path } = around.registered(route) ?? { router: 'router', method: (route.method ?? 'use').toLowerCase(), path: undefined }
  return path === undefined
    ? `router.${method}(…, ${middleware}, handler) // the path stays as it stands there`
    : `${router}.${method}('${path}', ${middleware}, handler)`
}

/** What a procedure of tRPC is called in its router. */
export const procedureName = (route: Route): string => lastPart(route.route)
