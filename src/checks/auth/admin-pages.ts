import { mentions, partsOf } from '../../model/behaviour/domain/contains.ts'
import type { Behaviour, Step, Value } from '../../model/behaviour/types.ts'
import type { Route, Work } from '../../model/routes/routes.ts'

/** Paths of pages for administrators, by one of their segments. */
export const ADMIN_PAGE_PATH = /(?:^|\/)(?:admin|administration|super-?admin|backoffice)(?:\/|$)/i
const REGISTERS = /(?:^|[/_-])(?:sign-?up|register|registration|create-account|join)(?:[/_-]|$)/i

/** Whether strangers get an account of the application by themselves; where nobody does, whoever is signed in was let in by its owner. */
export function registersStrangers(routes: readonly Route[]): boolean {
  return routes.some(
    (r) =>
      REGISTERS.test(r.route) ||
      r.behaviour?.steps.some((s) => s.effect.kind === 'auth-call' && /^(?:sign-up|oauth|otp|magic-link)$/.test(s.effect.op)) === true,
  )
}

/** What an administrators' page reads of everybody past row level security, when its guard asks for nothing but an account. */
export function readForEveryAccount(route: Route): Work | undefined {
  if (!ADMIN_PAGE_PATH.test(route.route) || route.guard?.who !== 'user' || !route.behaviour?.complete) return undefined
  const { behaviour } = route
  const steps = behaviour.steps.filter((s) => isOfEverybody(s, behaviour) && !asksMore(s, behaviour))
  return route.work.find(
    (w) =>
      w.kind === 'read' &&
      w.userData === true &&
      !w.hidden &&
      w.guard?.who === 'user' &&
      w.guard.trust === 'verified' &&
      steps.some((s) => s.at.path === w.at.path && s.at.line === w.at.line),
  )
}

/** All rows, or those that are the same ones whoever asks. */
function isOfEverybody({ effect }: Step, behaviour: Behaviour): boolean {
  return (
    effect.kind === 'db' &&
    effect.op === 'select' &&
    effect.client.rights === 'service' &&
    !effect.countOnly &&
    !effect.one &&
    !effect.unread &&
    effect.filters.every((f) => isFixed(f.value, behaviour, 0))
  )
}

/** Something about the caller beyond the account stands before it: a role, a row, an answer. */
function asksMore(step: Step, behaviour: Behaviour): boolean {
  return step.under.some((c) =>
    mentions(
      c.test,
      (x) =>
        (x.v === 'caller' && x.field !== undefined && x.field !== 'id') ||
        /^(?:result|unknown|request)$/.test(x.v) ||
        ((x.v === 'row' || x.v === 'call') && !isFixed(x, behaviour, 0)),
    ),
  )
}

/** The same for every visitor: what the code and the environment say, and rows that are found by it (the administrator whom a variable names). */
function isFixed(value: Value, behaviour: Behaviour, depth: number): boolean {
  if (depth > 10) return false
  const next = (x: Value) => isFixed(x, behaviour, depth + 1)
  switch (value.v) {
    case 'const':
    case 'env':
    case 'function':
    case 'client':
      return true
    case 'row': {
      const e = behaviour.steps[value.step]?.effect
      return e?.kind === 'db' && !e.unread && e.filters.length > 0 && e.filters.every((f) => next(f.value))
    }
    case 'call':
      return value.args.length > 0 && value.args.every(next)
    case 'op':
    case 'any':
    case 'text':
    case 'array':
    case 'object':
      return partsOf(value).every(next)
    default:
      return false
  }
}
