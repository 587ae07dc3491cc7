import type { JavaScriptFacts } from '../../facts/javascript.ts'
import type { Resolve } from './resolve.ts'

/** Barrels that lead to barrels are followed as far as this. */
const MAX_HOPS = 24

/**
 * Where a name may come from that a file gives away by `export * from`: the files behind it that export the name themselves, in the order in which
 * they are met. What a barrel leads to is walked once, however many names are looked for.
 */
export function createStarExports(js: ReadonlyMap<string, JavaScriptFacts>, resolve: Resolve): (path: string, name: string) => readonly string[] {
  const tables = new Map<string, ReadonlyMap<string, readonly string[]>>()
  return (path, name) => {
    let table = tables.get(path)
    if (!table) {
      table = tableOf(path)
      tables.set(path, table)
    }
    return table.get(name) ?? NO_ORIGINS
  }

  function tableOf(path: string): ReadonlyMap<string, readonly string[]> {
    const table = new Map<string, string[]>()
    const seen = new Set([path])
    const follow = (from: string, hops: number): void => {
      for (const e of js.get(from)?.exports ?? []) {
        const target = e.name === '*' && e.from !== undefined ? resolve(from, e.from) : undefined
        if (target === undefined || seen.has(target)) continue
        seen.add(target)
        for (const name of namesOf(js.get(target))) {
          const known = table.get(name)
          if (known) known.push(target)
          else table.set(name, [target])
        }
        if (hops < MAX_HOPS) follow(target, hops + 1)
      }
    }
    follow(path, 0)
    return table
  }
}

const NO_ORIGINS: readonly string[] = []

/** What a file exports by name itself; members of `module.exports = { a, b }` are read by name too. */
function namesOf(js: JavaScriptFacts | undefined): ReadonlySet<string> {
  const names = new Set<string>()
  for (const e of js?.exports ?? []) {
    if (e.name === '*') continue
    if (e.name !== 'default') names.add(e.name)
    else if (e.value?.k === 'obj') for (const p of e.value.props) if (p.key !== undefined) names.add(p.key)
  }
  return names
}
