import type { AppModel, ModelInput } from '../app-model.ts'
import type { EnvModel } from './env.ts'

/** The env slice. */
export function buildEnv(_input: ModelInput, _slices: Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules' | 'routes'>): EnvModel {
  return { definitions: [], reads: [] }
}
