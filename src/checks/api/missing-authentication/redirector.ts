import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Step, Value } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'

const SHORT = /\[(?:\.{3})?(?:slug|code|short_?(?:code|id|url|link)?|alias|key|link|hash)\]$|:(?:slug|code|short_?(?:code|id|url|link)?|alias|key|link|hash)$/i
const FOLLOWED = /(?:^|_)(?:clicks?|visits?|hits?|views?|scans?|events?)(?:$|_)/i

/** Whether a route looks one row up by the end of its path, notes that somebody came, and redirects to what stands in the row. */
export function leadsOn({ route, method, work, behaviour }: Route): boolean {
  if (method !== 'GET' || !SHORT.test(route) || !behaviour) return false
  const links = behaviour.steps.filter(({ effect: e }) => e.kind === 'db' && e.op === 'select' && e.filters.some((f) => f.op === 'eq' && isOfPath(f.value)))
  const fromLink = (v: Value) => v.v === 'row' && links.includes(behaviour.steps[v.step] as Step)
  const leads = behaviour.steps.some(({ effect: e }) => e.kind === 'respond' && e.how === 'redirect' && e.body !== undefined && mentions(e.body, fromLink))
  const counts = (table: string) => says(FOLLOWED, table) || links.some(({ effect: e }) => e.kind === 'db' && e.table === table)
  return leads && work.every(({ kind, whole, table = '' }) => (kind === 'read' ? !whole : kind === 'insert' || kind === 'update' ? counts(table) : false))
}

const isOfPath = (v: Value): boolean => v.v === 'request' && v.part === 'params'
