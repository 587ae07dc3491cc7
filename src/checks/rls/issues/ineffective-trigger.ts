import { takenForOwner } from '../../../database/access/functions/column-protecting-trigger.ts'
import type { AppModel } from '../../../model/app-model.ts'
import { qualifiedName } from '../messages/rls.ts'

/** What is said of a trigger that is meant to protect a column and takes whoever changes the row for its own owner; nothing where there is none. */
export function idleTrigger(schema: AppModel['schema'], table: string, column: string): { readonly told: string; readonly mend: string } {
  const fn = takenForOwner(schema, table, column, 'update')
  if (!fn) return { told: '', mend: '' }
  const name = qualifiedName(fn)
  return {
    told: ` The trigger function ${name}() (${fn.at.path}:${fn.at.line}) is meant to, but it is SECURITY DEFINER: \`current_user\` is ${fn.owner} there, who owns it, whoever changes the row.`,
    mend: ` Or have the trigger run as whoever changes the row: \`alter function ${name}() security invoker\`.`,
  }
}
