import { decodeJwt } from '../../../facts/secrets/jwt.ts'
import { isPlaceholder } from '../../../facts/secrets/placeholder.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import { HIDDEN_LITERAL, type Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'
import { constantText, isUrlObject, URL_PARAMETERS } from './outbound-request.ts'

/** The server brings what it is let in with, from wherever it keeps that (the row of a shop). */
export function sendsServerCredential(options: Value | undefined): boolean {
  const headers = options?.v === 'object' ? options.props.headers : undefined
  return headers?.v === 'object' && Object.entries(headers.props).some(([name, value]) => OUTBOUND_CREDENTIAL_HEADER.test(name) && !isTainted(value))
}

/** A service that is asked with a credential which the caller sent: what it does is on the caller's bill. */
export function callersOwn(args: readonly Value[]): boolean {
  const [address, options] = args
  const headers = options?.v === 'object' ? options.props.headers : undefined
  return (namedAndSent(headers, OUTBOUND_CREDENTIAL_HEADER) || sentInAddress(address)) && !args.some((a) => carriesKey(a, 0))
}

/** All of the address and the headers stands in the code, and no credential is among it: whoever answers does not know whose bill it is. */
export function isAnonymous([address, options]: readonly Value[]): boolean {
  if (!address || options?.v !== 'object' || options.rest) return false
  const { headers } = options.props
  const known = headers?.v === 'object' && !headers.rest && !Object.keys(headers.props).some((name) => OUTBOUND_CREDENTIAL_HEADER.test(name))
  return known && [address, headers].every((v) => !mentions(v, (x) => !/^(?:const|text|object|op)$/.test(x.v)))
}

/** `authorization`, `access_token`, `x-api-key`, `x-goog-api-key`, `xi-api-key`, `api-key`, `x-tm-key`. */
const OUTBOUND_CREDENTIAL_HEADER =
  /^(?:authorization|access[-_]token|(?:x-|xi-|x-goog-)?api-?key|x-(?!idempotency|cache)[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,2}-(?:key|token|secret))$/i

/** What clients of models call their key. */
const CREDENTIAL_SETTING = /^(?:(?:open_?ai_?|anthropic_?)?api_?key|auth(?:_?token)?|access_?token|token)$/i

/** A client of a service that was made with a key which the caller sent. */
export function madeWithCallersKey(settings: Value | undefined): boolean {
  return settings !== undefined && (settings.v === 'request' || namedAndSent(settings, CREDENTIAL_SETTING)) && !carriesKey(settings, 0)
}

/** The object has a property of that name, and its value comes from the request. */
function namedAndSent(v: Value | undefined, name: RegExp): boolean {
  return v?.v === 'object' && Object.entries(v.props).some(([key, value]) => name.test(key) && isTainted(value))
}
const KEY_PARAMETER = /^(?:api_?)?key$/i

/** `https://…?key=${body.apiKey}`. */
function sentInAddress(address: Value | undefined): boolean {
  if (isUrlObject(address)) return address.args[URL_PARAMETERS] !== undefined && namedAndSent(address.args[URL_PARAMETERS], KEY_PARAMETER)
  if (address?.v !== 'text') return false
  return address.parts.some((p, i) => {
    const next = address.parts[i + 1]
    return p.v === 'const' && /[?&](?:api_?)?key=$/i.test(String(p.value)) && next !== undefined && isTainted(next)
  })
}

const CREDENTIAL_WORD = /key|secret|token|password|credential/i

/** A secret of the server in the headers or the address of a request. */
export function carriesKey(v: Value, depth: number): boolean {
  if (depth > 6) return false
  switch (v.v) {
    case 'env':
      return CREDENTIAL_WORD.test(v.name) && !/^(NEXT_PUBLIC_|VITE_|PUBLIC_|NUXT_PUBLIC_|EXPO_PUBLIC_)|ANON|PUBLISHABLE|STOREFRONT(?!\w*PRIVATE)/i.test(v.name)
    case 'text':
      return v.parts.some((p) => carriesKey(p, depth + 1))
    case 'object':
      return (
        (v.rest !== undefined && carriesKey(v.rest, depth + 1)) ||
        Object.entries(v.props).some(([name, p]) => carriesKey(p, depth + 1) || (OUTBOUND_CREDENTIAL_HEADER.test(name) && isWrittenKey(constantText(p))))
      )
    case 'call':
      return v.name.startsWith(HIDDEN_LITERAL) || v.args.some((p) => carriesKey(p, depth + 1))
    case 'any':
    case 'op':
      return v.of.some((p) => carriesKey(p, depth + 1))
    default:
      return false
  }
}

/** A key that stands in the code without being known for a secret, and is none of those that every page of an application carries. */
function isWrittenKey(header: string): boolean {
  const value = header.replace(/^(?:bearer|basic|token|key) /i, '')
  return /^[\w.+/=~-]{16,4000}$/.test(value) && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && !isPlaceholder(value) && !isAnonKey(value)
}

const isAnonKey = (value: string): boolean => /^(?:sb_publishable_|pk_)/.test(value) || decodeJwt(value)?.role === 'anon'
