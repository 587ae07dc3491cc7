import type { Command, Table } from '../../../database/database.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Behaviour, Effect } from '../../../model/behaviour/types.ts'
import type { Route } from '../../../model/routes/routes.ts'
import { isForEverybody, isOfAdministrators } from '../../api/remediation/intended-caller.ts'
import { qualifiedName } from '../messages/rls.ts'

type Model = Pick<AppModel, 'schema' | 'modules' | 'routes'>
type Verb = Command | 'upsert'

/** A query under the rights of whoever visits. */
export interface Use extends Place {
  readonly verb: Verb
  /** What it writes. */
  readonly columns: readonly string[]
  /** A route of the server's asks. */
  readonly onServer?: true
  readonly by?: Route
  /** Only rows are asked for that say they are the caller's. */
  readonly own?: true
}

/** What the code does with a table under the rights of browsers: in the browser itself, or on a server with the visitor's session or none. */
export function usesOf(model: Model, table: Pick<Table, 'schema' | 'name'>): readonly Use[] {
  const names = [table.name, qualifiedName(table)]
  const inBrowser = (model.schema.queries ?? [])
    .filter((q) => names.includes(q.table) && model.modules.inBrowser(q.path, q.line))
    .map((q): Use => ({ ...q, verb: q.verb ?? 'select', columns: q.writes ?? [] }))
  const onServer = model.routes.routes
    .flatMap((r) => (r.behaviour ? asVisitor(r.behaviour).map((u) => ({ ...u, by: r })) : []))
    .filter((u) => names.includes(u.table))
  return [...inBrowser, ...onServer]
}

const asVisitor = rememberFor(({ steps }: Behaviour): readonly (Use & { readonly table: string })[] =>
  steps.flatMap(({ effect: e, at }) =>
    e.kind === 'db' && (e.client.rights === 'caller' || e.client.rights === 'anon')
      ? [
          {
            table: e.table,
            verb: e.op,
            columns: writtenBy(e),
            path: at.path,
            line: at.line,
            onServer: true,
            ...(e.filters.some((f) => f.value.v === 'caller') ? { own: true as const } : {}),
          },
        ]
      : [],
  ),
)

const writtenBy = ({ payload }: Extract<Effect, { kind: 'db' }>): readonly string[] => (payload?.v === 'object' ? Object.keys(payload.props) : [])

/** The first place where rows are read for a page that visitors are shown, where other pages send them away. */
export function shownAt({ routes: { routes, surroundings: around } }: Model, uses: readonly Use[]): Use | undefined {
  if (!around.guardsPages) return undefined
  return uses.find((u) => {
    if (u.verb !== 'select' || u.own || isOfAdministrators(u.path)) return false
    const { by } = u
    if (by && by.kind !== 'page') return !by.guard && around.pagesUsing(by).some((p) => isForEverybody(p, routes))
    const page = by ?? routes.find((r) => r.kind === 'page' && r.path === u.path)
    return page !== undefined && isForEverybody(page, routes)
  })
}

/** The first place of the code that does something of the kind. */
export const firstUseOf = (uses: readonly Use[], ...verbs: readonly Verb[]): string | undefined => {
  const use = uses.find((u) => verbs.includes(u.verb))
  return use && `${use.path}:${use.line}`
}

/**
 * Whether the code shows that no browser has to reach the table: it queries tables, and this one not at all or past row level security alone. Code whose
 * rights are not known may have a visitor's.
 */
export function isForServerAlone(model: Model, table: Pick<Table, 'schema' | 'name'>): boolean {
  const { schema, routes } = model
  if (!schema.queries?.length && !schema.accessors?.size) return false
  if (usesOf(model, table).length) return false
  const names = [table.name, qualifiedName(table)]
  if (!schema.queries?.some((q) => names.includes(q.table))) return true
  return routes.routes.some((r) => r.behaviour?.steps.some(({ effect: e }) => e.kind === 'db' && names.includes(e.table) && e.client.rights === 'service'))
}
