import { PASSWORD } from '../../../lexicon/columns/password.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { compares, mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Condition, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isTainted } from '../../../model/routes/request/request-taint.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { ACCOUNT_TABLE_WORD } from '../auth-flows/registration.ts'

/** What names somebody, and proves nothing. */
const ACCOUNT_NAME_FIELD =
  /^(?:_?id|(?:user|account|member|customer|student|employee|staff)_?(?:id|name|no|number|code)|uid|name|e_?mail(?:_?address)?|login|nick_?name|phone(?:_?number)?|mobile|telefone|celular|cpf|cnpj|dni|rut|rfc|curp|nif|nie|cedula|documento?|matricula|registration_?(?:no|number)|national_?id|aadhaar)$/i
const RESET_PROOF_FIELD = /token|code|otp|pin|secret|answer|signature|hash|key|proof|verif|(?:old|current|previous|existing)_?pass|captcha|expir/i

/**
 * Where whoever names an account sets its password: the new one is of the request, the account is found by what everybody knows of it,
 * and nothing that only its owner has is asked for. A reset by mail looks for a token, a code or the old password first. That an account has no
 * password yet says nothing of who sets its first one.
 */
export const takenPassword = rememberFor(
  (route: Route): Step | undefined =>
    changesNamedAccount(route, (columns) => columns.some((name) => PASSWORD.test(name))) ??
    unprovenSteps(route).find(({ effect: e }) => e.kind === 'db' && e.op === 'insert' && keepsPasswordOfNamed(e, route.behaviour?.steps ?? [])),
)

/** A row with a password of the request that says whose it is by the row of somebody whom the request names. */
function keepsPasswordOfNamed({ payload, client }: Query, steps: readonly Step[]): boolean {
  if (client.rights === 'caller' || payload?.v !== 'object') return false
  const columns = Object.entries(payload.props)
  return (
    columns.some(([name, value]) => PASSWORD.test(name) && mentions(value, (x) => x.v === 'request')) &&
    columns.some(([, value]) => value.v === 'row' && /^_?id$/i.test(value.field ?? '') && isNamed('id', value, steps))
  )
}

/**
 * Whether an application or a registration changes what stands in the account that was there before: whoever names somebody's address writes over
 * the name, the number, the role. One column alone (a consent, a language) is no identity.
 */
export const overwritesAccount = rememberFor(
  (route: Route): boolean => changesNamedAccount(route, (columns) => columns.filter((name) => says(WHO_SOMEBODY_IS, name)).length > 1) !== undefined,
)

const WHO_SOMEBODY_IS = /(?:^|_)(?:name|phone|mobile|address|street|city|role|title|company|organi[sz]ation|bio|avatar|website|birth\w{0,10}|gender)(?:$|_)/

function changesNamedAccount(route: Route, counts: (columns: readonly string[]) => boolean): Step | undefined {
  return unprovenSteps(route).find(({ effect: e }) => {
    if (e.kind !== 'db' || e.op !== 'update' || e.client.rights === 'caller' || !ACCOUNT_TABLE_WORD.test(e.table) || e.payload?.v !== 'object') return false
    const sent = Object.entries(e.payload.props).flatMap(([name, value]) => (mentions(value, (x) => x.v === 'request') ? [name] : []))
    return counts(sent) && e.filters.some((f) => f.op === 'eq' && isNamed(f.column, f.value, route.behaviour?.steps ?? []))
  })
}

/** What a handler writes for everybody without having asked for anything that only the owner of an account has. */
const unprovenSteps = rememberFor(({ behaviour, work }: Route): readonly Step[] => {
  if (!behaviour?.complete || behaviour.gaps?.length) return []
  const proved = behaviour.steps.findIndex(proves)
  return behaviour.steps.filter(
    (step, index) =>
      (proved === -1 || index <= proved) &&
      work.some((w) => (w.kind === 'update' || w.kind === 'insert') && !w.guard && w.at.path === step.at.path && w.at.line === step.at.line) &&
      !step.under.some(asksForProof),
  )
})

/** A row chosen by what everybody may know. */
function isNamed(column: string, value: Value, steps: readonly Step[], depth = 0): boolean {
  if (!says(ACCOUNT_NAME_FIELD, column) || depth > 3) return false
  if (value.v !== 'row') return isTainted(value)
  const from = steps[value.step]?.effect
  if (from?.kind !== 'db') return false
  return from.filters.length > 0 && from.filters.every((f) => (f.op === 'eq' || f.op === 'in') && isNamed(f.column, f.value, steps, depth + 1))
}

/** Something that only the owner of the account has is looked at. */
function proves({ effect: e }: Step): boolean {
  if (e.kind === 'db') return RESET_PROOF_FIELD.test(e.table) || e.filters.some((f) => RESET_PROOF_FIELD.test(f.column))
  return e.kind !== 'log' && e.kind !== 'respond' && e.kind !== 'throw' && e.kind !== 'mail' && e.kind !== 'limit'
}

/** What is asked is more than whether the values came along, the account is there and how often somebody came. */
const asksForProof = ({ test, negated, otherwise }: Condition): boolean => otherwise.status !== 429 && isProof(test, !negated)

/** Whether a test asks for a proof, where it holds or does not: that there is no password yet, or that a variable is set, is none. An account whose address is not confirmed is nobody's. */
function isProof(test: Value, holds: boolean, depth = 0): boolean {
  if (test.v === 'op' && depth < 6) {
    if (test.op === '!') return test.of.some((x) => isProof(x, !holds, depth + 1))
    if (test.op === '&&' || test.op === '||') return test.of.some((x) => isProof(x, holds, depth + 1))
  }
  if (test.v === 'row' && test.field && PASSWORD.test(lastPart(test.field))) return holds
  if (test.v === 'env') return !holds
  return mentions(
    test,
    (x) =>
      x.v === 'unknown' ||
      x.v === 'caller' ||
      x.v === 'env' ||
      (x.v === 'request' && RESET_PROOF_FIELD.test(x.name ?? '')) ||
      (x.v === 'row' && RESET_PROOF_FIELD.test(x.field ?? '')) ||
      compares(
        x,
        (y) => y.v === 'request',
        (y) => y.v === 'row' || y.v === 'result',
      ),
  )
}
