import type { JavaScriptFacts } from '../../../../facts/javascript.ts'
import { rememberFor } from '../../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../../lib/place.ts'
import { calleeText, expressions, subExpressions } from '../../../frameworks/walk.ts'

const USER_METADATA_MEMBER = /user_metadata|unsafeMetadata|raw_user_meta_data/

/** Where code compares with a literal what every user writes into the own account (`user.user_metadata.email === '…'`). */
export function editableClaim(path: string, code: JavaScriptFacts | undefined): Place | undefined {
  const line = code && lineOf(code)
  return line ? { path, line } : undefined
}

const lineOf = rememberFor((code: JavaScriptFacts): number => {
  for (const fn of code.functions)
    for (const e of expressions(fn))
      if (e.k === 'bin' && /^[!=]==?$/.test(e.op))
        for (const [a, b] of [
          [e.a, e.b],
          [e.b, e.a],
        ] as const)
          if (b.k === 'lit' && [...subExpressions(a)].some((x) => x.k === 'mem' && USER_METADATA_MEMBER.test(calleeText(x)))) return e.l
  return 0
})
