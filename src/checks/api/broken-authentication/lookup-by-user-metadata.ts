import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Effect, Step, Value } from '../../../model/behaviour/types.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

const ACCOUNTS = 'auth.users'
const WRITTEN_BY_ITS_USER = /^(?:raw_)?user_(?:meta_?data|metadata)\.(\w{1,40})$/

/**
 * Something is given to the account whose metadata has a certain value (`users.find((u) => u.user_metadata.username === name)`), whoever asks for it: its
 * user writes what stands there, and whoever writes the same comes first or is the only one.
 */
export function foundByMetadata(step: Step, e: Effect): OwnershipBreach[] {
  const given = e.kind === 'rpc' ? [e.args] : e.kind === 'db' && e.op !== 'select' ? [...(e.payload ? [e.payload] : []), ...e.filters.map((f) => f.value)] : []
  const account = (v: Value) => v.v === 'row' && v.table === ACCOUNTS && (v.field === undefined || v.field === 'id')
  if (!('client' in e) || e.client.rights !== 'service' || !given.some((v) => mentions(v, account))) return []
  for (const { test, negated } of step.under) {
    if (negated || test.v !== 'op' || !/^===?$/.test(test.op)) continue
    const field = test.of.map(metadataOf).find((f) => f !== undefined)
    const asked = test.of.some((x) => mentions(x, (v) => v.v === 'request' || v.v === 'event'))
    if (field === undefined || !asked) continue
    const table = e.kind === 'rpc' ? e.function : e.kind === 'db' ? e.table : ''
    const verb = e.kind === 'rpc' ? 'calls' : 'writes'
    return [
      {
        kind: 'editable',
        severity: 'High',
        at: step.at,
        table,
        verb,
        by: `user_metadata.${field}`,
        found: true,
        what: `${verb} ${table} for the account whose user_metadata.${field} fits`,
      },
    ]
  }
  return []
}

function metadataOf(v: Value): string | undefined {
  if (v.v === 'call') return v.args.map(metadataOf).find((f) => f !== undefined)
  return v.v === 'row' && v.table === ACCOUNTS ? WRITTEN_BY_ITS_USER.exec(v.field ?? '')?.[1] : undefined
}
