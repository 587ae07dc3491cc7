import { byproductRole } from '../../facts/byproducts.ts'
import type { Entry } from './entry.ts'
import type { Program } from './program.ts'

/** Why the handler of an entry is not there to be read: where it comes from instead. Undefined for entries with code, and for pages. */
export function lostHandler(program: Program, entry: Entry): string | undefined {
  if (entry.code || entry.kind === 'page') return undefined
  const js = program.js(entry.path)
  const fact = js?.exports.find((e) => e.name === entry.method) ?? js?.exports.find((e) => e.name === 'default')
  const imported = js?.imports.find((i) => i.bindings.some((b) => b.local === (fact?.local ?? fact?.name)))
  const from = fact?.from ?? imported?.from
  if (from === undefined) return 'its handler could not be found'
  const file = program.modules.resolve(entry.path, from)
  if (!file) return `its handler comes from ${from}, which is not in the repository`
  const role = byproductRole(file)
  if (role) return `its handler comes from ${file}, which is ${role === 'vendored' ? 'a copy of a package' : 'build output'} and was not read`
  return `its handler comes from ${file}, which exports no such name that could be read`
}
