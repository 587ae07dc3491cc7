import type { Audited } from '../audited.ts'
import type { Guard, Surroundings } from '../model/routes/routes.ts'

/** What an AI builder has to know of an application before it writes code for it. Names are those of the repository. */
export interface ApplicationRules {
  readonly guards: readonly { readonly name: string; readonly path: string; readonly who: Guard['who']; readonly handlers: number }[]
  /** Files that make a client with the service-role key, on the server. */
  readonly serviceClients: readonly string[]
  readonly protectedTables: readonly string[]
  /** Tables that browsers reach and that have no row-level security. */
  readonly openTables: readonly string[]
}

/** Reads the rules off an audit: functions that guard handlers in other files, the server's clients, and the tables. */
export function describeApplication({ model }: Pick<Audited, 'model'>): ApplicationRules {
  const tables = model.schema.exposedToBrowsers ? model.access.objects.filter((o) => o.kind === 'table') : []
  return {
    guards: guardsOf(model.routes),
    serviceClients: [...new Set(model.modules.serviceRole.filter((use) => use.how === 'variable' && !use.inBrowser).map((use) => use.path))].sort(),
    protectedTables: tables.filter((t) => t.rls === true).map((t) => t.object),
    openTables: tables.filter((t) => t.rls === false).map((t) => t.object),
  }
}

/** Only what is verified and always asked is an example to follow. The most used comes first. */
function guardsOf({ routes, surroundings }: Audited['model']['routes']): ApplicationRules['guards'] {
  const found = new Map<string, ApplicationRules['guards'][number]>()
  for (const { guard, path } of routes) {
    if (guard?.trust !== 'verified' || guard.opensWithout || guard.skipped || guard.roleless) continue
    const place = [guard.at, ...(guard.identifiedAt ? [guard.identifiedAt] : [])].find((at) => at.path !== path)
    const name = place && functionAt(surroundings, place)
    if (!place || !name) continue
    const key = `${place.path} ${name} ${guard.who}`
    found.set(key, { name, path: place.path, who: guard.who, handlers: (found.get(key)?.handlers ?? 0) + 1 })
  }
  return [...found.values()].sort((a, b) => b.handlers - a.handlers || (a.name < b.name ? -1 : 1))
}

/** The exported function that a line belongs to: the last one that begins before it. */
function functionAt(surroundings: Surroundings, at: { readonly path: string; readonly line: number }): string | undefined {
  return surroundings
    .exported(/^[A-Za-z_$][\w$]*$/)
    .filter((e) => e.path === at.path && e.line <= at.line)
    .toSorted((a, b) => b.line - a.line)[0]?.name
}
