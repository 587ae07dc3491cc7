import type { Workspace } from '../workspaces/workspaces.ts'

const MAX_TARGETS = 24

/** Files of a workspace package that a sub-path of it may mean, best first: its exports map, its main fields, its source folder. */
export function packageTargets(workspace: Workspace, subpath: string): string[] {
  const fields = workspace.manifest?.fields ?? {}
  const found: string[] = []
  const add = (target: string) => {
    const clean = target.replace(/^\.\//, '')
    found.push(clean)
    // What is published is built; what is committed is its source.
    const source = clean.replace(/^(dist|build|lib|out)\/(esm\/|cjs\/|src\/)?/, 'src/')
    if (source !== clean) found.push(source, source.replace(/^src\//, ''))
  }
  for (const target of mapTargets(fields.exports, subpath === '' ? '.' : `./${subpath}`)) add(target)
  if (subpath === '') {
    for (const key of ['module', 'main', 'browser', 'types']) {
      const value = fields[key]
      if (typeof value === 'string') add(value)
    }
    found.push('src/index', 'index', 'src')
  } else found.push(subpath, `src/${subpath}`)
  return [...new Set(found)].slice(0, MAX_TARGETS)
}

/** The targets of a key in an `exports` or `imports` map, all conditions, in the order written; patterns with `*` included. */
export function mapTargets(map: unknown, key: string): string[] {
  if (typeof map === 'string' || Array.isArray(map)) return key === '.' ? leaves(map, '') : []
  const entries = record(map)
  if (!entries) return []
  if (!Object.keys(entries).some((k) => k.startsWith('.') || k.startsWith('#'))) return key === '.' ? leaves(map, '') : []
  if (key in entries) return leaves(entries[key], '')
  let best: { targets: unknown; middle: string; length: number } | undefined
  for (const [pattern, targets] of Object.entries(entries)) {
    const star = pattern.indexOf('*')
    const prefix = star === -1 ? (pattern.endsWith('/') ? pattern : undefined) : pattern.slice(0, star)
    if (prefix === undefined || !key.startsWith(prefix)) continue
    const suffix = star === -1 ? '' : pattern.slice(star + 1)
    if (!key.endsWith(suffix) || key.length < prefix.length + suffix.length) continue
    if (!best || prefix.length > best.length) best = { targets, middle: key.slice(prefix.length, key.length - suffix.length), length: prefix.length }
  }
  return best ? leaves(best.targets, best.middle) : []
}

function leaves(value: unknown, middle: string, depth = 0): string[] {
  if (typeof value === 'string') return [value.endsWith('/') ? value + middle : value.replaceAll('*', () => middle)]
  if (depth > 6 || value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap((v) => leaves(v, middle, depth + 1))
}

function record(value: unknown): Record<string, unknown> | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}
