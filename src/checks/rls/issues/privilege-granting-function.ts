import type { Hole } from '../../../database/database.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Issue } from '../../define-check.ts'
import { fixOf, functionLints, tableOfHole } from '../messages/rls.ts'

/** Whether the hole is a new row at sign-up: a self-grant by INSERT, which check 3 reports. */
export const isRowAtSignUp = (hole: Hole): boolean => hole.because === 'sign-up' && hole.tables?.[0]?.command === 'insert'

/** Whether a state of a row says in which tenant somebody is. */
const namesTenant = ({ schema }: Pick<AppModel, 'schema'>, { table, column }: NonNullable<Hole['states']>[number]): boolean =>
  tableOfHole(schema, table)?.userData?.tenantColumns.includes(column) === true

/** What happens at sign-up and puts whoever asks into somebody else's tenant. */
const enteredTenant = (hole: Hole, { table, column }: NonNullable<Hole['states']>[number]): Issue => ({
  subject: `function ${hole.object}`,
  severity: 'Critical',
  title: 'Visitors sign up into any tenant',
  message: `${hole.object} runs when somebody signs up and writes what the visitor sends (raw_user_meta_data) into ${table}.${column}, by which policies let members in: tried with the id of somebody else's, it was taken.`,
  attack: `Anyone signs up through the API with the id of a tenant in the metadata, whatever the form offers, and reaches what its members reach. Ids are no secrets: they stand in addresses and answers, and who was a member knows them.`,
  fix: fixOf(
    hole,
    'Take the tenant from what the server alone sets for whom it invites (raw_app_meta_data, by auth.admin with the service role), or from an invitation that the function looks up by a secret; let whoever founds a tenant be its first member.',
  ),
  at: hole.at,
  proof: hole.proof,
  aliases: ['CWE-269'],
})

/** A function, or what happens at sign-up, that makes administrators of those who ask. */
export function appointmentIssue(model: Pick<AppModel, 'schema'>, hole: Hole): Issue {
  const [state, tenant] = hole.states ?? []
  if (state && namesTenant(model, state)) return enteredTenant(hole, state)
  const column = `${state?.table}.${state?.column}`
  const value = typeof state?.value === 'string' ? `'${state.value}'` : String(state?.value)
  const atSignUp = hole.because === 'sign-up'
  return {
    subject: `function ${hole.object}`,
    severity: 'Critical',
    title: atSignUp ? 'Visitors sign up as administrators' : `${hole.object} makes its caller an administrator`,
    message: atSignUp
      ? `${hole.object} runs when somebody signs up and writes what the visitor sends (raw_user_meta_data) into ${column}: tried with ${value}, it was taken.${tenant ? ` So is ${tenant.table}.${tenant.column}, by which policies let members in: a visitor is in whichever tenant he names.` : ''}`
      : `${hole.object} is SECURITY DEFINER, every signed-in user may execute it, and it sets ${column} of its caller to ${value}.`,
    attack: atSignUp
      ? `Anyone signs up through the API with ${value} in the metadata, whatever the form offers, and is one wherever ${column} is asked.`
      : `Anyone who signs up for an account calls it once through the API, and is one wherever ${column} is asked.`,
    fix: fixOf(
      hole,
      atSignUp
        ? `Take from the metadata only what every visitor may choose; administrators are appointed by the server, with the service role.${tenant ? ` ${tenant.column} comes from what the server alone sets for whom it invites (raw_app_meta_data), or from an invitation that the function looks up by a secret.` : ''}`
        : 'Let only the service role execute it. REVOKE FROM PUBLIC alone is not enough: anon and authenticated have their own grants.',
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...(atSignUp ? [] : functionLints(model.schema, hole)), 'CWE-269'],
  }
}
