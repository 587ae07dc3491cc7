import { rememberFor } from '../../lib/remember-for.ts'
import { says } from '../../lib/snake-case.ts'
import type { Behaviour, Value } from '../../model/behaviour/behaviour.ts'
import { mentions } from '../../model/behaviour/mentions.ts'
import type { Route } from '../../model/routes/routes.ts'

/** Names by which a request says whose account it is about. */
const PERSON =
  /^(?:p_)?(?:(?:target|for|to|from|current|auth|recipient)_)?(?:user|account|owner|profile|member|customer|author|sender|seller|buyer|creator|client|payer|host|reseller|merchant)_?(?:id|uid)$|^(?:uid|user|userid)$/
const ROW = /(?:^|_)(?:id|uuid|slug)$/

/** What a request names of the rows that a handler works on. */
export interface Named {
  /** Whose account it is about. */
  readonly person?: string
  /** A row that is changed or read. */
  readonly row?: string
}

const namedIn = rememberFor(({ steps }: Behaviour): Named => {
  const found = new Set<string>()
  const collect = (v: Value) =>
    mentions(v, (x) => {
      if (x.v === 'request' && x.name && ['body', 'query', 'params', 'form'].includes(x.part)) found.add(x.name)
      return false
    })
  for (const { effect: e } of steps) {
    if (e.kind === 'db') {
      for (const f of e.filters) collect(f.value)
      if (e.payload) collect(e.payload)
    } else if (e.kind === 'storage') collect(e.object)
    else if (e.kind === 'rpc') collect(e.args)
    else if (e.kind === 'payment' || e.kind === 'auth-call') for (const a of e.args) collect(a)
  }
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const person = [...found].find((name) => says(PERSON, last(name)))
  const row = [...found].find((name) => name !== person && says(ROW, last(name)))
  return { ...(person ? { person: last(person) } : {}), ...(row ? { row: last(row) } : {}) }
})

export const namedInRequest = ({ behaviour }: Route): Named => (behaviour ? namedIn(behaviour) : {})

/** That somebody is signed in does not close the hole where the request says whose rows are meant: what has to be asked besides. */
export function ofTheRequest(route: Route, caller: string, role: string): string {
  const { person, row } = namedInRequest(route)
  const strong = route.work.some((w) => !w.hidden && !w.guard && w.rights !== 'caller' && w.rights !== 'anon')
  if (!strong || (!person && !row)) return ''
  const own = person
    ? ` Take the account from ${caller}, not \`${person}\` of the request: otherwise whoever has an account acts for everybody else.${row ? '' : ` Where this is for those who run the application, ${role}.`}`
    : ''
  const tied = row
    ? ` Whoever is signed in could still name any \`${row}\`: refuse when ${person ? 'that row' : 'the row'} is not the caller's, or, where this is for those who run the application, ${role}.`
    : ''
  return own + tied
}
