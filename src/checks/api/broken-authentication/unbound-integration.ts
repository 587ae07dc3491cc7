import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Condition, Step, Value } from '../../../model/behaviour/types.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { Issue } from '../../define-check.ts'

/** An account at another service that is connected to whichever user the request names. */
export interface ConnectedForNamed {
  /** Where it is written down for him. */
  readonly at: Place
  /** What the request calls him. */
  readonly by: string
}

const USER_ID = /^(?:user|profile|account|owner)_?id$/i
const OAUTH_TOKEN_FIELD = /(?:access|refresh)_?token/i
const REQUEST_INPUT_PARTS: ReadonlySet<string> = new Set(['body', 'query', 'form'])

/**
 * What another service answered is kept for the user whom the request names: whoever connects an account of his own to somebody else receives what
 * that user sends there, or shows as that user's what is his own. `state` is what the request says of it, too, where nothing that the server kept is compared with it.
 */
export const connectedForNamed = rememberFor((route: Route): readonly ConnectedForNamed[] => {
  const steps = route.behaviour?.steps ?? []
  return steps.flatMap((step) => {
    const { effect: e, at } = step
    if (e.kind !== 'db' || !/^(?:insert|update|upsert)$/.test(e.op) || e.client.rights !== 'service' || e.payload?.v !== 'object') return []
    const { props } = e.payload
    const answered = mentions(e.payload, (x) => isAnswer(x, steps))
    if (!answered && !Object.keys(props).some((column) => OAUTH_TOKEN_FIELD.test(column))) return []
    if (step.under.some(asksForKept) || !isOpen(step, route)) return []
    const named = [...Object.values(props), ...e.filters.filter((f) => f.op === 'eq' && USER_REFERENCE_COLUMN.test(f.column)).map((f) => f.value)].flatMap(
      (v) => userIn(v, answered) ?? [],
    )
    return named[0] === undefined ? [] : [{ at, by: named[0] }]
  })
})

const USER_REFERENCE_COLUMN = /^(?:id|(?:user|profile|account|owner)_?id)$/i

const isOpen = ({ at }: Step, { work }: Route): boolean =>
  work.some((w) => (!w.guard || w.guard.trust === 'claimed') && w.at.path === at.path && w.at.line === at.line)

/** The key by which the request says whose it is: its own, or the `state` that the service hands on as it was sent. */
function userIn(v: Value, answered: boolean): string | undefined {
  if (v.v === 'call' && answered && USER_ID.test(v.name)) return v.args.some((x) => isWrittenState(x)) ? 'state' : undefined
  if (v.v !== 'request' || !REQUEST_INPUT_PARTS.has(v.part)) return undefined
  const name = v.name?.split('.').at(-1) ?? ''
  return USER_ID.test(name) || (answered && name === 'state') ? name : undefined
}

/** `state`, written another way: anybody reads and writes it. */
const isWrittenState = (v: Value, depth = 0): boolean =>
  v.v === 'call'
    ? depth < 5 && DECODING_CALL.test(v.name) && v.args[0] !== undefined && isWrittenState(v.args[0], depth + 1)
    : v.v === 'request' && REQUEST_INPUT_PARTS.has(v.part) && v.name === 'state'
const DECODING_CALL = /^(?:Buffer\.from|atob|decodeURIComponent|base64\w*|fromBase64\w*|toString|replace(?:All)?|split|String)$/

/** What a service has answered that was asked with the secret of the application. */
const isAnswer = (v: Value, steps: readonly Step[]): boolean => v.v === 'result' && steps[v.step]?.effect.kind === 'http'

/** What came along is compared with what the server has kept or put into a cookie. */
const asksForKept = ({ test }: Condition): boolean =>
  mentions(
    test,
    (x) =>
      (x.v === 'caller' && x.trust === 'verified') ||
      (x.v === 'op' &&
        /^[!=]==?$/.test(x.op) &&
        x.of.some((side) => mentions(side, (y) => y.v === 'request' && /state|nonce/i.test(y.name ?? ''))) &&
        x.of.some((side) => mentions(side, (y) => y.v === 'row' || y.v === 'call' || (y.v === 'request' && y.part === 'cookie')))),
  )

/** Whom a piece of work connects an account for. */
export const connectedFor = (route: Route, work: Work | undefined): ConnectedForNamed | undefined =>
  connectedForNamed(route).find(({ at }) => at.path === work?.at.path && at.line === work.at.line)

/** The service hands `state` on as it was: what it says has to be the server's. */
export const BOUND_STATE: Issue['fix'] = {
  text: 'Establish who begins the connection, keep a random `state` with the id of that user where it begins, and take the user from the row of the `state` that comes back. Where a page of the application hands the code on, ask for its session instead.',
  language: 'ts',
  code: "// where it begins: insert into oauth_states (state, user_id, expires_at) for the signed-in user, with state = crypto.randomUUID()\nconst { data: begun } = await admin.from('oauth_states').delete().eq('state', state).gt('expires_at', new Date().toISOString()).select('user_id').maybeSingle()\nif (!begun) return new Response(null, { status: 401 })\nconst userId = begun.user_id",
}
