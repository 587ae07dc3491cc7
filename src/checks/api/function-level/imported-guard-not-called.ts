import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { guardAsWritten } from '../../../model/routes/code-context/guard-source.ts'
import { unusedImports } from '../../../model/routes/code-context/unused-imports.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { type Known, refusalAt } from '../remediation/fix-context.ts'
import { sharedFolders } from '../shared/path-proximity.ts'

/** A check that a handler's file imports and never calls. */
export interface ForgottenCheck {
  readonly name: string
  /** Another handler, which begins with it. */
  readonly example: Route
  /** What that handler asks, for this one. */
  readonly code: string
}

/** The check that whoever wrote a handler imported for it and left out, by those of its siblings that begin with the same; undefined where there is none. */
export function forgottenCheck(route: Route, { all, around }: Known): ForgottenCheck | undefined {
  const js = around.code(route.path)
  if (!js || route.kind === 'procedure') return undefined
  for (const local of unusedImports(js)) {
    const from = around.source(route.path, local)
    for (const example of nearestFirst(route, checkedBy(all).get(from ?? '') ?? [])) {
      if (example.kind !== route.kind || (example.answers ?? '') !== (route.answers ?? '') || around.source(example.path, local) !== from) continue
      const code = guardAsWritten(example, route, around, (status) => refusalAt(route, around, status), { throwing: true })
      if (code?.includes(local)) return { name: local, example, code: withoutImport(code, local) }
    }
  }
  return undefined
}

/** The file has it already; what nobody reads counts as imported for its type. */
const withoutImport = (code: string, name: string): string =>
  code
    .split('\n')
    .filter((line) => !(line.startsWith('import ') && line.split(/\W+/).includes(name)))
    .join('\n')
    .trim()

const nearestFirst = (route: Route, examples: readonly Route[]): readonly Route[] =>
  examples.toSorted((a, b) => sharedFolders(route, b) - sharedFolders(route, a))

/** Handlers that are checked by the code of another file, by that file. */
const checkedBy = rememberFor((all: readonly Route[]) =>
  Map.groupBy(
    all.filter((r) => r.kind !== 'page' && r.guard?.trust === 'verified' && !r.guard.opensWithout && r.guard.at.path !== r.path),
    (r) => r.guard?.at.path ?? '',
  ),
)
