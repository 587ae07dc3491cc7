import { lastPart } from '../../../lib/last-part.ts'
import type { Route, Surroundings } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { refusal } from './refusal-response.ts'

/** What advice about a handler may rest on: the other handlers, the code around it, and the tables. */
export interface Known {
  readonly all: readonly Route[]
  readonly around: Surroundings
  readonly schema: Pick<SchemaModel, 'tables' | 'functions'>
}

/** How a handler turns somebody away, with the headers without which a page of another origin does not see the answer. */
export function refusalAt(route: Route, around: Surroundings, status: 401 | 403 | 429): string {
  return route.framework === 'Supabase Edge Functions' ? `return new Response(null, { status: ${status}${corsAt(route, around)} })` : refusal(route, status)
}

/** The headers that let pages of another origin see an answer, by the name that an edge function has for them. */
export function corsAt(route: Route, around: Surroundings): string {
  const names = around.names(route.path)
  const name = ['corsHeaders', 'CORS_HEADERS', 'cors', 'CORS'].find(
    (n) => (names.has(n) && (/headers/i.test(n) || isObject(n, route, around))) || (n === 'corsHeaders' && around.locals(route).has(n)),
  )
  return name === undefined ? '' : `, headers: ${name}`
}

/** `const cors = { … }` of the module: what is made by a call may be a function. */
const isObject = (name: string, { path }: Route, around: Surroundings): boolean =>
  around.code(path)?.functions[0]?.body.some((s) => s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init?.k === 'obj') === true

/** `router.delete('/:id', requireUser, handler)`, as the router is told of the handler now. */
export function registration(route: Route, middleware: string, around: Surroundings): string {
  const { router, method, path } = around.registered(route) ?? { router: 'router', method: (route.method ?? 'use').toLowerCase(), path: undefined }
  return path === undefined
    ? `router.${method}(…, ${middleware}, handler) // the path stays as it stands there`
    : `${router}.${method}('${path}', ${middleware}, handler)`
}

/** What a procedure of tRPC is called in its router. */
export const procedureName = (route: Route): string => lastPart(route.route)
