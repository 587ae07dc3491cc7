import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { expressions, statements } from '../../frameworks/walk.ts'

/** Names by which a file takes something out of something else. */
export const membersRead = rememberFor(
  (js: JavaScriptFacts): ReadonlySet<string> =>
    new Set(
      js.functions.flatMap((fn) => [
        ...expressions(fn).flatMap((e) => (e.k === 'mem' ? [e.name] : [])),
        ...statements(fn.body).flatMap((s) => (s.k === 'let' && s.to.k === 'object' ? s.to.props.map((p) => p.key) : [])),
      ]),
    ),
)
