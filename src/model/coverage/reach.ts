import type { AppModel } from '../app-model.ts'

type Slices = Pick<AppModel, 'modules' | 'routes'>

/** Whether an endpoint or middleware runs a file: it is one, or one imports it, however far away. */
export function importedByEndpoints(path: string, { modules, routes }: Slices): boolean {
  const endpoints = new Set([...routes.routes.filter((r) => r.kind !== 'page').map((r) => r.path), ...routes.middleware.map((m) => m.at.path)])
  const seen = new Set([path])
  for (const file of seen) {
    if (endpoints.has(file)) return true
    for (const { path: importer } of modules.importers(file)) seen.add(importer)
  }
  return false
}
