import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step } from '../../../model/behaviour/types.ts'
import { guardOfStep } from '../../../model/routes/guards/guard.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'

const HOOK = /(?:^|[/_-])(?:web-?)?hooks?(?:$|[/_-])/i

/**
 * What an endpoint for another service's events keeps of whatever comes, for whom the event names: what was opened, sent and delivered. Written by a server of
 * its own accord such a log is no work; here anybody says what stands in it.
 */
export function keepsUnsigned({ route, guard, limit, behaviour, work }: Route, tables: readonly Table[]): Work | undefined {
  if (!behaviour?.complete || guard || limit || !HOOK.test(route) || work.some((w) => w.guard)) return undefined
  const step = behaviour.steps.find((s) => isKept(s, tables) && !guardOfStep(s, behaviour))
  if (step?.effect.kind !== 'db') return undefined
  const { op, table } = step.effect
  return {
    kind: op === 'insert' ? 'insert' : 'update',
    what: `${op === 'insert' ? 'inserts into' : 'changes'} ${lastPart(table)} with the service role or a direct connection`,
    rights: 'service',
    table: lastPart(table),
    userData: true,
    at: step.at,
    via: step.via,
  }
}

/** A row that is somebody's, written with the server's rights, where the request says whose it is. */
function isKept({ effect: e }: Step, tables: readonly Table[]): boolean {
  if (e.kind !== 'db' || !['insert', 'update', 'upsert'].includes(e.op) || e.client.rights !== 'service' || e.payload?.v !== 'object') return false
  const data = tables.find((t) => t.name === lastPart(e.table) && !t.stub)?.userData
  const whose = data ? [...data.ownerColumns, ...data.tenantColumns] : []
  return Object.entries(e.payload.props).some(([column, v]) => whose.includes(column) && mentions(v, (x) => x.v === 'request' && x.part === 'body'))
}
