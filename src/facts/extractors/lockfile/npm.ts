import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import { lineFinder } from '../../../lib/line-finder.ts'
import type { LockfileFacts, LockImporter } from '../../kinds.ts'
import { PackageTable, packageKey, record, strings } from './package-table.ts'

/** npm's package-lock.json and npm-shrinkwrap.json, `lockfileVersion` 1 to 3. */
export function parseNpm(text: string): LockfileFacts {
  const data = record(JSON.parse(text))
  const tree = parseTree(text)
  if (!data || !tree) throw new Error('is not a JSON object')
  const lineAt = lineFinder(text)
  const linesOf = (path: string[]) => new Map((findNodeAtLocation(tree, path)?.children ?? []).map((property) => [keyOf(property), lineAt(property.offset)]))
  const packages = record(data.packages)
  return packages ? fromPackages(packages, linesOf(['packages'])) : fromTree(data, tree, lineAt)
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value ?? '')
}

/** Versions 2 and 3: one flat map from the place in node_modules to the package. */
function fromPackages(packages: Record<string, unknown>, lines: ReadonlyMap<string, number>): LockfileFacts {
  const table = new PackageTable()
  const importers: LockImporter[] = []
  const nameOf = (place: string, entry: Record<string, unknown>) =>
    typeof entry.name === 'string' ? entry.name : place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

  /** What `name` means inside the package at `place`: the nearest node_modules upwards. */
  const resolve = (place: string, name: string): string | undefined => {
    for (let at: string | undefined = place; at !== undefined; at = parentOf(at)) {
      const candidate = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
      const entry = record(packages[candidate])
      if (!entry) continue
      if (entry.link === true) return undefined
      return typeof entry.version === 'string' ? packageKey(nameOf(candidate, entry), entry.version) : undefined
    }
    return undefined
  }
  const resolved = (place: string, names: Iterable<string>) => [...names].map((n) => resolve(place, n)).filter((k): k is string => k !== undefined)

  for (const [place, value] of Object.entries(packages)) {
    const entry = record(value)
    if (!entry) continue
    const production = [...strings(entry.dependencies), ...strings(entry.optionalDependencies)].map(([name]) => name)
    if (!place.includes('node_modules/')) {
      const direct = (names: Iterable<string>, dev: boolean) =>
        [...names].flatMap((name) => {
          const key = resolve(place, name)
          return key ? [{ name, resolved: key, dev }] : []
        })
      importers.push({
        dir: place,
        dependencies: [
          ...direct(production, false),
          ...direct(
            strings(entry.devDependencies).map(([n]) => n),
            true,
          ),
        ],
      })
    } else if (typeof entry.version === 'string' && entry.link !== true) {
      const peers = strings(entry.peerDependencies).map(([name]) => name)
      table.add({
        name: nameOf(place, entry),
        version: entry.version,
        line: lines.get(place) ?? 1,
        requires: resolved(place, [...production, ...peers]),
        dev: entry.dev === true,
      })
    }
  }
  return { format: 'npm', packages: table.list(), importers }
}

/** The folder one node_modules level up; undefined above the root. */
function parentOf(place: string): string | undefined {
  if (place === '') return undefined
  const at = place.lastIndexOf('/node_modules/')
  if (at !== -1) return place.slice(0, at)
  if (place.startsWith('node_modules/')) return ''
  // A workspace folder: packages are looked up in each folder above it.
  const slash = place.lastIndexOf('/')
  return slash === -1 ? '' : place.slice(0, slash)
}

/** Version 1: packages nested like their folders. It does not list what the manifest asks for: every top-level package is a candidate. */
function fromTree(data: Record<string, unknown>, tree: Node, lineAt: (offset: number) => number): LockfileFacts {
  const table = new PackageTable()
  const resolutions: Record<string, string> = {}
  type Scope = { readonly entries: Record<string, unknown>; readonly up?: Scope }
  const versionOf = (entry: unknown) => {
    const version = record(entry)?.version
    return typeof version === 'string' ? version : undefined
  }
  /** `npm:other@1.0.0` is an alias. */
  const keyOfEntry = (name: string, version: string) => (version.startsWith('npm:') ? version.slice(4) : packageKey(name, version))
  const resolve = (scope: Scope | undefined, name: string): string | undefined => {
    for (let s = scope; s; s = s.up) {
      const version = Object.hasOwn(s.entries, name) ? versionOf(s.entries[name]) : undefined
      if (version) return keyOfEntry(name, version)
    }
    return undefined
  }
  const walk = (scope: Scope, node: Node | undefined) => {
    const lines = new Map((node?.children ?? []).map((p) => [keyOf(p), p]))
    for (const [name, value] of Object.entries(scope.entries)) {
      const entry = record(value)
      const version = versionOf(entry)
      if (!entry || !version) continue
      const key = keyOfEntry(name, version)
      const at = key.indexOf('@', 1)
      const own = record(entry.dependencies)
      const inner: Scope = own ? { entries: own, up: scope } : scope
      const property = lines.get(name)
      const requires = strings(entry.requires)
        .map(([n]) => resolve(inner, n))
        .filter((k): k is string => k !== undefined)
      table.add({ name: key.slice(0, at), version: key.slice(at + 1), line: lineAt(property?.offset ?? 0), requires, dev: entry.dev === true })
      if (!scope.up) resolutions[name] = key
      if (own) {
        const body = property?.children?.[1]
        walk(inner, body && findNodeAtLocation(body, ['dependencies']))
      }
    }
  }
  walk({ entries: record(data.dependencies) ?? {} }, findNodeAtLocation(tree, ['dependencies']))
  return { format: 'npm', packages: table.list(), importers: [], resolutions }
}
