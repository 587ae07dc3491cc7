import type { Place } from '../../../lib/place.ts'
import { native, stringOf, UNKNOWN, type Val } from '../abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { callValue, settle } from '../operations.ts'
import type { Library } from './library.ts'

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
          const open = path !== undefined && patterns.some((p) => matches(stringOf(p), path))
          return open ? goOn(it, args, at) : inOrder(it, rest, args, at)
        })
      }
    }
    return undefined
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
