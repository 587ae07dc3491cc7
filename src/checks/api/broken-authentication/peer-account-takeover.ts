import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import { isCallersRow, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Step, Value } from '../../../model/behaviour/types.ts'
import { isSame } from '../binding/value-equality.ts'
import { isRequestControlled, type OwnershipBreach } from '../shared/violation.ts'

const SENIORITY_COLUMN = /(?:^|_)(?:role|position|rank|access_level|permission_level)$/i
/** Roles of those who look after the others. */
const SUPERVISOR_ROLE_VALUE = /owner|admin|manager|super|director|boss|lead|head|principal|supervisor|chef|gerent|due[nñ]|propriet|dono|jefe|titular/i
const COLLEAGUE_TENANT_COLUMN =
  /(?:business|tenant|org(?:ani[sz]ation)?|company|team|workspace|clinic|school|agency|store|shop|account|group|family|household|club|club_house|restaurant|salon)_?id$/i
/** With these somebody else's account is the caller's. */
const ACCESS = /^(?:password|email|phone|e_?mail_confirm)$/i

/**
 * The account of a colleague, taken over: the handler asks whether both belong to the same business, and what some roles may not do to others, but
 * whoever has none of the roles that it names sets the password or the address of anybody else's sign-in.
 */
export function takesColleaguesAccount(step: Step, e: Extract<Effect, { kind: 'auth-call' }>, behaviour: Behaviour): OwnershipBreach[] {
  const [target, changes] = e.args
  if (e.op !== 'admin' || !target || target.v !== 'request') return []
  const takes = /updateUserById$/.test(e.name)
    ? changes !== undefined &&
      mentions(changes, (x) => x.v === 'object' && Object.entries(x.props).some(([name, v]) => says(ACCESS, name) && isRequestControlled(v, behaviour)))
    : /deleteUser$/.test(e.name)
  if (!takes) return []
  const asked = new Colleague(target, behaviour)
  const open = step.under.every((c) => asked.holds(c.test) !== c.negated)
  if (!open || asked.unsure || !asked.tied) return []
  const by = requestName(target) ?? 'a value of the request'
  return [{ kind: 'admin', severity: 'High', at: step.at, verb: e.name, by, colleague: true, what: `${e.name} with the service role` }]
}

/** What conditions say to a member of the same business who has no role that they name, and means somebody else's account. */
class Colleague {
  readonly #target: Value
  readonly #behaviour: Behaviour
  /** Something was asked that is not understood. */
  unsure = false
  /** Whether both belong to the same business was asked. */
  tied = false

  constructor(target: Value, behaviour: Behaviour) {
    this.#target = target
    this.#behaviour = behaviour
  }

  /** Undefined where it may be either. */
  holds(v: Value, depth = 0): boolean | undefined {
    if (depth > 12) return this.#unclear()
    if (v.v === 'const') return Boolean(v.value)
    if (v.v === 'caller') return v.field === undefined || /^(?:id|email|sub)$/.test(v.field) ? true : this.#unclear()
    if (v.v === 'row' && this.#isCallers(v))
      return v.field === undefined || says(COLLEAGUE_TENANT_COLUMN, v.field) || /^id$/.test(v.field) ? true : this.#unclear()
    if (v.v === 'op') return this.#operation(v.op, v.of, depth)
    return mentions(v, (x) => x.v === 'caller' || x.v === 'unknown' || x.v === 'result' || this.#isCallers(x)) ? this.#unclear() : undefined
  }

  #operation(name: string, of: readonly Value[], depth: number): boolean | undefined {
    const [a, b] = of
    if (name === '!' && a) {
      const inner = this.holds(a, depth + 1)
      return inner === undefined ? undefined : !inner
    }
    if (name === '&&' || name === '||') {
      const all = of.map((x) => this.holds(x, depth + 1))
      const settles = name === '||'
      if (all.includes(settles)) return settles
      return all.includes(undefined) ? undefined : !settles
    }
    if (!/^[!=]==?$/.test(name) || !a || !b) return this.#known(of)
    const equal = this.#equal(a, b)
    return equal === undefined ? undefined : equal !== name.startsWith('!')
  }

  #equal(a: Value, b: Value): boolean | undefined {
    const [x, y] = this.#isCallers(a) || a.v === 'caller' ? [a, b] : [b, a]
    const field = x.v === 'row' || x.v === 'caller' ? x.field : undefined
    if (!(x.v === 'caller' || this.#isCallers(x)) || field === undefined) return this.#known([a, b])
    if (says(SENIORITY_COLUMN, field)) return y.v === 'const' && SUPERVISOR_ROLE_VALUE.test(String(y.value)) ? false : this.#unclear()
    if (isSame(y, this.#target)) return false
    if (says(COLLEAGUE_TENANT_COLUMN, field) && y.v === 'row' && y.field === field && !this.#isCallers(y)) {
      this.tied = true
      return true
    }
    return this.#unclear()
  }

  #known(of: readonly Value[]): undefined {
    if (of.some((x) => mentions(x, (y) => y.v === 'caller' || y.v === 'unknown' || y.v === 'result' || this.#isCallers(y)))) this.unsure = true
    return undefined
  }

  #unclear(): undefined {
    this.unsure = true
    return undefined
  }

  #isCallers(v: Value): v is Extract<Value, { v: 'row' }> {
    return v.v === 'row' && v.step >= 0 && isCallersRow(v.step, this.#behaviour)
  }
}
