import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { asksForProof, proves, SESSION, SIGN_IN_TABLE, type UnprovenSignIn } from './sign-in-without-proof.ts'

/** An entry of a session that says what somebody may do. */
const SESSION_ROLE_KEY = /^(?:is_?)?(?:super_?)?admin$|(?:^|_)roles?$|^(?:user|account|member)_?(?:type|role)$|^is_?staff$/i
/** Who runs the application, by what such an entry says or by the address of an account. */
const IN_CHARGE = /(?:^|[^a-z])(?:super_?)?admin(?:istrator)?(?:[^a-z]|$)|^(?:owner|root|staff|superuser)$/i
/** Somebody who is nobody in particular. */
const ANONYMOUS_VALUE = /guest|anon|visitor|^(?:null|undefined|0|)$/i

/**
 * A session that a handler makes for whoever calls it, as an account that stands in the code, with the rights of whoever runs the application or with
 * those that the request names. Nothing is asked before: no password, no variable that only a developer's machine has. A session of somebody without
 * rights (`demo@…`) is there to try the application out.
 */
export const fixedSignIn = rememberFor((route: Route): UnprovenSignIn | undefined => {
  const { behaviour } = route
  if (!behaviour?.complete || (route.guard !== undefined && route.guard.trust !== 'claimed')) return undefined
  const { steps } = behaviour
  const entries = steps.flatMap((step) => entryOf(step))
  for (const { step, name, value } of entries) {
    if (!SESSION.test(name) || !standsInCode(value, steps)) continue
    const before = steps.filter((s) => s.at.line < step.at.line || s.at.path !== step.at.path)
    if (step.under.some(asksForProof) || before.some(proves)) continue
    const rights = entries.find((e) => SESSION_ROLE_KEY.test(e.name) && (isOfRequest(e.value) || isInCharge(e.value)))
    if (!rights && !isInCharge(value) && !foundBy(value, steps).some(isInCharge)) continue
    const chosen = rights && isOfRequest(rights.value) ? (nameIn(rights.value) ?? rights.name) : undefined
    return { at: step.at, found: step.at, column: name, by: chosen ?? name, fixed: chosen === undefined ? 'account' : 'role' }
  }
  return undefined
})

interface Entry {
  readonly step: Step
  readonly name: string
  readonly value: Value
}

/** What is kept in the session of whoever calls, and each member of an object that is (`session.user = { id, role }`). */
function entryOf(step: Step): readonly Entry[] {
  const { effect } = step
  if (effect.kind !== 'cookie' || effect.name !== 'session.set') return []
  const [key, value] = effect.args
  if (key?.v !== 'const' || !value) return []
  const members = value.v === 'object' ? Object.entries(value.props).map(([name, x]) => ({ step, name, value: x })) : []
  return [{ step, name: String(key.value), value }, ...members]
}

/** An account that the code names: its id, or the row that is found by what stands there. */
function standsInCode(value: Value, steps: readonly Step[]): boolean {
  switch (value.v) {
    case 'const':
      return !ANONYMOUS_VALUE.test(String(value.value)) && value.value !== false
    case 'any': {
      // what a query that failed gives is no account
      const given = value.of.filter((x) => x.v !== 'const' || (x.value !== undefined && x.value !== null))
      return given.length > 0 && given.every((x) => standsInCode(x, steps))
    }
    case 'object':
      return Object.entries(value.props).some(([name, x]) => /^(?:_?id|uid|user_?id|e_?mail|user_?name)$/i.test(name) && standsInCode(x, steps))
    case 'row': {
      const e = steps[value.step]?.effect
      if (e?.kind !== 'db' || !SIGN_IN_TABLE.test(e.table)) return false
      return e.op === 'insert' ? isWrittenOut(e.payload) : e.filters.length > 0 && !e.unread && e.filters.every((f) => f.op === 'eq' && f.value.v === 'const')
    }
    default:
      return false
  }
}

const isWrittenOut = (payload: Value | undefined): boolean => payload?.v === 'object' && !payload.rest && !mentions(payload, (x) => x.v === 'request')

/** By what the rows of an account are found, or what is written into a new one. */
function foundBy(value: Value, steps: readonly Step[]): readonly Value[] {
  if (value.v === 'any') return value.of.flatMap((x) => foundBy(x, steps))
  const e = value.v === 'row' ? steps[value.step]?.effect : undefined
  return e?.kind === 'db' ? [...e.filters.map((f) => f.value), ...(e.payload ? [e.payload] : [])] : []
}

const isInCharge = (value: Value): boolean => mentions(value, (x) => x.v === 'const' && (x.value === true || IN_CHARGE.test(String(x.value))))

const isOfRequest = (value: Value): boolean => mentions(value, (x) => x.v === 'request' && (x.part === 'body' || x.part === 'query' || x.part === 'params'))

function nameIn(value: Value): string | undefined {
  let found: string | undefined
  mentions(value, (x) => {
    if (x.v === 'request') found = x.name
    return found !== undefined
  })
  return found
}
