import { op, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { native } from '../../native.ts'
import { callValue, settle } from '../../operations.ts'
import type { Library } from '../library.ts'

/** What the queue hands out: somebody put it there with the project's own credentials. */
const MESSAGE: Val = { v: 'call', name: 'queue.message', args: [] }

/** `@vercel/queue`: what a request names is asked of the queue, so whoever calls can neither make up a message nor choose what is in one. */
export const vercelQueue: Library = {
  packages: ['@vercel/queue'],
  call(c) {
    const [handler] = c.args
    if (/^send$|\.send$/.test(c.name)) {
      const step = c.it.emit({ kind: 'enqueue', name: c.name, args: c.args }, c.at)
      return { v: 'result', step }
    }
    if (!/^handle(?:Node)?Callback$/.test(c.name) || handler?.v !== 'fn') return undefined
    return native(c.name, (it, _args, at) => {
      it.require(op('delegated', { v: 'call', name: c.name, args: [] }), c.at, { ends: true, how: 'respond', status: 400 })
      settle(it, callValue(it, handler, [MESSAGE, UNKNOWN], at), at)
      return UNKNOWN
    })
  },
}
