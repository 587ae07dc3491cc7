import { safeRegExp } from '../../frameworks/path-pattern.ts'
import { constant, object, UNKNOWN, type Val } from '../domain/abstract-value.ts'

/** `new URLPattern({ pathname: '/home/*?' })`: its path pattern, when that is written in the code. */
export function urlPattern(init: Val | undefined): Val {
  const pathname = init?.v === 'object' ? init.props.pathname : init
  return { v: 'call', name: 'URLPattern', args: pathname ? [pathname] : [] }
}

/** `pattern.test(url)` and `pattern.exec(url)` for a path that is known; undefined when it depends on more. */
export function matchUrl(pattern: Extract<Val, { v: 'call' }>, method: string, url: Val | undefined): Val | undefined {
  const written = pattern.args[0]
  const path = url?.v === 'object' ? url.props.pathname : url
  if (written?.v !== 'const' || typeof written.value !== 'string' || path?.v !== 'const' || typeof path.value !== 'string') return undefined
  const re = toRegExp(written.value)
  if (!re) return undefined
  const [bare = ''] = path.value.replace(/^https?:\/\/[^/]+/, '').split(/[?#]/, 1)
  const matches = re.test(bare)
  if (method === 'test') return constant(matches)
  return matches ? object({ pathname: object({ input: path, groups: UNKNOWN }) }) : constant(null)
}

/** The usual parts of a pattern: names, wildcards, and what may be left out; anything else is not decided. */
function toRegExp(pattern: string): RegExp | undefined {
  if (pattern.length > 200 || /[{}()\\]/.test(pattern)) return undefined
  const source = pattern.replace(/\/(?:\*|:\w+)[?*+]?|\*|:\w+|[.^$|[\]?+]/g, (part) => {
    const slash = part.startsWith('/') ? '/' : ''
    const body = part.slice(slash.length)
    if (body.startsWith('*')) return body.endsWith('?') ? `(?:|${slash}.*)` : `${slash}.*`
    if (!body.startsWith(':')) return `\\${part}`
    if (body.endsWith('*')) return `(?:|${slash}.*)`
    if (body.endsWith('+')) return `${slash}.+`
    return body.endsWith('?') ? `(?:|${slash}[^/]+)` : `${slash}[^/]+`
  })
  return safeRegExp(`^${source}$`)
}
