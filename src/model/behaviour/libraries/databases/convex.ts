import type { JavaScriptFacts } from '../../../../facts/javascript.ts'
import { rememberFor } from '../../../../lib/memo/memoize-by-object.ts'
import { chainName, constant, UNDEFINED, type Val } from '../../domain/abstract-value.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { Client, DbOp } from '../../types.ts'
import { identify } from '../auth/identify.ts'
import type { Library, LibraryCall } from '../library.ts'

/** The function of the application that tells who is signed in: `api.auth.getCurrentUser`, `api.users.viewer`. */
const TELLS_WHO = /(?:^|\.)(?:(?:get_?)?(?:current|logged_?in|signed_?in|auth(?:enticated)?)_?user|viewer|me|get_?me|who_?am_?i|current)$/i
const CONVEX_QUERY_CALL = /(?:^|\.)(?:query|fetchQuery|fetchAuthQuery)$/
const ESTABLISHED = /(?:^|\.)(?:isAuthenticated(?:Nextjs)?|getToken)$/

/**
 * Convex behind the handlers of another framework: its functions run elsewhere, and what the one that is asked for the caller answers is there only
 * for whoever is signed in.
 */
export const convex: Library = {
  packages: ['convex/browser', 'convex/nextjs', '@convex-dev/auth/nextjs/', '@convex-dev/better-auth/', 'convex-helpers/'],
  call(c) {
    const [asked] = c.args
    if (CONVEX_QUERY_CALL.test(c.name) && asked && TELLS_WHO.test(nameOf(asked))) return identify(c, `Convex ${nameOf(asked)}`)
    if (/(?:^|\.)setAuth$/.test(c.name)) {
      c.it.write(c.it.globals, SIGNED_IN, constant(true))
      return UNDEFINED
    }
    const called = asked && CALLS.exec(c.name)?.[1]
    const named = asked && nameOf(asked)
    if (called && named?.includes('.')) return runFunction(c, called.toLowerCase(), named.split('.'))
    return ESTABLISHED.test(c.name) ? identify(c, `Convex ${c.name.replace(/^.*\./, '')}()`) : undefined
  },
}

const CALLS = /(?:^|\.)(?:fetch)?(query|mutation|Query|Mutation)$/
/** Set where the client was given the token of whoever calls. */
const SIGNED_IN = '\0convex token'

/** A function of the application's backend, `api.users.remove`: what it does to the rows of the module that it is in, its name says. */
function runFunction(c: LibraryCall, kind: string, names: readonly string[]): Val | undefined {
  const table = names.at(-2)
  const [, args, options] = c.args
  // with the token of whoever calls the function there decides who that is and what he may
  const decides = (options?.v === 'object' && 'token' in options.props) || c.it.globals.vars.has(SIGNED_IN)
  if (table === undefined || table === 'internal' || decides) return undefined
  const given = args?.v === 'object' ? args.props : {}
  const filters = Object.entries(given).flatMap(([column, value]): FilterDraft[] =>
    kind === 'query' || FINDS.test(column) ? [{ column, op: 'eq', value }] : [],
  )
  const op = kind === 'query' ? 'select' : changeBy(names.at(-1) ?? '')
  const client: Client = { library: 'other', rights: rightsOf(c, table), at: c.at }
  const step = c.it.emit(
    { kind: 'db', client, op, table, filters: op === 'insert' ? [] : filters, ...(kind === 'query' || op === 'delete' ? {} : { payload: args ?? UNDEFINED }) },
    c.at,
  )
  return { v: 'row', table, step }
}

/** What an argument finds a row by. */
const FINDS = /^(?:_?id|\w+Id|\w+_id|e?mail|slug|token|code)$/

const changeBy = (name: string): DbOp =>
  /^(?:hard_?|soft_?)?(?:delete|remove|clear|purge)/i.test(name)
    ? 'delete'
    : /^(?:create|add|insert|send|submit|register|start)/i.test(name)
      ? 'insert'
      : 'update'

/** The backend does what it is told, unless the module of the function asks for more than its arguments. */
function rightsOf(c: LibraryCall, module: string): Client['rights'] {
  const facts = moduleOf(c, module)
  return facts && !asksForMore(facts) ? 'service' : 'unknown'
}

/** `convex/users.ts` in a folder above the handler. */
function moduleOf({ it, at }: LibraryCall, module: string): JavaScriptFacts | undefined {
  const folders = at.path.split('/').slice(0, -1)
  for (let up = folders.length; up >= 0; up--) {
    const path = [...folders.slice(0, up), 'convex', `${module}.ts`].join('/')
    if (it.program.exists(path)) return it.program.facts(path)
  }
  return undefined
}

/** Who calls, by an identity, a secret, or a helper that is named after either. */
const asksForMore = rememberFor(({ functions }: JavaScriptFacts): boolean =>
  /"name":"(?:auth|(?:require|assert)[A-Z]\w{0,40}|\w{0,40}(?:[iI]dentity|AuthUser\w{0,20}|[sS]ecret|[aA]pi_?[kK]ey))"/.test(JSON.stringify(functions)),
)

const nameOf = (v: Val): string => (v.v === 'chain' ? chainName(v) : '')
