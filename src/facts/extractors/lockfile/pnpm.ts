import { parseAllDocuments } from 'yaml'
import type { LockedDependency, LockfileFacts, LockImporter } from '../../kinds.ts'
import { PackageTable, record, splitKey } from './package-table.ts'

/** pnpm-lock.yaml of pnpm 5 to 10 (`lockfileVersion` 5.x, 6.x and 9.x). */
export function parsePnpm(text: string): LockfileFacts {
  const documents = parseAllDocuments(text, { uniqueKeys: false })
  // Newer files begin with a document about pnpm itself; the project's own is the last one.
  const data = record((Array.isArray(documents) ? documents : []).at(-1)?.toJS({ maxAliasCount: 100 }))
  if (!data) throw new Error('is not a YAML mapping')
  const lines = packageLines(text)
  const table = new PackageTable()
  const packages = record(data.packages) ?? {}
  const snapshots = record(data.snapshots)
  const source = snapshots ?? packages
  for (const [id, value] of Object.entries(source)) {
    const key = parseId(id)
    if (!key) continue
    const entry = record(value) ?? {}
    const requires = [...dependenciesOf(entry.dependencies), ...dependenciesOf(entry.optionalDependencies)].map((d) => d.resolved)
    const dev = typeof entry.dev === 'boolean' ? entry.dev : undefined
    table.add({ ...key, line: lines.get(stripPeers(id)) ?? lines.get(id) ?? 1, requires, dev })
  }
  const importers: LockImporter[] = []
  const own = record(data.importers) ?? { '.': data }
  for (const [dir, value] of Object.entries(own)) {
    const entry = record(value)
    if (!entry) continue
    importers.push({
      dir: dir === '.' ? '' : dir,
      dependencies: [
        ...dependenciesOf(entry.dependencies, false),
        ...dependenciesOf(entry.optionalDependencies, false),
        ...dependenciesOf(entry.devDependencies, true),
      ],
    })
  }
  return { format: 'pnpm', packages: table.list(), importers }
}

/** `name: version` or `name: { specifier, version }`; links into the workspace are left out. */
function dependenciesOf(value: unknown, dev?: boolean): LockedDependency[] {
  return Object.entries(record(value) ?? {}).flatMap(([name, v]) => {
    const version = typeof v === 'string' ? v : record(v)?.version
    if (typeof version !== 'string' || /^(link|file|workspace|portal):/.test(version)) return []
    const key = /^\d/.test(version) ? { name, version: stripPeers(version) } : parseId(version)
    return key ? [{ name, resolved: `${key.name}@${key.version}`, ...(dev === undefined ? {} : { dev }) }] : []
  })
}

/** `/name/1.0.0_peer`, `/name@1.0.0(peer)` and `name@1.0.0(peer)`; undefined for git and tarball packages. */
function parseId(id: string): { name: string; version: string } | undefined {
  const plain = stripPeers(id.startsWith('/') ? id.slice(1) : id)
  const at = splitKey(plain)
  if (at && /^\d+\./.test(at.version)) return at
  const slash = plain.lastIndexOf('/')
  const name = plain.slice(0, slash)
  const version = plain.slice(slash + 1)
  return slash > 0 && /^\d+\./.test(version) && /^(@[^/]+\/)?[^/@]+$/.test(name) ? { name, version } : undefined
}

/** Without the peers that pnpm appends: `(react@18.0.0)` since version 6, `_react@18.0.0` before. */
function stripPeers(id: string): string {
  const paren = id.indexOf('(')
  const plain = paren === -1 ? id : id.slice(0, paren)
  // Names may hold an underscore, versions may not.
  const version = /^\d/.test(plain) ? 0 : plain.search(/[/@]\d+\./)
  const under = version === -1 ? -1 : plain.indexOf('_', version)
  return under === -1 ? plain : plain.slice(0, under)
}

/** Line of each key under `packages:` (and `snapshots:` where a package appears only there). */
function packageLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  let section = ''
  text.split('\n').forEach((line, i) => {
    if (/^[a-zA-Z]/.test(line)) section = line.slice(0, line.indexOf(':'))
    else if ((section === 'packages' || section === 'snapshots') && line.startsWith('  ') && line[2] !== ' ') {
      const end = line.lastIndexOf(':', line.endsWith('{}') ? line.length - 3 : line.length)
      const key = line.slice(2, end).replace(/^['"]|['"]$/g, '')
      if (end > 2 && !lines.has(key)) lines.set(key, i + 1)
    }
  })
  return lines
}
