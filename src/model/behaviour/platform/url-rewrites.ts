import { constantString, type Val } from '../domain/abstract-value.ts'
import type { ImaginedRequest, Rewrite } from '../types.ts'

/** Where a rewritten request goes: to the page that is asked about, to another one, or one that the code does not say. */
export type Destination = 'here' | 'elsewhere' | 'somewhere'

/** Where middleware sends a request that it rewrites to `to`: a path, a URL or what is made of one. */
export function destinationOf(to: Val | undefined, request: ImaginedRequest | undefined): Destination {
  const page = request?.page?.path ?? request?.path
  const written = to && pathIn(to)
  if (page === undefined) return 'somewhere'
  if (written !== undefined) return samePath(written, page) ? 'here' : 'elsewhere'
  // `/view/domains/${host}${path}` is no page outside of `/view/domains`
  const front = to && frontIn(to)
  return front !== undefined && !page.startsWith(front) ? 'elsewhere' : 'somewhere'
}

/** What a function that only answers rewrites requests to: how each of the paths begins. */
interface Answering {
  readonly to: Set<string>
  always: boolean
}

/** Notes, while middleware is followed for no path in particular, where it and the functions that it calls rewrite requests to. */
export class RewriteLog {
  readonly #fronts = new Set<string>()
  readonly #to: string[] = []
  readonly #functions = new Map<string, Answering>()

  /** A request is rewritten. */
  note(to: Val | undefined): void {
    const front = putInFront(to)
    if (front !== undefined) this.#fronts.add(front)
    const beginning = beginningOf(to)
    if (beginning !== undefined) this.#to.push(beginning)
  }

  /** How much was noted so far: to be given back when a function has come to its end. */
  get mark(): number {
    return this.#to.length
  }

  /** A function came back with these values. */
  returned(name: string, mark: number, values: readonly Val[]): void {
    const known = this.#functions.get(name) ?? { to: new Set(), always: true }
    this.#functions.set(name, known)
    if (!values.every(isAnswer)) known.always = false
    for (const to of this.#to.slice(mark)) known.to.add(to)
  }

  get rewrites(): readonly Rewrite[] {
    return [...this.#fronts].sort().map((front) => ({
      front,
      answering: [...this.#functions].flatMap(([name, { to, always }]) =>
        always && ![...to].some((t) => front.startsWith(t) || t.startsWith(front)) ? [name] : [],
      ),
    }))
  }
}

const isAnswer = (val: Val): boolean => (val.v === 'any' ? val.alts.every((a) => isAnswer(a.value)) : val.v === 'response')

/** How the path that is rewritten to begins; undefined where it can be no path that the code or the request's path says. */
function beginningOf(to: Val | undefined): string | undefined {
  const written = to && addressIn(to)
  const [first, next] = written?.v === 'text' ? written.parts : [written]
  const text = first && constantString(first)
  if (text === undefined) return ''
  return next && !isMadeOfPath(next, 0) ? undefined : text
}

/** Whether a value may come out as a text once the path of the request is known. */
function isMadeOfPath(val: Val, depth: number): boolean {
  if (depth > 6) return true
  const parts = (of: readonly Val[]) => of.some((x) => isMadeOfPath(x, depth + 1))
  switch (val.v) {
    case 'request':
      return val.part === 'url' || val.part === 'whole'
    case 'const':
    case 'env':
    case 'row':
    case 'result':
    case 'caller':
      return false
    case 'text':
      return parts(val.parts)
    case 'op':
      return parts(val.of)
    case 'call':
      return parts(val.args)
    case 'any':
      return parts(val.alts.map((a) => a.value))
    default:
      return true
  }
}

/** What is put in front of whatever path is requested: `/app` where `/settings` becomes `/app/settings`. */
function putInFront(to: Val | undefined): string | undefined {
  const written = to && addressIn(to)
  if (written?.v !== 'text') return undefined
  const [front, rest] = written.parts
  const text = front && constantString(front)
  return text !== undefined && /^\/./.test(text) && rest && isRequestedPath(rest) ? text.replace(/\/$/, '') : undefined
}

/** The path of the request, or nothing in place of `/`. */
const isRequestedPath = (part: Val): boolean =>
  part.v === 'any'
    ? part.alts.some((a) => isRequestedPath(a.value)) && part.alts.every((a) => constantString(a.value) === '' || isRequestedPath(a.value))
    : part.v === 'request' && part.part === 'url' && (part.name === undefined || part.name === 'pathname')

const samePath = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '')

/** The path of a URL, a text or a `URL` object, as far as the code says it whole: what follows may only be a query. */
function pathIn(to: Val): string | undefined {
  const written = addressIn(to)
  if (!written) return undefined
  const [first, ...others] = written.v === 'text' ? written.parts : [written]
  const text = constantString(first)
  if (text === undefined || !text.startsWith('/')) return undefined
  const [path = ''] = text.split(/[?#]/, 1)
  return path.length < text.length || others.every(isQuery) ? path : undefined
}

/** The folders with which a path begins that the code says in part: `/view/domains/` of `/view/domains/${host}`. */
function frontIn(to: Val): string | undefined {
  const written = addressIn(to)
  const text = written?.v === 'text' && written.parts[0] ? constantString(written.parts[0]) : undefined
  const front = text?.startsWith('/') ? text.slice(0, text.lastIndexOf('/') + 1) : ''
  return front.length > 1 ? front : undefined
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
