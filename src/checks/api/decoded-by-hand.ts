import type { Place } from '../../lib/place.ts'
import { rememberFor } from '../../lib/remember-for.ts'
import type { Step, Value } from '../../model/behaviour/behaviour.ts'
import { mentions } from '../../model/behaviour/mentions.ts'
import type { Route, Work } from '../../model/routes/routes.ts'
import type { Issue } from '../define-check.ts'
import { refusal } from './refusal.ts'

/** A JSON Web Token that is taken apart by hand, and whose signature nobody looks at. */
export interface DecodedByHand {
  /** Where what it says is acted on. */
  readonly at: Place
  /** What the request calls it. */
  readonly token: string
}

const DECODES = /^(?:Buffer\.from|atob|base64\w*|(?:fromBase64|decodeBase64)\w*)$/i

/**
 * Work that is done for whom a token names, of which only the middle was decoded: `JSON.parse(atob(token.split('.')[1]))`. Whoever writes one himself
 * is taken at his word, so nothing that the handler does beside it makes it a sign-in.
 */
export const decodedByHand = rememberFor((route: Route): readonly DecodedByHand[] => {
  const steps = route.behaviour?.steps ?? []
  return steps.flatMap((step) => {
    const token = isOpen(step, route) ? tokenBehind(step, steps) : undefined
    return token ? [{ at: step.at, token: token.name ?? token.part }] : []
  })
})

/** The token by which a piece of work is done for somebody. */
export const decodedFor = (route: Route, work: Work | undefined): DecodedByHand | undefined =>
  decodedByHand(route).find(({ at }) => at.path === work?.at.path && at.line === work.at.line)

/** Whoever signed the token says for whom it is. */
export function verifiedFix(route: Route): Issue['fix'] {
  const platform = route.behaviour?.steps.some(({ effect: e }) => e.kind === 'auth-call' && e.library === 'supabase')
  return {
    text: 'Have the token verified by whoever signed it before anything of it is believed, and act for whom that names.',
    language: 'ts',
    code: platform
      ? `const { data: { user } } = await supabase.auth.getUser(token)\nif (!user) ${refusal(route, 401)}`
      : 'const { sub } = jwt.verify(token, process.env.JWT_SECRET!) // throws at a wrong signature',
  }
}

/** Work of the handler that no check stands in front of. */
const isOpen = ({ at }: Step, { work }: Route): boolean =>
  work.some(
    (w) => !w.hidden && !w.unsure && (!w.guard || w.guard.trust === 'claimed') && w.rights === 'service' && w.at.path === at.path && w.at.line === at.line,
  )

type Sent = Extract<Value, { v: 'request' }>

/** The token that says which row a step is about. */
function tokenBehind({ effect: e, under }: Step, steps: readonly Step[], depth = 0): Sent | undefined {
  const chosen = e.kind === 'db' ? [...e.filters.map((f) => f.value), ...(e.payload ? [e.payload] : [])] : e.kind === 'auth-call' ? e.args : []
  if (!chosen.length || under.some((c) => mentions(c.test, (x) => x.v === 'caller' && x.trust === 'verified'))) return undefined
  for (const value of chosen) {
    const token = tokenIn(value)
    if (token) return token
    const from = value.v === 'row' || value.v === 'result' ? steps[value.step] : undefined
    const found = from && depth < 3 ? tokenBehind(from, steps, depth + 1) : undefined
    if (found) return found
  }
  return undefined
}

function tokenIn(value: Value): Sent | undefined {
  let token: Sent | undefined
  mentions(value, (x) => {
    if (x.v === 'call' && DECODES.test(x.name)) token ??= x.args.map(secondPart).find((t) => t !== undefined)
    return token !== undefined
  })
  return token
}

/** `token.split('.')[1]`, whatever was replaced in it. */
function secondPart(value: Value): Sent | undefined {
  let token: Sent | undefined
  mentions(value, (x) => {
    const [text, by] = x.v === 'call' && /(?:^|\.)split$/.test(x.name) ? x.args : []
    if (text && by?.v === 'const' && by.value === '.')
      mentions(text, (y) => {
        if (y.v === 'request') token ??= y
        return token !== undefined
      })
    return token !== undefined
  })
  return token
}
