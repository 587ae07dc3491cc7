import type { AdvisoryData } from '../app-model.ts'

/** Locked packages and the advisories that affect them. Filled in by its builder. */
export interface DependenciesModel {
  readonly advisories: AdvisoryData
}
