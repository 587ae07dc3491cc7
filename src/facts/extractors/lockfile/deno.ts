import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import { lineFinder } from '../../../lib/line-finder.ts'
import type { LockedDependency, LockfileFacts, LockImporter } from '../../kinds.ts'
import { PackageTable, record, splitKey, strings } from './package-table.ts'

/** deno.lock, versions 2 to 5: its npm packages, and npm packages that come as modules from esm.sh. */
export function parseDeno(text: string): LockfileFacts {
  const data = record(JSON.parse(text))
  const tree = parseTree(text)
  if (!data || !tree) throw new Error('is not a JSON object')
  const lineAt = lineFinder(text)
  const linesOf = (path: string[]) =>
    new Map((findNodeAtLocation(tree, path)?.children ?? []).map((p) => [String(p.children?.[0]?.value ?? ''), lineAt(p.offset)]))

  const nested = record(data.packages) // version 3 keeps them one level down, version 2 in `npm.packages`
  const inNpm = record(record(data.npm)?.packages)
  const npm = record(nested?.npm) ?? inNpm ?? record(data.npm) ?? {}
  const lines = linesOf(nested ? ['packages', 'npm'] : inNpm ? ['npm', 'packages'] : ['npm'])
  const specifiers = Object.fromEntries(strings(nested?.specifiers ?? record(data.npm)?.specifiers ?? data.specifiers))
  const versions = new Map<string, string>()
  for (const id of Object.keys(npm)) {
    const key = parseId(id)
    if (key) versions.set(key.name, versions.has(key.name) ? '' : key.version)
  }
  /** `name` alone is allowed where only one version is locked. */
  const resolve = (id: string): string | undefined => {
    const key = parseId(id)
    if (key) return `${key.name}@${key.version}`
    const only = versions.get(id)
    return only ? `${id}@${only}` : undefined
  }
  const table = new PackageTable()
  for (const [id, value] of Object.entries(npm)) {
    const key = parseId(id)
    if (!key) continue
    const wanted = record(value)?.dependencies
    const ids = Array.isArray(wanted) ? wanted.filter((w): w is string => typeof w === 'string') : strings(wanted).map(([, v]) => v)
    table.add({ ...key, line: lines.get(id) ?? 1, requires: ids.map(resolve).filter((k): k is string => k !== undefined) })
  }
  const direct: LockedDependency[] = []
  for (const [specifier, target] of Object.entries(specifiers)) {
    if (!specifier.startsWith('npm:')) continue
    const name = splitKey(specifier.slice(4))?.name ?? specifier.slice(4)
    const key = parseId(target.startsWith('npm:') ? target.slice(4) : `${name}@${target}`) ?? parseId(target)
    if (key && table.has(`${key.name}@${key.version}`)) direct.push({ name, resolved: `${key.name}@${key.version}` })
  }
  const remoteLines = linesOf(['remote'])
  for (const url of Object.keys(record(data.remote) ?? {})) {
    const module = /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/)?\*?((?:@[\w.-]+\/)?[\w.-]+)@(\d+\.\d+\.\d+[\w.+-]*)/.exec(url)
    const [, name, version] = module ?? []
    if (!name || !version) continue
    const resolved = `${name}@${version}`
    if (!table.has(resolved)) direct.push({ name, resolved })
    table.add({ name, version, line: remoteLines.get(url) ?? 1, requires: [] })
  }
  const importers: LockImporter[] = [{ dir: '', dependencies: direct }]
  return { format: 'deno', packages: table.list(), importers }
}

/** `name@1.0.0_peer@2.0.0` without the peers. */
function parseId(id: string): { name: string; version: string } | undefined {
  const key = splitKey(id)
  if (!key || !/^\d/.test(key.version)) return undefined
  const under = key.version.indexOf('_')
  return { name: key.name, version: under === -1 ? key.version : key.version.slice(0, under) }
}
