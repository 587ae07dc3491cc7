import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { Issue } from '../../define-check.ts'
import { refusal } from '../remediation/refusal-response.ts'

/** A JSON Web Token that is taken apart by hand, and whose signature nobody looks at. */
export interface DecodedByHand {
  /** Where what it says is acted on. */
  readonly at: Place
  /** What the request calls it. */
  readonly token: string
  /** Where it is believed. */
  readonly read?: Place
  /** Where it is verified first, and who fails that is believed all the same. */
  readonly verifiedBy?: string
}

const DECODES = /^(?:Buffer\.from|atob|base64\w*|(?:fromBase64|decodeBase64)\w*)$/i
/** What a token says of whom it was given to: a member of its middle, which is text until it is decoded. */
const CLAIM = /^(?:sub|user_?id|uid|id|email|role|org_?id|tenant_?id)$/i

/**
 * Work that is done for whom a token names, of which only the middle was decoded: `JSON.parse(atob(token.split('.')[1]))`. Whoever writes one himself
 * is taken at his word, so nothing that the handler does beside it makes it a sign-in.
 */
export const decodedByHand = rememberFor((route: Route): readonly DecodedByHand[] => {
  const steps = route.behaviour?.steps ?? []
  return steps.flatMap((step) => asDecoded(step, isOpen(step, route) ? tokenBehind(step, steps) : undefined))
})

const asDecoded = ({ at }: Step, found: Found | undefined): readonly DecodedByHand[] =>
  found
    ? [
        {
          at,
          token: found.token.name ?? found.token.part,
          ...(found.read ? { read: found.read } : {}),
          ...(found.verifiedBy ? { verifiedBy: found.verifiedBy } : {}),
        },
      ]
    : []

/** The token by which a piece of work is done for somebody, or without which it is not done. */
export function decodedFor(route: Route, work: Work | undefined): DecodedByHand | undefined {
  if (!work) return undefined
  const isHere = ({ at }: { readonly at: Place }) => at.path === work.at.path && at.line === work.at.line
  const steps = route.behaviour?.steps.filter(isHere) ?? []
  const decoded = decodedByHand(route)
  // what stands in for the check of the handler stands in front of all that it does
  return decoded.find(isHere) ?? steps.flatMap((step) => asDecoded(step, tokenAsked(step)))[0] ?? decoded.find((d) => d.verifiedBy !== undefined)
}

/** Whoever signed the token says for whom it is. */
export function verifiedFix(route: Route, { read, verifiedBy }: DecodedByHand): Issue['fix'] {
  if (verifiedBy)
    return {
      text: `Take the way out that only decodes the token${read ? ` (${read.path}:${read.line})` : ''}: where ${verifiedBy} fails, or its key is not set, nobody is known.`,
    }
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

interface Found {
  readonly token: Sent
  readonly read?: Place
  readonly verifiedBy?: string
}

/** The token that says which row a step is about. */
function tokenBehind({ effect: e, under }: Step, steps: readonly Step[], depth = 0): Found | undefined {
  const chosen = e.kind === 'db' ? [...e.filters.map((f) => f.value), ...(e.payload ? [e.payload] : [])] : e.kind === 'auth-call' ? e.args : []
  const known = under.some((c) => mentions(c.test, isVerified))
  for (const value of chosen) {
    const found = tokenIn(value)
    // who is verified elsewhere on the way is known, unless the token is what stands in for that
    if (found && (!known || found.verifiedBy !== undefined)) return found
    const from = value.v === 'row' || value.v === 'result' ? steps[value.step] : undefined
    const behind = from && depth < 3 && !known ? tokenBehind(from, steps, depth + 1) : undefined
    if (behind) return behind
  }
  return undefined
}

/** The token that has to say whose it is before a step is reached. */
function tokenAsked({ under }: Step): Found | undefined {
  const known = under.some((c) => mentions(c.test, isVerified))
  for (const { test, negated } of under) {
    const found = negated ? undefined : tokenIn(test)
    if (found && (!known || found.verifiedBy !== undefined)) return found
  }
  return undefined
}

const isVerified = (x: Value): boolean => x.v === 'caller' && x.trust === 'verified'

function tokenIn(value: Value): Found | undefined {
  let found: Found | undefined
  mentions(value, (x) => {
    if (x.v !== 'call' || !(DECODES.test(x.name) || (CLAIM.test(x.name) && x.args.length === 1))) return false
    const token = x.args.map(secondPart).find((t) => t !== undefined)
    if (token) found ??= { token, ...(x.at ? { read: x.at } : {}) }
    return found !== undefined
  })
  if (!found) return undefined
  let verifiedBy: string | undefined
  mentions(value, (x) => {
    if (x.v === 'caller' && x.trust === 'verified') verifiedBy ??= x.how
    return verifiedBy !== undefined
  })
  return verifiedBy === undefined ? found : { ...found, verifiedBy }
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
