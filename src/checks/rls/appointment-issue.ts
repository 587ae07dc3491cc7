import type { Hole } from '../../database/database.ts'
import type { AppModel } from '../../model/app-model.ts'
import type { Issue } from '../define-check.ts'
import { fixOf, functionLints } from './words.ts'

/** Whether the hole is a new row at sign-up: a self-grant by INSERT, which check 3 reports. */
export const isRowAtSignUp = (hole: Hole): boolean => hole.because === 'sign-up' && hole.tables?.[0]?.command === 'insert'

/** A function, or what happens at sign-up, that makes administrators of those who ask. */
export function appointmentIssue(model: Pick<AppModel, 'schema'>, hole: Hole): Issue {
  const [state] = hole.states ?? []
  const column = `${state?.table}.${state?.column}`
  const value = typeof state?.value === 'string' ? `'${state.value}'` : String(state?.value)
  const atSignUp = hole.because === 'sign-up'
  return {
    subject: `function ${hole.object}`,
    severity: 'Critical',
    title: atSignUp ? 'Visitors sign up as administrators' : `${hole.object} makes its caller an administrator`,
    message: atSignUp
      ? `${hole.object} runs when somebody signs up and writes what the visitor sends (raw_user_meta_data) into ${column}: tried with ${value}, it was taken.`
      : `${hole.object} is SECURITY DEFINER, every signed-in user may execute it, and it sets ${column} of its caller to ${value}.`,
    attack: atSignUp
      ? `Anyone signs up through the API with ${value} in the metadata, whatever the form offers, and is one wherever ${column} is asked.`
      : `Anyone who signs up for an account calls it once through the API, and is one wherever ${column} is asked.`,
    fix: fixOf(
      hole,
      atSignUp
        ? 'Take from the metadata only what every visitor may choose; administrators are appointed by the server, with the service role.'
        : 'Let only the service role execute it. REVOKE FROM PUBLIC alone is not enough: anon and authenticated have their own grants.',
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...(atSignUp ? [] : functionLints(model.schema, hole)), 'CWE-269'],
  }
}
