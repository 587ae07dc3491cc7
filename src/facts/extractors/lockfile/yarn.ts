import { parse as parseYarnLockfile } from '@yarnpkg/lockfile'
import { parse as parseYaml } from 'yaml'
import type { LockedDependency, LockfileFacts, LockImporter } from '../../kinds.ts'
import { PackageTable, packageKey, record, strings } from './package-table.ts'

/** yarn.lock: classic (its own format) and berry (YAML with `__metadata`). */
export function parseYarn(text: string): LockfileFacts {
  return /^__metadata:/m.test(text) ? parseBerry(text) : parseClassic(text, keyLines(text))
}

/** Yarn's own format; `lines` is empty for text that was made from a binary file. */
export function parseClassic(text: string, lines: ReadonlyMap<string, number>, format: 'yarn' | 'bun' = 'yarn'): LockfileFacts {
  const result = parseYarnLockfile(withEndings(text))
  if (result.type === 'conflict') throw new Error('holds merge conflict markers')
  const resolutions: Record<string, string> = {}
  const entries = Object.entries(result.object)
  for (const [pattern, entry] of entries) {
    const requested = splitPattern(pattern)
    if (!requested || typeof entry.version !== 'string') continue
    resolutions[pattern] = packageKey(aliasTarget(requested.range) ?? requested.name, entry.version)
  }
  const table = new PackageTable()
  for (const [pattern, entry] of entries) {
    const key = resolutions[pattern]
    if (!key) continue
    const wants = [...strings(entry.dependencies), ...strings((entry as { optionalDependencies?: unknown }).optionalDependencies)]
    const requires = wants.map(([name, range]) => resolutions[`${name}@${range}`]).filter((k): k is string => k !== undefined)
    const at = key.indexOf('@', 1)
    table.add({ name: key.slice(0, at), version: key.slice(at + 1), line: lines.get(pattern) ?? 1, requires })
  }
  return { format, packages: table.list(), importers: [], resolutions }
}

/**
 * The library reads on without end, until memory is gone, behind a comment on a last line that is not ended and behind a quotation mark that
 * is not closed. Yarn writes strings on one line.
 */
function withEndings(text: string): string {
  text.split('\n').forEach((line, i) => {
    if (!line.includes('"') || line.trimStart().startsWith('#')) return
    let open = false
    for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) if (!open || line[at - 1] !== '\\' || line[at - 2] === '\\') open = !open
    if (open) throw new Error(`a quotation mark is not closed on line ${i + 1}`)
  })
  return `${text}\n`
}

/** `"a@npm:^1, a@npm:^2": { version, resolution, dependencies }`; the project's own workspaces are entries too. */
function parseBerry(text: string): LockfileFacts {
  const data = record(parseYaml(text, { maxAliasCount: 100, uniqueKeys: false }))
  if (!data) throw new Error('is not a YAML mapping')
  const lines = keyLines(text)
  const resolutions: Record<string, string> = {}
  const entries = Object.entries(data).flatMap(([keys, value]) => {
    const entry = record(value)
    return keys === '__metadata' || !entry || typeof entry.version !== 'string' ? [] : [{ patterns: keys.split(/,\s*/), entry }]
  })
  for (const { patterns, entry } of entries) {
    const key = berryKey(entry)
    if (key) for (const pattern of patterns) resolutions[pattern.replace('@npm:', '@')] = key
  }
  const resolve = (name: string, range: string): string | undefined => {
    const plain = range.replace(/^npm:/, '')
    return resolutions[`${name}@${plain}`]
  }
  const wants = (value: unknown): LockedDependency[] =>
    strings(value).flatMap(([name, range]) => {
      const resolved = resolve(name, range)
      return resolved ? [{ name, resolved }] : []
    })
  const table = new PackageTable()
  const importers: LockImporter[] = []
  for (const { patterns, entry } of entries) {
    const workspace = /@workspace:(.*)$/.exec(String(entry.resolution ?? ''))?.[1]
    if (workspace !== undefined) {
      importers.push({ dir: workspace === '.' ? '' : workspace, dependencies: wants(entry.dependencies) })
      continue
    }
    const key = berryKey(entry)
    if (!key) continue
    const at = key.indexOf('@', 1)
    table.add({
      name: key.slice(0, at),
      version: key.slice(at + 1),
      line: lines.get(patterns[0] as string) ?? 1,
      requires: wants(entry.dependencies).map((d) => d.resolved),
    })
  }
  return { format: 'yarn', packages: table.list(), importers, resolutions }
}

/** `name@version` from `resolution: "name@npm:1.0.0"`; patched packages count as what they patch. */
function berryKey(entry: Record<string, unknown>): string | undefined {
  const resolution = String(entry.resolution ?? '')
  const at = resolution.indexOf('@', 1)
  if (at === -1 || resolution.startsWith('workspace:', at + 1)) return undefined
  return packageKey(resolution.slice(0, at), String(entry.version))
}

function splitPattern(pattern: string): { name: string; range: string } | undefined {
  const at = pattern.indexOf('@', 1)
  return at === -1 ? undefined : { name: pattern.slice(0, at), range: pattern.slice(at + 1) }
}

/** The real name behind `npm:other@^1`. */
function aliasTarget(range: string): string | undefined {
  if (!range.startsWith('npm:')) return undefined
  const target = range.slice(4)
  const at = target.indexOf('@', 1)
  return at === -1 ? undefined : target.slice(0, at)
}

/** Line of every pattern; one line may hold several, separated by commas. */
function keyLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  text.split('\n').forEach((line, i) => {
    if (line === '' || line[0] === ' ' || line[0] === '#' || !line.trimEnd().endsWith(':')) return
    const keys = line.trimEnd().slice(0, -1)
    for (const key of keys.split(',')) lines.set(key.trim().replace(/^"|"$/g, ''), i + 1)
  })
  return lines
}
