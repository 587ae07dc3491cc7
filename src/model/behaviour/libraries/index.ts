import type { Place } from '../../../lib/place.ts'
import { noteUnreadCheck } from '../calls/opaque-guard-gap.ts'
import { type ChainVal, chainName, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { unknownCall } from '../operations.ts'
import { assertions } from './assertions.ts'
import { AUTH_LIBRARIES } from './auth/auth.ts'
import { clerk } from './auth/clerk.ts'
import { crypto } from './auth/crypto.ts'
import { telegram } from './auth/telegram.ts'
import { convex } from './databases/convex.ts'
import { DATABASE_LIBRARIES, databaseClient, shareSupabase, unknownDatabase } from './databases/databases.ts'
import type { Library, LibraryCall } from './library.ts'
import { PAYMENT_LIBRARIES } from './payments.ts'
import { SERVICE_LIBRARIES } from './services.ts'
import { supabase, supabaseClient } from './supabase/supabase.ts'
import { retries, tracing } from './tracing.ts'
import { tsPattern } from './ts-pattern.ts'
import { noteUnknownSink } from './unknown-sink.ts'
import { validation } from './validation.ts'
import { actionClients } from './web/action-clients.ts'
import { EXPRESS_LIBRARIES } from './web/express.ts'
import { FRAMEWORK_LIBRARIES } from './web/frameworks.ts'
import { honoCombine, honoSecrets } from './web/hono.ts'
import { NEST_LIBRARIES } from './web/nest.ts'
import { qstash } from './web/qstash.ts'
import { vercelQueue } from './web/vercel-queue.ts'

const ALL: readonly Library[] = [
  supabase,
  crypto,
  validation,
  assertions,
  actionClients,
  tsPattern,
  vercelQueue,
  qstash,
  tracing,
  retries,
  ...AUTH_LIBRARIES,
  telegram,
  clerk,
  convex,
  ...DATABASE_LIBRARIES,
  honoCombine,
  honoSecrets,
  ...EXPRESS_LIBRARIES,
  ...NEST_LIBRARIES,
  ...FRAMEWORK_LIBRARIES,
  ...PAYMENT_LIBRARIES,
  ...SERVICE_LIBRARIES,
]

const EXACT = new Map<string, Library>()
const PREFIXES: [string, Library][] = []
for (const library of ALL)
  for (const p of library.packages) {
    if (p.endsWith('/')) {
      PREFIXES.push([p, library])
      EXACT.set(p.slice(0, -1), library)
    } else EXACT.set(p, library)
  }

const found = new Map<string, Library | null>()

function libraryOf(pkg: string): Library | undefined {
  const known = found.get(pkg)
  if (known !== undefined) return known ?? undefined
  const library = EXACT.get(pkg) ?? PREFIXES.find(([p]) => pkg.startsWith(p))?.[1]
  found.set(pkg, library ?? null)
  return library
}

function libraryFor(root: Val): Library | undefined {
  if (root.v === 'lib') return libraryOf(root.pkg)
  if (root.v === 'client') return root.client.library === 'supabase' ? supabaseClient : databaseClient
  return undefined
}

function describe(it: Interpreter, chain: ChainVal, at: Place): LibraryCall {
  return { it, chain, root: chain.root, links: chain.links, name: chainName(chain), args: chain.links[chain.links.length - 1]?.args ?? [], at }
}

/** A call on a chain: what the library's model says, a longer chain for builders, or an unknown result. */
export function libraryCall(it: Interpreter, chain: ChainVal, at: Place): Val {
  const library = libraryFor(chain.root)
  const described = describe(it, chain, at)
  if (library) {
    const value = library.call?.(described)
    if (value) return value
    if (chain.root.v === 'lib') noteUnreadCheck(it, described.name, at)
    return runCallbacks(it, chain, at)
  }
  if (chain.root.v === 'host') return hostChain(it, chain, at)
  const guess = unknownDatabase.call?.(described)
  if (guess) return guess
  if (chain.root.v === 'lib' || chain.root.v === 'unknown' || chain.root.v === 'call') noteUnreadCheck(it, described.name, at)
  if (chain.root.v === 'lib') {
    noteUnknownSink(described)
    // a wrapper around a handler: calling what it gives runs the handler
    const wrapped = runCallbacks(it, chain, at)
    if (wrapped.v !== 'chain') return wrapped
  } else if (chain.root.v === 'unknown' || chain.root.v === 'call') {
    const value = unknownCall(it, chainName(chain), chain.root.v === 'call' ? chain.root : undefined, described.args, at)
    return looksLikeQuery(chain) ? chain : value
  }
  return chain
}

function looksLikeQuery(chain: ChainVal): boolean {
  return chain.links.some((l) => l.name === 'from' || l.name === 'select' || l.name === 'insertInto' || l.name === 'selectFrom' || l.name === 'table')
}

/** Callbacks given to a library that does not say when it runs them: they may run. */
function runCallbacks(it: Interpreter, chain: ChainVal, at: Place): Val {
  const last = chain.links[chain.links.length - 1]
  if (last?.args?.some((a) => a.v === 'fn')) {
    const name = chainName(chain)
    if (chain.root.v === 'lib' && HANDLER_WRAPPER_CALL.test(name)) return { v: 'call', name, args: last.args, at }
    // a function given to a library: kept, so that calling the result runs it; and run once, unless it is only wrapped
    if (chain.root.v === 'lib' && chain.links.filter((l) => l.args).length === 1 && it.quiet) return { v: 'call', name, args: last.args, at }
    const value = unknownCall(it, name, undefined, last.args, at)
    return value.v === 'call' ? { v: 'call', name, args: last.args, at } : value
  }
  return chain
}

/** Functions that take a handler and give a handler. */
const HANDLER_WRAPPER_CALL = /^(?:with|wrap|create|define|make|handle|async|catch|cache|memo|use|register|action|procedure|defineAction|unstable_cache)/i

function hostChain(_it: Interpreter, chain: ChainVal, _at: Place): Val {
  return chain
}

/** The result of a finished chain; undefined when it is still a builder or a mere reference. `next` is the member about to be read. */
export function settleChain(it: Interpreter, chain: ChainVal, at: Place, next?: string): Val | undefined {
  const described = describe(it, chain, at)
  const library = libraryFor(chain.root)
  if (library) {
    const value = library.settle?.(described, next)
    if (value) return value
    if (next !== undefined || !chain.links.some((l) => l.args)) return undefined
    return undefined
  }
  return unknownDatabase.settle?.(described, next)
}

/** A tagged template of a library. */
export function taggedTemplate(it: Interpreter, tag: Val, quasis: readonly string[], exprs: readonly Val[], at: Place): Val | undefined {
  const chain: ChainVal = tag.v === 'chain' ? tag : { v: 'chain', root: tag, links: tag.v === 'lib' ? [{ name: tag.name }] : [], at }
  const library = libraryFor(chain.root)
  return library?.tag?.(describe(it, chain, at), quasis, exprs)
}

shareSupabase(supabaseClient)
