import type { Route } from '../../../model/routes/routes.ts'

/** How many parts of their paths two handlers share: those that stand close to each other are written alike. */
export function sharedFolders({ path }: Pick<Route, 'path'>, other: Pick<Route, 'path'>): number {
  const folders = path.split('/')
  const others = other.path.split('/')
  const first = others.findIndex((part, i) => part !== folders[i])
  return first < 0 ? others.length : first
}
