import type { AppModel, ModelInput } from '../app-model.ts'
import type { DependenciesModel } from './dependencies.ts'

/** The dependencies slice. */
export function buildDependencies(input: ModelInput, _slices: Pick<AppModel, 'workspaces'>): DependenciesModel {
  return { advisories: input.advisories }
}
