import type { ModelBase } from '../../app-model.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Entry as Runnables, Step } from '../../behaviour/types.ts'
import type { Entry } from '../../frameworks/entry.ts'
import type { Guard } from '../guards/guard-model.ts'
import type { Work } from '../operations/operation-model.ts'
import { workOf } from '../operations/sensitive-operations.ts'
import { runnablesOf } from '../request/entry-runner.ts'
import { inProduction } from '../request/production-view.ts'

/**
 * What the load of a page reads of people with the service role when the layouts above it are left out: SvelteKit runs theirs beside the page's, and
 * whoever asks for the page's data may leave them out. Where a layout asks for administrators, what anybody with an account reads is left open as well.
 */
export function besideLayouts(
  entry: Entry,
  guard: Guard | undefined,
  work: readonly Work[],
  slices: ModelBase,
  run: (r: Runnables | undefined) => Behaviour | undefined,
): Work | undefined {
  const gives = (w: Work) => w.kind === 'read' && w.userData === true && !w.hidden && w.rights === 'service'
  const blocking = entry.before.filter((b) => b.blocks)
  if (entry.framework !== 'SvelteKit' || blocking.length === entry.before.length || !work.some((w) => gives(w) && w.guard?.trust === 'verified'))
    return undefined
  const alone = run(runnablesOf({ ...entry, before: blocking }))
  if (!alone?.complete) return undefined
  const behaviour = inProduction(alone, entry.framework)
  const forAccounts = (w: Work) => guard?.who === 'admin' && w.guard?.who === 'user' && w.guard.trust === 'verified' && isForAnyAccount(w, behaviour)
  return workOf(behaviour, slices.schema, slices.access).find(
    (w) => gives(w) && (!w.guard || forAccounts(w)) && [w.at, ...w.via].some((p) => p.path === entry.path),
  )
}

/** Whether whoever has an account gets the same rows: neither what is read nor what stands before it depends on who they are. */
const isForAnyAccount = (w: Work, { steps }: Behaviour): boolean =>
  steps.some((s) => s.at.path === w.at.path && s.at.line === w.at.line && s.effect.kind === 'db' && !isOwn(s))

const isOwn = ({ effect: e, under }: Step): boolean =>
  (e.kind === 'db' && e.filters.some((f) => mentions(f.value, (x) => x.v === 'caller'))) ||
  under.some((c) => mentions(c.test, (x) => /^(?:row|result|unknown)$/.test(x.v) || (x.v === 'caller' && x.field !== undefined && x.field !== 'id')))
