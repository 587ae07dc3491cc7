import type { LockedPackage } from '../../facts/kinds.ts'
import type { DirectDependency } from './dependencies.ts'
import type { DirectRequest } from './direct-requests.ts'

/** Why a package is installed. */
export interface Reason {
  readonly production: boolean
  readonly chain: readonly string[]
  readonly through?: DirectDependency
  readonly direct?: DirectDependency
}

/** Walks the lock file from the manifests' entries, production first, and tells for each package the shortest way to it. */
export function packageGraph(packages: readonly LockedPackage[], requests: readonly DirectRequest[]): (p: LockedPackage) => Reason {
  const byKey = new Map(packages.map((p) => [`${p.name}@${p.version}`, p]))
  const production = reach(
    byKey,
    requests.filter((r) => r.production),
  )
  const development = reach(
    byKey,
    requests.filter((r) => !r.production),
  )
  return (p) => {
    const key = `${p.name}@${p.version}`
    const from = production.get(key) ?? development.get(key)
    // Reached from nowhere: the lock file's own word, and production when it has none.
    if (!from) return { production: p.dev !== true, chain: [key] }
    const isProduction = production.has(key)
    const chain: string[] = []
    for (let at: string | undefined = key; at !== undefined; at = (isProduction ? production : development).get(at)?.parent) chain.unshift(at)
    const through = from.request.entry
    const direct = chain.length === 1 ? through : undefined
    return { production: isProduction, chain, ...(through ? { through } : {}), ...(direct ? { direct } : {}) }
  }
}

/** Breadth first, so that the way kept is a shortest one. */
function reach(
  byKey: ReadonlyMap<string, LockedPackage>,
  requests: readonly DirectRequest[],
): Map<string, { readonly parent?: string; readonly request: DirectRequest }> {
  const seen = new Map<string, { readonly parent?: string; readonly request: DirectRequest }>()
  const queue: string[] = []
  for (const request of requests) {
    if (seen.has(request.resolved) || !byKey.has(request.resolved)) continue
    seen.set(request.resolved, { request })
    queue.push(request.resolved)
  }
  for (let i = 0; i < queue.length; i++) {
    const parent = queue[i] as string
    const { request } = seen.get(parent) as { request: DirectRequest }
    for (const next of byKey.get(parent)?.requires ?? []) {
      if (seen.has(next) || !byKey.has(next)) continue
      seen.set(next, { parent, request })
      queue.push(next)
    }
  }
  return seen
}
