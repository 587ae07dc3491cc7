import type { WorkspacesModel } from '../workspaces/workspaces.ts'
import { within } from './paths.ts'

/** Where a file of a Nuxt application lies: the application's folder, and that of the layer (the same without layers). */
export interface NuxtHome {
  readonly application: string
  readonly layer: string
}

/** The application and layer of a file. Nuxt scans `layers/*` by itself; a layer may have a manifest of its own. */
export function nuxtHome(path: string, workspaces: Pick<WorkspacesModel, 'of'>): NuxtHome {
  const dir = workspaces.of(path).dir
  const owner = /^(?:(.*)\/)?layers\/[^/]+$/.exec(dir)
  if (owner) return { application: owner[1] ?? '', layer: dir }
  const inside = /^layers\/[^/]+(?=\/)/.exec(within(dir, path))
  return { application: dir, layer: inside ? (dir === '' ? inside[0] : `${dir}/${inside[0]}`) : dir }
}
