import type { AppModel, ModelInput } from '../app-model.ts'
import type { CodeModel } from './code.ts'

/** The code slice. */
export function buildCode(_input: ModelInput, _slices: Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules' | 'routes' | 'env'>): CodeModel {
  return { secrets: [] }
}
