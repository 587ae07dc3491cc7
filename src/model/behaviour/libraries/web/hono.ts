import type { Place } from '../../../../lib/place.ts'
import { constantString, op, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { request } from '../../domain/members.ts'
import type { Interpreter } from '../../interpreter.ts'
import { native } from '../../native.ts'
import { callValue, settle } from '../../operations.ts'
import type { Library } from '../library.ts'

/** `hono/combine`: middleware made of others. */
export const honoCombine: Library = {
  packages: ['hono/combine'],
  call(c) {
    switch (c.name) {
      case 'every':
        return native('every', (it, args, at) => inOrder(it, c.args, args, at))
      case 'some':
        // any may let the request in; what stands last is asked when nothing before it did
        return native('some', (it, args, at) => inOrder(it, c.args.slice(-1), args, at))
      case 'except': {
        const [excepted, ...rest] = c.args
        const patterns = excepted?.v === 'array' ? excepted.items : excepted ? [excepted] : []
        return native('except', (it, args, at) => {
          const path = it.request?.path
          const open = path !== undefined && patterns.some((p) => matches(constantString(p), path))
          return open ? goOn(it, args, at) : inOrder(it, rest, args, at)
        })
      }
    }
    return undefined
  },
}

/** `hono/bearer-auth` and `hono/basic-auth`: middleware that refuses whoever does not bring the secret; it is not made without one. */
export const honoSecrets: Library = {
  packages: ['hono/bearer-auth', 'hono/basic-auth'],
  call(c) {
    if (c.name !== 'bearerAuth' && c.name !== 'basicAuth') return undefined
    const options = c.args[0]?.v === 'object' ? c.args[0].props : {}
    const secret = options.token ?? options.password
    const verify = options.verifyToken ?? options.verifyUser
    return native(c.name, (it, args, at) => {
      const sent = request('header', 'authorization')
      const refused = { ends: true, how: 'respond', status: 401 } as const
      if (secret) it.require(secret, c.at, refused)
      const given = options.verifyUser ? [sent, sent] : [sent]
      const proves = secret
        ? op('===', sent, secret)
        : verify
          ? settle(it, callValue(it, verify, [...given, args[0] ?? UNKNOWN], at), at)
          : ({ v: 'call', name: c.name, args: [sent], at } as const)
      it.require(proves, c.at, refused)
      return goOn(it, args, at)
    })
  },
}

const goOn = (it: Interpreter, args: readonly Val[], at: Place): Val => (args[1] ? callValue(it, args[1], [], at) : UNKNOWN)

function inOrder(it: Interpreter, list: readonly Val[], args: readonly Val[], at: Place): Val {
  const [first, ...rest] = list
  if (!first) return goOn(it, args, at)
  const next = native('next', (inner, _, place) => inOrder(inner, rest, args, place))
  return settle(it, callValue(it, first, [args[0] ?? UNKNOWN, next], at), at)
}

/** A path pattern of Hono: `*` at the end covers what is below, `:name` one segment. */
function matches(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined) return false
  const wanted = pattern.split('/')
  const given = path.split('/')
  const open = wanted.at(-1) === '*'
  if (open) wanted.pop()
  return (open ? given.length >= wanted.length : given.length === wanted.length) && wanted.every((s, i) => s === '*' || s.startsWith(':') || s === given[i])
}
