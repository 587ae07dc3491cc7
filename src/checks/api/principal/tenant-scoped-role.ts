import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { isCallers, isCallersRow, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Filter, Step, Value } from '../../../model/behaviour/types.ts'
import { guardOfConditions } from '../../../model/routes/guards/guard.ts'
import type { Guard } from '../../../model/routes/guards/guard-model.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

/** The tenant in which somebody was found to have a role. */
export interface RoleInOne {
  /** The column of the membership that names the tenant. */
  readonly column: string
  /** What of the request it was compared with: for people, and as the code calls it. */
  readonly by: string
  readonly named: string
}

/** What is done to a row of any tenant by somebody with a role in one of them: the role is a condition that not everybody meets. */
export const inAnother = (breach: OwnershipBreach, { column, by, named }: RoleInOne): OwnershipBreach => {
  const { ownerKnown: _, ...rest } = breach
  return { ...rest, severity: 'High', within: by, ownerColumn: column, callerAs: named }
}

/**
 * The role that lets somebody act is one in the tenant that the request names (who leads this course), and no role in the whole application. It says
 * nothing of rows that the request names beside it.
 */
export function roleInOne({ effect, under }: Step, guard: Guard | undefined, behaviour: Behaviour): RoleInOne | undefined {
  if (guard?.who !== 'admin' || guard.trust !== 'verified') return undefined
  const within = under.map((c) => tenantAsked(c, behaviour))
  const found = within.find((w) => w !== undefined)
  if (!found || isOfTenant(effect, found)) return undefined
  const rest = guardOfConditions(
    under.filter((_, i) => !within[i]),
    behaviour,
  )
  return rest?.who === 'user' ? found : undefined
}

/** What is done is done to the tenant itself, or within it. */
const isOfTenant = (effect: Step['effect'], { by }: RoleInOne): boolean => effect.kind === 'db' && effect.filters.some((f) => requestName(f.value) === by)

/** The tenant of the membership that a condition asks for; steps share their conditions. */
const tenantAsked = rememberFor(({ test }: Condition, behaviour: Behaviour): RoleInOne | undefined => {
  let found: RoleInOne | undefined
  mentions(test, (x) => {
    const index = x.v === 'row' ? x.step : x.v === 'error' ? x.of : -1
    found ??= index < 0 ? undefined : tenantOf(behaviour.steps[index]?.effect, behaviour)
    return found !== undefined
  })
  return found
})

/** A row that the caller's id finds together with something that the request names. */
function tenantOf(effect: Step['effect'] | undefined, behaviour: Behaviour): RoleInOne | undefined {
  if (effect?.kind !== 'db' || effect.op !== 'select') return undefined
  const compared = effect.filters.filter((f) => f.op === 'eq')
  if (!compared.some((f) => isCallers(f.value, behaviour))) return undefined
  const tenant = compared.find((f) => namesOne(f, behaviour))
  if (!tenant) return undefined
  const column = lastPart(tenant.column)
  return { column, by: requestName(tenant.value) ?? column, named: (tenant.value.v === 'request' && tenant.value.name) || column }
}

/** The request names it, or a row of which nothing says that it is the caller's. */
function namesOne({ value }: Filter, behaviour: Behaviour): boolean {
  return value.v === 'request' || (value.v === 'row' && value.step >= 0 && !isCallersRow(value.step, behaviour) && isNamed(value, behaviour))
}

const isNamed = ({ step }: Extract<Value, { v: 'row' }>, { steps }: Behaviour): boolean => {
  const found = steps[step]?.effect
  return found?.kind === 'db' && found.filters.some((f) => f.value.v === 'request')
}
