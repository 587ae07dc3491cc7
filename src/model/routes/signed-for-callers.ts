import type { Value } from '../behaviour/behaviour.ts'
import { fromRequest } from './from-request.ts'

/** The secret with which something of the request was signed, when a value holds such a signature. */
export function signedWith(v: Value, depth: number): string | undefined {
  if (depth > 5) return undefined
  switch (v.v) {
    case 'object':
      return Object.values(v.props)
        .map((x) => signedWith(x, depth + 1))
        .find((x) => x)
    case 'any':
      return v.of.map((x) => signedWith(x, depth + 1)).find((x) => x)
    case 'call': {
      if (/digest|hmac|hash|sign/i.test(v.name) && v.args.some((a) => fromRequest(a))) return secretIn(v, 0)
      return v.args.map((x) => signedWith(x, depth + 1)).find((x) => x)
    }
    default:
      return undefined
  }
}

function secretIn(v: Value, depth: number): string | undefined {
  if (depth > 8) return undefined
  switch (v.v) {
    case 'env':
      return /SECRET|PRIVATE|SIGNING/i.test(v.name) ? v.name : undefined
    case 'call':
      return v.args.map((x) => secretIn(x, depth + 1)).find((x) => x)
    case 'text':
      return v.parts.map((x) => secretIn(x, depth + 1)).find((x) => x)
    case 'op':
    case 'any':
      return v.of.map((x) => secretIn(x, depth + 1)).find((x) => x)
    default:
      return undefined
  }
}
