import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'
import { isRoleField } from '../../../model/routes/guards/identity-words.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { ACCOUNT_TABLE_WORD, makesSameAccount, signsUp } from '../auth-flows/registration.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

/** Roles of people for whom an application is, not of those who run it. */
const OUTSIDER =
  /customer|client|student|pupil|learner|patient|parent|guardian|buyer|seller|vendor|supplier|member|user|guest|visitor|tenant|resident|driver|rider|passenger|subscriber|candidate|applicant|donor|volunteer|player|fan|creator|author|freelancer|public|anon|free|pro|premium|basic|cliente|aluno|estudiante|paciente|usuario|utente|eleve|kunde|schueler/i

/**
 * Whether everybody who signs in works for whoever runs the application: accounts are made by those who have one already, no table says to which of
 * several tenants somebody belongs, and every role that is asked for is one of people who work there. The cases of a law firm are then everybody's work.
 */
export const isHouseOfStaff = rememberFor((routes: readonly Route[], tables: SchemaModel['tables']): boolean => {
  if (tables.some((t) => t.userData?.tenantColumns.length)) return false
  // whoever has the first accounts made is nobody's colleague by that
  const registrations = routes.filter((r) => signsUp(r) && !makesFirstAccounts(r))
  if (!registrations.length || !registrations.every(({ guard }) => guard?.trust === 'verified' && (guard.who === 'admin' || guard.who === 'user'))) return false
  const roles = new Set(routes.flatMap(({ behaviour }) => (behaviour ? rolesAskedFor(behaviour) : [])))
  return roles.size > 1 && ![...roles].some((role) => OUTSIDER.test(role))
})

/** Every account that a handler makes stands in the code: a seed. */
function makesFirstAccounts(route: Route): boolean {
  const accounts =
    route.behaviour?.steps.filter(({ effect: e }) => (e.kind === 'db' && e.op === 'insert' && ACCOUNT_TABLE_WORD.test(e.table)) || e.kind === 'auth-call') ?? []
  return accounts.length > 0 && accounts.every((step) => makesSameAccount(step))
}

/** The roles by name that conditions of a behaviour compare somebody's with. */
const rolesAskedFor = rememberFor(({ steps }: Behaviour): readonly string[] => {
  const found = new Set<string>()
  for (const { under } of steps)
    for (const { test } of under)
      mentions(test, (x) => {
        const compared = comparedIn(x)
        if (compared.some(saysRole)) for (const role of compared.flatMap(textsOf)) found.add(role)
        return false
      })
  return [...found]
})

function comparedIn(v: Value): readonly Value[] {
  if (v.v === 'op' && /^[!=]==?$/.test(v.op)) return v.of
  return v.v === 'call' && /^(?:includes|has|indexOf)$/.test(v.name) ? v.args : []
}

function saysRole(v: Value): boolean {
  if (v.v === 'array') return v.items.some(saysRole)
  return (v.v === 'caller' || v.v === 'row') && isRoleField(v.field)
}

function textsOf(v: Value): readonly string[] {
  if (v.v === 'array') return v.items.flatMap(textsOf)
  return v.v === 'const' && typeof v.value === 'string' && v.value !== '' ? [v.value] : []
}

const ROWS: ReadonlySet<OwnershipBreach['kind']> = new Set(['row', 'listing', 'every-row', 'parent', 'forged-owner'])

/** What a colleague does to the rows of the house is his work, and whom there are he sees; what he does to accounts, and to what he may do himself, is not. */
export const isWorkOfTheHouse = ({ kind, table, verb }: OwnershipBreach): boolean =>
  ROWS.has(kind) && (!ACCOUNT_TABLE_WORD.test(table ?? '') || kind === 'listing' || kind === 'every-row' || verb === 'loads')
