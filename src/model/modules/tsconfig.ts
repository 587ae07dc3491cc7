import type { FactsIndex } from '../../facts/facts.ts'
import { dirname, join } from './paths.ts'

/** `paths` and `baseUrl` of a TypeScript or JavaScript project, made relative to the repository. */
export interface PathAliases {
  readonly baseUrl?: string
  readonly paths: readonly { readonly prefix: string; readonly suffix: string; readonly exact: boolean; readonly targets: readonly string[] }[]
}

const MAX_EXTENDS = 8

/** Project configurations by folder: tsconfig.json, jsconfig.json and what they reference. */
export function readProjects(facts: FactsIndex, packageDir: (name: string) => string | undefined): ReadonlyMap<string, readonly PathAliases[]> {
  const configs = facts.of('config-file')
  const projects = new Map<string, PathAliases[]>()
  for (const path of configs.keys()) {
    if (!/(^|\/)[jt]sconfig(\.[\w-]+)?\.json$/.test(path)) continue
    const aliases = aliasesOf(path, 0)
    if (!aliases) continue
    const dir = dirname(path)
    const list = projects.get(dir) ?? []
    // The main file of a folder speaks first.
    if (/(^|\/)[jt]sconfig\.json$/.test(path)) list.unshift(aliases)
    else list.push(aliases)
    projects.set(dir, list)
  }
  return projects

  function aliasesOf(path: string, depth: number): PathAliases | undefined {
    const data = record(configs.get(path)?.data)
    if (!data || depth > MAX_EXTENDS) return undefined
    const dir = dirname(path)
    const options = record(data.compilerOptions)
    const own = options ? ownAliases(options, dir) : undefined
    let inherited: PathAliases | undefined
    for (const parent of typeof data.extends === 'string' ? [data.extends] : Array.isArray(data.extends) ? data.extends : []) {
      const target = typeof parent === 'string' ? extended(dir, parent) : undefined
      const found = target !== undefined && target !== path ? aliasesOf(target, depth + 1) : undefined
      if (found) inherited = { ...inherited, ...found, paths: found.paths.length > 0 ? found.paths : (inherited?.paths ?? []) }
    }
    const baseUrl = own?.baseUrl ?? inherited?.baseUrl
    const paths = own && own.paths.length > 0 ? own.paths : (inherited?.paths ?? [])
    return baseUrl === undefined && paths.length === 0 ? undefined : { ...(baseUrl === undefined ? {} : { baseUrl }), paths }
  }

  function extended(dir: string, parent: string): string | undefined {
    let base: string | undefined
    if (parent.startsWith('.')) base = join(dir, parent)
    else {
      const name = /^(@[^/]+\/[^/]+|[^/]+)(?:\/(.*))?$/.exec(parent)
      const folder = name ? packageDir(name[1] as string) : undefined
      base = folder === undefined ? undefined : join(folder, name?.[2] ?? 'tsconfig.json')
    }
    if (base === undefined) return undefined
    return [base, `${base}.json`, `${base}/tsconfig.json`].find((p) => configs.has(p))
  }
}

function ownAliases(options: Record<string, unknown>, dir: string): PathAliases {
  const baseUrl = typeof options.baseUrl === 'string' ? join(dir, options.baseUrl.replace(/^\$\{configDir\}/, '.')) : undefined
  const paths = Object.entries(record(options.paths) ?? {}).flatMap(([pattern, targets]) => {
    if (!Array.isArray(targets)) return []
    const star = pattern.indexOf('*')
    const resolved = targets.flatMap((t) => (typeof t === 'string' ? (join(baseUrl ?? dir, t.replace(/^\$\{configDir\}/, '.')) ?? []) : []))
    return [
      { prefix: star === -1 ? pattern : pattern.slice(0, star), suffix: star === -1 ? '' : pattern.slice(star + 1), exact: star === -1, targets: resolved },
    ]
  })
  // TypeScript prefers the longest prefix.
  paths.sort((a, b) => Number(b.exact) - Number(a.exact) || b.prefix.length - a.prefix.length)
  return { ...(baseUrl === undefined ? {} : { baseUrl }), paths }
}

/** Where the aliases send a specifier, in order of preference. */
export function aliasTargets(aliases: PathAliases, specifier: string): string[] {
  const found: string[] = []
  for (const p of aliases.paths) {
    if (
      p.exact
        ? specifier !== p.prefix
        : !(specifier.length >= p.prefix.length + p.suffix.length && specifier.startsWith(p.prefix) && specifier.endsWith(p.suffix))
    )
      continue
    const middle = p.exact ? '' : specifier.slice(p.prefix.length, specifier.length - p.suffix.length)
    for (const t of p.targets) found.push(t.replace('*', () => middle))
  }
  if (aliases.baseUrl !== undefined) {
    const target = join(aliases.baseUrl, specifier)
    if (target !== undefined) found.push(target)
  }
  return found
}

function record(value: unknown): Record<string, unknown> | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}
