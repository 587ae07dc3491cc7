import { reachesStoredData } from '../../../lexicon/data-access.ts'
import { HELPER_PACKAGES } from '../../../lexicon/helper-packages.ts'
import type { Val } from '../domain/abstract-value.ts'
import type { LibraryCall } from './library.ts'

const MAX_SINKS = 20

/** Notes a call of a package without a model that by its name reads or changes stored data, with something of the request in it. */
export function noteUnknownSink({ it, root, links, args, name, at }: LibraryCall): void {
  const method = links.at(-1)?.name ?? ''
  if (it.quiet || it.sinks.length >= MAX_SINKS || root.v !== 'lib' || root.pkg.startsWith('.') || HELPER_PACKAGES.test(root.pkg)) return
  if (!reachesStoredData(method) || !args.some((a) => bringsRequest(a, 0))) return
  if (!it.sinks.some((s) => s.at.path === at.path && s.at.line === at.line)) it.sinks.push({ at, name, from: root.pkg })
}

/** Whether a value is, or holds, something that the request brought and nothing has narrowed. */
function bringsRequest(val: Val, depth: number): boolean {
  if (depth > 4) return false
  const next = (v: Val): boolean => bringsRequest(v, depth + 1)
  switch (val.v) {
    case 'request':
      return true
    case 'object':
      return Object.values(val.props).some(next) || (val.rest !== undefined && next(val.rest))
    case 'array':
      return val.items.some(next)
    case 'text':
      return val.parts.some(next)
    case 'call':
      return val.args.some(next)
    case 'any':
      return val.alts.some((a) => next(a.value))
    default:
      return false
  }
}
