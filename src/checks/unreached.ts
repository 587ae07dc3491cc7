import type { ModulesModel } from '../model/modules/modules.ts'

/** Whether nothing that a browser loads imports a file, in an application whose pages are known: what stands in it is in no bundle. */
export const isUnreached = (path: string, { side, clientEntries }: Pick<ModulesModel, 'side' | 'clientEntries'>): boolean =>
  clientEntries.length > 0 && side(path) === 'unreached'
