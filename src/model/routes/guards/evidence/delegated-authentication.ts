import type { Effect, Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'

const WHO_ADDRESS =
  /\/(get-)?session\b|\/introspect|\/user-?info\b|\/auth\/(v\d\/)?(user|me|verify|check|validate)\b|\/(tokens?|keys?)\/(verify|validate|introspect)\b/i
const WHO_NAME = /verify|auth|session|token|me$|user/i
const DELEGATED_CREDENTIAL_HEADER = /^(authorization|cookie|api-?key|x-[\w-]*(key|token|secret|session)[\w-]*)$/i

/**
 * True when a request to another service asks it whether to let the caller in: it is sent what the caller brought, to an address
 * that says whose session or token something is, or in the header in which that service expects a credential.
 */
export function asksAnotherService(e: Extract<Effect, { name: string }>): boolean {
  const [address, options] = e.args
  if (!e.args.some((a) => isTainted(a))) return false
  return WHO_NAME.test(e.name) || asksWho(address, 0) || (address !== undefined && (!isTainted(address) || isOwnAddress(address, 0)) && handsOn(options))
}

const OWN_HOST = /^(?:x-forwarded-)?(?:host|proto|protocol|port)$/i

/** An endpoint of the application itself: of the request, nothing but the host that it came to is in its address. */
function isOwnAddress(v: Value, depth: number): boolean {
  if (depth > 6) return false
  switch (v.v) {
    case 'request':
      return v.part === 'header' && OWN_HOST.test(v.name ?? '')
    case 'text':
      return v.parts.every((p) => isOwnAddress(p, depth + 1))
    case 'any':
      return v.of.every((p) => isOwnAddress(p, depth + 1))
    case 'op':
      return v.of.every((p) => isOwnAddress(p, depth + 1))
    default:
      return !isTainted(v)
  }
}

/** The address of an endpoint that says whose session or token it is given. */
function asksWho(v: Value | undefined, depth: number): boolean {
  if (!v || depth > 4) return false
  if (v.v === 'const') return typeof v.value === 'string' && WHO_ADDRESS.test(v.value)
  if (v.v === 'text') return v.parts.some((p) => asksWho(p, depth + 1))
  if (v.v === 'call') return v.args.some((p) => asksWho(p, depth + 1))
  return v.v === 'op' && v.of.some((p) => asksWho(p, depth + 1))
}

/** A header of the caller sent on as the credential: who would not be let in there gets an error. */
function handsOn(options: Value | undefined): boolean {
  const headers = options?.v === 'object' ? options.props.headers : undefined
  return headers?.v === 'object' && Object.entries(headers.props).some(([name, value]) => DELEGATED_CREDENTIAL_HEADER.test(name) && isCredential(value, 0))
}

function isCredential(v: Value, depth: number): boolean {
  if (depth > 4) return false
  switch (v.v) {
    case 'request':
      return v.part === 'header' || v.part === 'cookie'
    case 'text':
      return v.parts.some((p) => isCredential(p, depth + 1))
    case 'call':
      return v.args.some((p) => isCredential(p, depth + 1))
    case 'any': {
      const sent = v.of.filter((x) => !(x.v === 'const' && !x.value))
      return sent.length > 0 && sent.every((p) => isCredential(p, depth + 1))
    }
    default:
      return false
  }
}
