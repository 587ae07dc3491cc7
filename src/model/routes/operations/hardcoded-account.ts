import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import { type Behaviour, type Condition, type Effect, HIDDEN_LITERAL, type Step, type Value } from '../../behaviour/types.ts'
import { namesAdministrator } from '../guards/identity-words.ts'

/** An account whose password stands in the code: nobody signs up there, somebody else is made one, and everybody who reads the code knows it. */
export function makesFixedAccount(e: Effect): boolean {
  if (e.kind !== 'auth-call' || e.op !== 'admin' || !/(?:^|\.)createUser$/.test(e.name)) return false
  return e.args.some((a) => a.v === 'object' && a.props.password !== undefined && isWritten(a.props.password))
}

/** A password of the caller's choice for an account that is there: whoever owned it is out, and he is in. */
export const setsPassword = (e: Effect): boolean =>
  e.kind === 'auth-call' &&
  e.op === 'admin' &&
  /(?:^|\.)updateUserById$/.test(e.name) &&
  e.args.some((a) => a.v === 'object' && a.props.password !== undefined && mentions(a.props.password, (x) => x.v === 'request'))

/** An account for the address that the request names, whose password the server makes up: nobody signs up there, whoever is named is given one. */
export function makesAccountForOthers(e: Effect): boolean {
  if (e.kind !== 'auth-call' || e.op !== 'admin' || !/(?:^|\.)createUser$/.test(e.name)) return false
  return e.args.some((a) => a.v === 'object' && a.props.email?.v === 'request' && a.props.password !== undefined && isMadeUp(a.props.password))
}

/** An account whose row says, in the code, that its user administers. */
export function makesAdministrator({ effect: e }: Step, { steps }: Pick<Behaviour, 'steps'>): boolean {
  if (e.kind !== 'auth-call' || e.op !== 'admin' || !/(?:^|\.)createUser$/.test(e.name)) return false
  return steps.some(
    ({ effect }) =>
      effect.kind === 'db' &&
      effect.op !== 'select' &&
      /profile|user|account|admin/i.test(effect.table) &&
      effect.payload?.v === 'object' &&
      Object.entries(effect.payload.props).some(
        ([name, v]) => v.v === 'const' && (/^is_?(?:super_?)?admin$/i.test(name) ? v.value === true : /role$/i.test(name) && namesAdministrator(v.value)),
      ) &&
      !isOfOwnTenant(effect.payload.props, steps),
  )
}

/** Whoever signs up administers what was just made for him, and nothing else: `{ role: 'admin', tenant_id: tenant.id }`. */
const isOfOwnTenant = (props: Readonly<Record<string, Value>>, steps: readonly Step[]): boolean =>
  !Object.values(props).some((v) => v.v === 'const' && /super|master|platform|system|global|root/i.test(String(v.value))) &&
  Object.entries(props).some(([name, v]) => {
    const made = v.v === 'row' && v.field !== undefined ? steps[v.step]?.effect : undefined
    return made?.kind === 'db' && made.op === 'insert' && says(TENANTS_KEY, name)
  })

const TENANTS_KEY = /(?:^|_)(?:tenant|organi[sz]ation|org|company|workspace|team|business|school|church|clinic|store|shop|agency|account)_?id$/

const RANDOM = /random|^Uint\d+Array$|nanoid|uuid|createId/i
/** Picks a letter by a number that is drawn. */
const PICKS = /^(?:index|charAt|element)$/

function isMadeUp(v: Value): boolean {
  if (mentions(v, (x) => x.v === 'request' || x.v === 'row' || x.v === 'unknown')) return false
  return mentions(v, (x) => x.v === 'call' && (RANDOM.test(x.name) || PICKS.test(x.name)))
}

/** Signs in with a password of the code or the environment: whoever calls, it is that account, and nobody was asked who he is. */
export function signsInFixedAccount(e: Effect): boolean {
  if (e.kind !== 'auth-call' || e.op !== 'sign-in') return false
  return e.args.some((a) => a.v === 'object' && a.props.password !== undefined && (isWritten(a.props.password) || a.props.password.v === 'env'))
}

/** The session of such an account in an answer: who has it is that account from then on. */
export function handsOutFixedSession({ effect }: Step, { steps }: Pick<Behaviour, 'steps'>): boolean {
  if (effect.kind !== 'respond' || !effect.body || (effect.status ?? 200) >= 400) return false
  return holdsSession(effect.body, steps)
}

/** The session or its token as it is; some letters of it in a text are none. */
function holdsSession(v: Value, steps: Behaviour['steps'], depth = 0): boolean {
  if (depth > 6) return false
  const next = (x: Value) => holdsSession(x, steps, depth + 1)
  if (v.v === 'object') return Object.values(v.props).some(next) || (v.rest !== undefined && next(v.rest))
  if (v.v === 'array') return v.items.some(next)
  if (v.v === 'any') return v.of.some(next)
  const from = v.v === 'result' ? steps[v.step]?.effect : undefined
  return from !== undefined && v.v === 'result' && signsInFixedAccount(from) && /token|session/i.test(v.field ?? 'session')
}

function isWritten(v: Value): boolean {
  if (v.v === 'any') return v.of.every(isWritten)
  return (v.v === 'const' && typeof v.value === 'string' && v.value !== '') || (v.v === 'call' && v.name.startsWith(HIDDEN_LITERAL))
}

/** What is taken back when a sign-up fails is the new account; one that was looked up is somebody's, who loses it to whoever names the address. */
export function removesFound(step: Step, steps: readonly Step[]): boolean {
  const e = step.effect
  if (e.kind !== 'auth-call' || !/admin\.deleteUser$/i.test(e.name)) return false
  const lookedUp = (v: Value): boolean => {
    const from = v.v === 'result' || v.v === 'row' ? steps[v.step]?.effect : undefined
    return from?.kind === 'auth-call' && /admin\.(?:listUsers|getUserBy\w+)$/i.test(from.name)
  }
  // whose address is among the users was refused before: what is left is an account without a user
  const isFree = ({ test, negated }: Condition): boolean => {
    const asked = negated && test.v === 'row' && test.field === undefined ? steps[test.step]?.effect : undefined
    return asked?.kind === 'db' && asked.op === 'select' && asked.filters.some((f) => f.op === 'eq' && /mail|phone|user_?name/i.test(f.column))
  }
  return e.args.some((a) => mentions(a, lookedUp)) && !step.under.some(isFree)
}
