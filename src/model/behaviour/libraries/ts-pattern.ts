import type { Place } from '../../../lib/place.ts'
import { type Alt, type Link, op, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { member } from '../domain/members.ts'
import { binary } from '../domain/operators.ts'
import type { Interpreter } from '../interpreter.ts'
import { callValue, settle } from '../operations.ts'
import type { Library } from './library.ts'

/** ts-pattern: `match(value).with(pattern, handler).otherwise(handler)` runs one of its handlers with the value. */
export const tsPattern: Library = {
  packages: ['ts-pattern'],
  call(c) {
    const last = c.links[c.links.length - 1]
    const value = c.links[0]?.args?.[0]
    if (c.links[0]?.name !== 'match' || !value) return undefined
    // the handlers wait for the end of the chain
    if (!/^(?:exhaustive|otherwise|run)$/.test(last?.name ?? '')) return c.chain
    const handlers = c.links.slice(1).flatMap((l, i): Alt[] => {
      const handler = l.args?.[l.args.length - 1]
      const test = testOf(c.it, l, value, c.at)
      if (!handler || !test || (test.v === 'const' && !test.value)) return []
      const under = test.v === 'const' ? [] : [{ test, negated: false, at: c.at, otherwise: { ends: false } }]
      return [{ i, value: handler, under }]
    })
    if (!handlers.length) return UNKNOWN
    return settle(c.it, callValue(c.it, { v: 'any', choice: c.it.newChoice(), alts: handlers }, [value], c.at), c.at)
  },
}

/** When the handler of a link runs; undefined for links without one. */
function testOf(it: Interpreter, link: Link, value: Val, at: Place): Val | undefined {
  const [pattern] = link.args ?? []
  if (link.name === 'otherwise') return { v: 'const', value: true }
  if (link.name === 'when') return { v: 'call', name: 'when', args: [] }
  return link.name === 'with' && pattern ? fits(it, pattern, value, at) : undefined
}

function fits(it: Interpreter, pattern: Val, value: Val, at: Place): Val {
  if (pattern.v === 'const') return binary('===', value, pattern)
  if (pattern.v !== 'object') return { v: 'call', name: 'fits', args: [] }
  const tests = Object.entries(pattern.props).map(([name, x]) => fits(it, x, member(it, value, name, at), at))
  const open = tests.filter((t) => !(t.v === 'const' && t.value))
  return open.length ? open.reduce((a, b) => op('&&', a, b)) : { v: 'const', value: true }
}
