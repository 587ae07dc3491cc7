import type { Place } from '../../../../lib/place.ts'
import { constant, op, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { Interpreter } from '../../interpreter.ts'
import { callValue } from '../../operations.ts'
import type { Library } from '../library.ts'

/** Node's crypto and the web's: signatures by HMAC, constant-time comparison, unguessable values. */
export function cryptoCall(it: Interpreter, name: string, args: readonly Val[], at: Place): Val | undefined {
  switch (name) {
    case 'timingSafeEqual':
    case 'subtle.timingSafeEqual':
      return op('===', unwrap(args[0] ?? UNKNOWN), unwrap(args[1] ?? UNKNOWN))
    case 'randomUUID':
    case 'randomBytes':
    case 'getRandomValues':
    case 'randomInt': {
      const random: Val = { v: 'call', name: 'random', args: [], at }
      const done = args[args.length - 1]
      return done?.v === 'fn' ? callValue(it, done, [constant(null), random], at) : random
    }
    case 'subtle.verify': {
      const step = it.emit({ kind: 'verify-signature', library: 'web-crypto', payload: args[3] ?? UNKNOWN, secret: args[1] ?? UNKNOWN, sync: false }, at)
      return { v: 'result', step, field: 'verified' }
    }
    case 'subtle.importKey':
      return { v: 'call', name: 'importKey', args: args[1] ? [args[1]] : [], at }
    case 'subtle.sign':
      return { v: 'call', name: 'hmac', args: [args[1] ?? UNKNOWN, args[2] ?? UNKNOWN], at }
    case 'subtle.digest':
      return { v: 'call', name: 'hash', args: args.slice(1), at }
    case 'scrypt':
    case 'scryptSync':
    case 'pbkdf2':
    case 'pbkdf2Sync': {
      const hash: Val = { v: 'call', name: 'hash', args: args.slice(0, 1), at }
      const done = args[args.length - 1]
      return done?.v === 'fn' ? callValue(it, done, [constant(null), hash], at) : hash
    }
  }
  return undefined
}

/** `Buffer.from(x)` and encoders say nothing of their own. */
function unwrap(val: Val): Val {
  if (
    val.v === 'call' &&
    (val.name === 'Buffer.from' || val.name === 'encode' || val.name === 'TextEncoder.encode' || val.name === 'Uint8Array') &&
    val.args.length
  )
    return unwrap(val.args.find((a) => a.v !== 'call' || a.name !== 'TextEncoder') ?? UNKNOWN)
  return val
}

/** `createHmac('sha256', secret).update(body).digest('hex')` → a value named `hmac` of secret and body. */
export const crypto: Library = {
  packages: ['crypto', 'node:crypto', 'crypto-js/'],
  call({ it, links, name, args, at }) {
    const _head = links[0]
    const direct = name.replace(/^webcrypto\./, '').replace(/^crypto\./, '')
    if (direct === 'createHmac' || direct === 'createHash' || /^createHmac\.update$/.test(direct) || direct === 'createHash.update') return undefined
    if (/^createHmac(?:\.update)+\.digest$/.test(direct)) {
      const secret = links.find((l) => l.name === 'createHmac')?.args?.[1] ?? UNKNOWN
      const bodies = links.filter((l) => l.name === 'update').map((l) => l.args?.[0] ?? UNKNOWN)
      return { v: 'call', name: 'hmac', args: [secret, ...bodies], at }
    }
    if (/^createHash(?:\.update)+\.digest$/.test(direct))
      return { v: 'call', name: 'hash', args: links.filter((l) => l.name === 'update').flatMap((l) => l.args ?? []), at }
    if (/^Hmac/i.test(direct)) return { v: 'call', name: 'hmac', args: [args[1] ?? UNKNOWN, args[0] ?? UNKNOWN], at }
    return cryptoCall(it, direct, args, at) ?? undefined
  },
}
