import semver from 'semver'
import type { LockfileFacts, PackageDependency, PackageJsonFacts } from '../../facts/kinds.ts'
import type { DirectDependency } from './dependencies.ts'

/** The projects' manifests by their folder. */
export type Manifests = ReadonlyMap<string, { readonly path: string; readonly facts: PackageJsonFacts }>

/** A manifest's wish and the package that the lock file gives for it. */
export interface DirectRequest {
  /** `name@version`. */
  readonly resolved: string
  readonly production: boolean
  /** The manifest's entry; absent when the lock file names a dependency that the manifest does not (or there is none). */
  readonly entry?: DirectDependency
}

/** What the manifests covered by a lock file ask for: from the lock file itself where it says so, otherwise by looking the ranges up. */
export function directRequests(
  lock: { readonly dir: string; readonly facts: LockfileFacts },
  manifests: Manifests,
  lockDirs: readonly string[],
): DirectRequest[] {
  const inside = (dir: string) => (lock.dir === '' ? dir : dir === '' ? lock.dir : `${lock.dir}/${dir}`)
  if (lock.facts.importers.length) {
    return lock.facts.importers.flatMap((importer) => {
      const manifest = manifests.get(inside(importer.dir))
      return importer.dependencies.map((d): DirectRequest => {
        const entry = manifest?.facts.dependencies.find((m) => m.name === d.name)
        const dev = d.dev ?? entry?.group === 'devDependencies'
        return { resolved: d.resolved, production: !dev, ...(entry && manifest ? { entry: entryOf(manifest.path, entry) } : {}) }
      })
    })
  }
  const byName = Map.groupBy(lock.facts.packages, (p) => p.name)
  const requests: DirectRequest[] = []
  for (const [dir, manifest] of manifests) {
    if (nearestLock(dir, lockDirs) !== lock.dir) continue
    for (const d of manifest.facts.dependencies) {
      if (d.group === 'peerDependencies') continue
      const resolved = lock.facts.resolutions?.[`${d.name}@${d.range}`] ?? lock.facts.resolutions?.[d.name] ?? best(byName.get(d.name) ?? [], d.range)
      if (resolved) requests.push({ resolved, production: d.group !== 'devDependencies', entry: entryOf(manifest.path, d) })
    }
  }
  return requests
}

/** True when every package of the manifest is in the lock file. */
export function isInSync(manifest: PackageJsonFacts, requests: readonly DirectRequest[]): boolean {
  const given = new Set(requests.map((r) => r.entry?.name))
  return manifest.dependencies.every(
    (d) =>
      d.group === 'peerDependencies' || d.group === 'optionalDependencies' || /^(workspace|link|file|portal|git|https?)/.test(d.range) || given.has(d.name),
  )
}

/** The innermost folder with a lock file at or above `dir`. */
export function nearestLock(dir: string, lockDirs: readonly string[]): string | undefined {
  return lockDirs.filter((l) => l === '' || l === dir || dir.startsWith(`${l}/`)).sort((a, b) => b.length - a.length)[0]
}

function entryOf(path: string, d: PackageDependency): DirectDependency {
  return { path, line: d.line, name: d.name, range: d.range }
}

function best(candidates: readonly { readonly name: string; readonly version: string }[], range: string): string | undefined {
  const fitting = candidates.filter((c) => semver.satisfies(c.version, range, { loose: true }))
  const pick = (fitting.length ? fitting : candidates).toSorted((a, b) => semver.compareLoose(b.version, a.version))[0]
  return pick && `${pick.name}@${pick.version}`
}
