import type { JavaScriptFacts, Stmt } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Step } from '../../behaviour/types.ts'
import { statements } from '../../frameworks/walk.ts'
import type { Route } from '../../routes/routes.ts'
import { isAccepted } from './lost-events.ts'
import type { Unheard } from './unreported-failures.ts'
import { entryPlace } from './verification.ts'

interface Swallow {
  readonly body: readonly [number, number]
  readonly handler: readonly [number, number]
}

/**
 * Work that the handler itself does inside a `try` whose `catch` does nothing but log: whatever went wrong, the answer is one of success. A `catch` that
 * looks at the error, goes elsewhere with it or answers has thought about it.
 */
export function swallowed(route: Route, steps: readonly Step[], js: JavaScriptFacts | undefined): readonly Unheard[] {
  if (!js) return []
  const tries = swallowing(js)
  const within = (s: Step, [from, to]: readonly [number, number]) => {
    const at = entryPlace(s, route)
    return at.path === route.path && at.line >= from && at.line <= to
  }
  return tries.flatMap(({ body, handler }): Unheard[] => {
    const caught = steps.filter((s) => within(s, handler))
    const work = steps.find((s, i) => isWork(s) && within(s, body) && isAccepted(s, steps) && throws(s, i, steps))
    const logged = caught.find((s) => s.effect.kind === 'log')
    if (!work || !logged || caught.some((s) => s.effect.kind !== 'log')) return []
    const { path, line } = entryPlace(logged, route)
    return [{ path, line, because: `whatever goes wrong in the lines from ${body[0]} on is logged here, and the answer is one of success` }]
  })
}

const isWork = ({ effect: e, before }: Step): boolean =>
  !before && e.kind === 'db' && e.op !== 'select' && !/log|audit|(^|_)events?$|webhook|notification|session|cache/i.test(e.table)

/** The platform's client gives back what went wrong; what throws then is the code. */
const throws = ({ effect: e }: Step, index: number, steps: readonly Step[]): boolean =>
  (e.kind === 'db' && e.client.library !== 'supabase') ||
  steps.some((s) => s.effect.kind === 'throw' && s.effect.caught && s.under.some((c) => c.test.v === 'error' && c.test.of === index && !c.negated))

/** The lines of each `try` of a file and of its `catch`, where that neither decides, throws nor answers. */
const swallowing = rememberFor((js: JavaScriptFacts): readonly Swallow[] =>
  js.functions.flatMap((fn) =>
    statements(fn.body).flatMap((s): Swallow[] => {
      if (s.k !== 'try' || !s.handler?.length || !s.body.length) return []
      const decides = statements(s.handler).some((t) => t.k === 'throw' || t.k === 'return' || t.k === 'break' || (t.k === 'expr' && t.expr.k === 'assign'))
      return decides ? [] : [{ body: linesOf(s.body), handler: linesOf(s.handler) }]
    }),
  ),
)

const linesOf = (all: readonly Stmt[]): readonly [number, number] => [all[0]?.l ?? 0, Math.max(...all.map((s) => s.e ?? s.l))]
