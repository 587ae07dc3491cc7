import type { Place } from '../../../../lib/place.ts'
import { type Link, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { member } from '../../domain/members.ts'
import type { Interpreter } from '../../interpreter.ts'
import { native } from '../../native.ts'
import { callValue, settle } from '../../operations.ts'
import type { Library, LibraryCall } from '../library.ts'
import { shaped } from '../validation.ts'

const ACTION_CLIENT_FACTORY = /^(?:createSafeActionClient|createServerAction|createServerActionProcedure|createMiddleware)$/

/**
 * Builders of server actions (next-safe-action, zsa): what `.use()` and procedures do runs before the action, and what they hand
 * to `next({ ctx })` is its context. What the schema asks of the input comes after that.
 */
export const actionClients: Library = {
  packages: ['next-safe-action', 'next-safe-action/', 'zsa'],
  call(c) {
    const links = c.links.filter((l) => l.args)
    if (!links.some((l) => ACTION_CLIENT_FACTORY.test(l.name))) return undefined
    const last = links[links.length - 1] as Link
    // `createMiddleware<…>().define(fn)` is the function itself
    if (last.name === 'define' && links[0]?.name === 'createMiddleware') return last.args?.[0]
    if (last.name === 'action' || last.name === 'stateAction') return safeAction(c, links, last.args?.[0] ?? UNKNOWN, last.name === 'stateAction')
    // version 6: `client(schema, fn)`
    if (last.name === 'call' && last.args && last.args.length > 1 && links[0]?.name === 'createSafeActionClient') return plainAction(c, links, last.args)
    if (last.name === 'handler' && links.some((l) => l.name === 'createServerAction')) return procedureAction(c, links, last.args?.[0] ?? UNKNOWN)
    return c.chain
  },
}

function safeAction(c: LibraryCall, links: readonly Link[], action: Val, withState: boolean): Val {
  const uses = links.filter((l) => l.name === 'use').map((l) => l.args?.[0] ?? UNKNOWN)
  return native('action', (it, args, at) => {
    const input = args[withState ? 1 : 0] ?? UNKNOWN
    const step = (i: number, ctx: Val): Val => {
      const given = { ctx, clientInput: input, metadata: UNKNOWN }
      if (i >= uses.length) {
        const parsedInput = shaped({ it, at: c.at }, schemaOf(links), input)
        return settle(it, callValue(it, action, [object({ ...given, parsedInput, bindArgsParsedInputs: UNKNOWN }), UNKNOWN], at), at)
      }
      const next = native('next', (inner, handed, place) => step(i + 1, merged(inner, ctx, contextIn(inner, handed[0], place))))
      return settle(it, callValue(it, uses[i] as Val, [object({ ...given, next })], at), at)
    }
    return step(0, object({}))
  })
}

function plainAction(c: LibraryCall, links: readonly Link[], args: readonly Val[]): Val {
  const options = links[0]?.args?.[0]
  return native('action', (it, given, at) => {
    const input = given[0] ?? UNKNOWN
    const middleware = options?.v === 'object' ? options.props.middleware : undefined
    const ctx = middleware ? settle(it, callValue(it, middleware, [input], at), at) : object({})
    return callValue(it, args[1] as Val, [shaped({ it, at: c.at }, args[0], input), ctx], at)
  })
}

/** zsa: each procedure returns the context of what is built on it. */
function procedureAction(c: LibraryCall, links: readonly Link[], action: Val): Val {
  const procedures = proceduresOf(links.slice(0, -1))
  return native('action', (it, args, at) => {
    const sent = args[0] ?? UNKNOWN
    let ctx: Val = object({})
    for (const p of procedures) ctx = merged(it, ctx, settle(it, callValue(it, p, [object({ ctx, input: sent })], at), at))
    return callValue(it, action, [object({ input: shaped({ it, at: c.at }, schemaOf(links), sent), ctx })], at)
  })
}

function proceduresOf(links: readonly Link[], depth = 0): readonly Val[] {
  if (depth > 8) return []
  return links.flatMap((l) => {
    const of = l.args?.[0]
    if (l.name === 'handler' && of) return [of]
    return l.name === 'createServerActionProcedure' && of?.v === 'chain' ? proceduresOf(of.links, depth + 1) : []
  })
}

function schemaOf(links: readonly Link[]): Val | undefined {
  return links.findLast((l) => l.name === 'schema' || l.name === 'inputSchema' || l.name === 'input')?.args?.[0]
}

function contextIn(it: Interpreter, handed: Val | undefined, at: Place): Val {
  return handed ? member(it, handed, 'ctx', at) : object({})
}

function merged(_it: Interpreter, a: Val, b: Val): Val {
  if (b.v === 'object') return a.v === 'object' ? object({ ...a.props, ...b.props }, b.rest ?? a.rest) : b
  return b.v === 'const' ? a : b
}
