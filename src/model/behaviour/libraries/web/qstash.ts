import { op } from '../../domain/abstract-value.ts'
import { native } from '../../native.ts'
import { callValue, settle } from '../../operations.ts'
import type { Library } from '../library.ts'

/** QStash of Upstash: its wrappers refuse what the queue has not signed, and then run the handler. Without the keys in the environment they throw. */
export const qstash: Library = {
  packages: ['nextjs', 'h3', 'nuxt', 'svelte', 'solidjs', 'dist/nextjs'].map((name) => `@upstash/qstash/${name}`),
  call(c) {
    const [handler] = c.args
    if (!/^verifySignature/.test(c.name) || !handler) return undefined
    return native(c.name, (it, args, at) => {
      it.require(op('delegated', { v: 'call', name: c.name, args: [] }), c.at, { ends: true, how: 'respond', status: 403 })
      return settle(it, callValue(it, handler, args, at), at)
    })
  },
}
