import type { AppModel, ModelInput } from '../app-model.ts'
import type { ModulesModel } from './modules.ts'

/** The modules slice: import graph and client reachability. */
export function buildModules(_input: ModelInput, _slices: Pick<AppModel, 'files' | 'workspaces'>): ModulesModel {
  return { resolve: () => undefined, definition: () => undefined, side: () => 'unreached', clientChain: () => undefined, clientEntries: [], importers: () => [], files: [] }
}
