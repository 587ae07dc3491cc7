import { renameVariable } from '../../lib/rewrite-javascript.ts'
import type { PublicVariable } from '../../model/env/env.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import type { Fix } from '../define-check.ts'

/**
 * Dropping the public prefix is the whole change when one place of server code reads the variable and no file of the repository defines it.
 * Where browsers read it, another name alone would only break the page.
 */
export function renameOnServer(v: PublicVariable, modules: ModulesModel): Pick<Fix, 'rewrite'> {
  const [read, ...others] = v.reads
  if (!read || others.length || v.definitions.length || !v.prefix || modules.clientChain(read.path) !== undefined) return {}
  return { rewrite: { path: read.path, line: read.line, apply: renameVariable(v.name, v.bare) } }
}
