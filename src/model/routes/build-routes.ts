import type { ModelInput } from '../app-model.ts'
import type { ModelBase } from '../build-model.ts'
import type { RoutesModel } from './routes.ts'

/** The routes slice: every HTTP entry, its guard and what it does. */
export function buildRoutes(_input: ModelInput, _slices: ModelBase): RoutesModel {
  return { routes: [] }
}
