import { isNullish, object, truth, type Val } from '../../domain/abstract-value.ts'
import { native } from '../../native.ts'
import { callValue, settle } from '../../operations.ts'
import { respond } from '../../platform/responses.ts'
import type { LibraryCall } from '../library.ts'
import { identify } from './identify.ts'

/**
 * `withAuth(middleware?, options?)` of next-auth 4. The callback `authorized` decides who gets past; without it, or where it gives null or undefined, that
 * a token is there. What is wrapped runs behind it (`handleMiddleware` in next-auth/src/next/middleware.ts).
 */
export function withAuthMiddleware(c: LibraryCall): Val {
  const [first, second] = c.args
  if (first?.v === 'host') return asked(c, c.args, undefined, undefined)
  const [inner, options] = first?.v === 'fn' || first?.v === 'native' ? [first, second] : [undefined, first]
  return native('withAuth', (it, args, at) => asked({ ...c, it, at }, args, inner, options))
}

/** Middleware for one request: `args` are the request and the event. */
function asked(c: LibraryCall, args: readonly Val[], inner: Val | undefined, options: Val | undefined): Val {
  const { it, at } = c
  const [request] = args
  const token = identify(c, 'next-auth withAuth()')
  const callbacks = options?.v === 'object' ? options.props.callbacks : undefined
  const own = callbacks?.v === 'object' ? callbacks.props.authorized : undefined
  const given = own ? settle(it, callValue(it, own, [object({ token, ...(request ? { req: request } : {}) })], at), at) : token
  const test = isNullish(given) ? token : given
  if (truth(test) === false) return respond(it, 'redirect', 307, undefined, at)
  // told as an answer of its own: a middleware that would refuse and never runs is known by it
  const refused = it.assume(test, false, at)
  if (refused) it.branch(refused, () => void respond(it, 'redirect', 307, undefined, at))
  it.require(test, at, { ends: true, how: 'redirect', status: 307 })
  if (!inner) return respond(it, 'next', undefined, undefined, at)
  if (request?.v === 'host') it.write(request.props, 'nextauth', object({ token }))
  return callValue(it, inner, args, at)
}
