import { CONFIG_PATH } from '../config/config.ts'
import type { Blob } from '../source/source.ts'
import { byproductRole } from './byproducts.ts'
import { extractorsFor } from './extract.ts'
import type { FactKind } from './facts.ts'

/** Read in every text file, or of no meaning without others: a README and an ignore file are no application. */
const OF_ANY_FOLDER: ReadonlySet<FactKind> = new Set(['secrets', 'gitignore'])

/** How many files are of a kind that a check judges (code, SQL, env files, manifests, lock files, configuration), what tools generate left out. */
export function countAuditable(blobs: readonly Blob[]): number {
  return blobs.filter((b) => isAuditable(b)).length
}

function isAuditable({ path, mode }: Blob): boolean {
  if (mode === 'symlink' || mode === 'submodule' || path === CONFIG_PATH || byproductRole(path)) return false
  return extractorsFor(path).some((e) => !OF_ANY_FOLDER.has(e.kind))
}
