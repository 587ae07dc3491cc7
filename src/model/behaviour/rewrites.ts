import { stringOf, type Val } from './abstract-value.ts'
import type { ImaginedRequest } from './behaviour.ts'

/** Where a rewritten request goes: to the page that is asked about, to another one, or one that the code does not say. */
export type Destination = 'here' | 'elsewhere' | 'somewhere'

/** Where middleware sends a request that it rewrites to `to`: a path, a URL or what is made of one. */
export function destinationOf(to: Val | undefined, request: ImaginedRequest | undefined): Destination {
  const page = request?.page ?? request?.path
  const written = to && pathIn(to)
  if (page === undefined || written === undefined) return 'somewhere'
  return samePath(written, page) ? 'here' : 'elsewhere'
}

/** What middleware puts in front of whatever path is requested: `/app` where `/settings` becomes `/app/settings`. */
export function putInFront(to: Val | undefined): string | undefined {
  const written = to && addressIn(to)
  if (written?.v !== 'text') return undefined
  const [front, rest] = written.parts
  const text = front && stringOf(front)
  return text !== undefined && /^\/./.test(text) && rest && isRequestedPath(rest) ? text.replace(/\/$/, '') : undefined
}

/** The path of the request, or nothing in place of `/`. */
const isRequestedPath = (part: Val): boolean =>
  part.v === 'any'
    ? part.alts.some((a) => isRequestedPath(a.value)) && part.alts.every((a) => stringOf(a.value) === '' || isRequestedPath(a.value))
    : part.v === 'request' && part.part === 'url' && (part.name === undefined || part.name === 'pathname')

const samePath = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '')

/** The path of a URL, a text or a `URL` object, as far as the code says it whole: what follows may only be a query. */
function pathIn(to: Val): string | undefined {
  const written = addressIn(to)
  if (!written) return undefined
  const [first, ...others] = written.v === 'text' ? written.parts : [written]
  const text = stringOf(first)
  if (text === undefined || !text.startsWith('/')) return undefined
  const [path = ''] = text.split(/[?#]/, 1)
  return path.length < text.length || others.every(isQuery) ? path : undefined
}

/** What a `URL` object is made of, or a text itself. */
function addressIn(to: Val): Val | undefined {
  if (to.v === 'call' && to.name === 'URL') return to.args[0]
  return to.v === 'host' && to.host === 'url' ? to.props.vars.get('pathname') : to
}

/** `?a=b` or nothing. */
function isQuery(part: Val): boolean {
  if (part.v === 'any') return part.alts.every((a) => isQuery(a.value))
  if (part.v === 'request') return part.part === 'query' || (part.part === 'url' && part.name === 'search')
  const [first] = part.v === 'text' ? part.parts : [part]
  return first?.v === 'const' && (!first.value || /^[?#]/.test(String(first.value)))
}
