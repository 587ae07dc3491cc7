import type { AppModel, ModelInput, SchemaModel } from '../app-model.ts'

/** The schema slice: the replayed catalog, and which tables code queries that no SQL creates. */
export function buildSchema(input: ModelInput, _slices: Pick<AppModel, 'files' | 'workspaces'>): SchemaModel {
  const catalog = input.database?.catalog ?? { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false }
  return { ...catalog, files: [], exposedToBrowsers: false, exposedBecause: '', queriedButNotCreated: [] }
}
