import type { AppModel, ModelInput } from '../app-model.ts'
import type { PaymentsModel } from './payments.ts'

/** The payments slice. */
export function buildPayments(_input: ModelInput, _slices: Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules' | 'routes' | 'env'>): PaymentsModel {
  return { processors: [] }
}
