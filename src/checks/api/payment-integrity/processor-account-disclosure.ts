import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Step, Value } from '../../../model/behaviour/types.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

/** What a processor keeps of the whole account: what the application has, and whom it pays or is paid by. */
const PROCESSOR_LEDGER_CALL =
  /(?:^|\.)(?:(balance)\.retrieve|(payouts|transfers|balanceTransactions|charges|paymentIntents|customers|accounts|refunds|disputes)\.list)$/
/** How much of a list is asked for; anything else narrows it. */
const PAGINATION_PARAMETER = /^(?:limit|starting_after|ending_before|created|expand)$/

/** A list of everything in the processor's account, or the account's balance, in the answer to anybody who is signed in. */
export function accountWide(step: Step, e: { readonly name: string; readonly args: readonly Value[] }, { steps }: Behaviour): OwnershipBreach[] {
  const [, balance, list] = PROCESSOR_LEDGER_CALL.exec(e.name) ?? []
  if (!(balance ?? list) || e.args.length > 1 || e.args.some((a) => a.v !== 'object' || !Object.keys(a.props).every((p) => PAGINATION_PARAMETER.test(p))))
    return []
  const at = steps.indexOf(step)
  const found = (v: Value): boolean => v.v === 'result' && v.step === at
  // of a list in which one's own is looked for the answer holds the one
  const listed = (v: Value): boolean => (v.v === 'array' && mentions(v, found)) || (found(v) && /^(?:data)?$/.test((v.v === 'result' && v.field) || ''))
  const shown = steps.some(
    ({ effect: r }) => r.kind === 'respond' && (r.status ?? 200) < 400 && r.body !== undefined && mentions(r.body, balance ? found : listed),
  )
  return shown
    ? [
        {
          kind: 'account-wide',
          severity: 'High',
          at: step.at,
          verb: e.name,
          what: `answers with ${balance ? "the account's balance" : `all ${list} of the account`} (${e.name})`,
        },
      ]
    : []
}
