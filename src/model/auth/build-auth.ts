import type { AppModel, ModelInput } from '../app-model.ts'
import type { AuthModel } from './auth.ts'

/** The auth slice. */
export function buildAuth(_input: ModelInput, _slices: Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules' | 'routes' | 'env'>): AuthModel {
  return { providers: [] }
}
