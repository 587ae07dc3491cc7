import type { FactsIndex } from '../../facts/facts.ts'
import { keptMap } from '../../lib/memo/map-by-key.ts'
import type { Resolve } from './resolve.ts'

const MAX_HOPS = 32

/** Where something is defined, and under which name there. */
interface Definition {
  readonly path: string
  readonly local: string
  readonly line: number
}

/** Follows an exported name through barrels, re-exports and re-exported imports to the file that defines it. */
export function createDefinition(facts: FactsIndex, resolve: Resolve) {
  const js = facts.of('javascript')
  const found = new Map<string, Map<string, Definition | undefined>>()
  return (path: string, name: string): Definition | undefined => {
    const ofFile = keptMap(found, path)
    if (!ofFile.has(name)) ofFile.set(name, definition(path, name))
    return ofFile.get(name)
  }

  function definition(path: string, name: string, hops = 0): Definition | undefined {
    const file = js.get(path)
    if (!file || hops > MAX_HOPS) return undefined
    const own = file.exports.find((e) => e.name === name && e.name !== '*')
    if (own) {
      if (own.from !== undefined) return through(path, own.from, own.imported ?? name, hops)
      if (own.local === undefined) return { path, local: name, line: own.l }
      for (const i of file.imports) {
        const binding = i.bindings.find((b) => b.local === own.local)
        if (binding) return through(path, i.from, binding.imported, hops) ?? undefined
      }
      return { path, local: own.local, line: declarationLine(path, own.local) ?? own.l }
    }
    if (name === 'default') return undefined
    for (const e of file.exports) {
      if (e.name !== '*' || e.from === undefined) continue
      const found = through(path, e.from, name, hops)
      if (found) return found
    }
    return undefined
  }

  function through(path: string, from: string, imported: string, hops: number) {
    const target = resolve(path, from)
    if (target === undefined) return undefined
    return imported === '*' ? { path: target, local: '*', line: 1 } : definition(target, imported, hops + 1)
  }

  function declarationLine(path: string, local: string): number | undefined {
    for (const s of js.get(path)?.functions[0]?.body ?? []) {
      if ((s.k === 'function' || s.k === 'class') && s.name === local) return s.l
      if (s.k === 'let' && s.to.k === 'name' && s.to.name === local) return s.l
    }
    return undefined
  }
}
