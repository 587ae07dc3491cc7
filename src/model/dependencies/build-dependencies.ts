import type { LockfileFacts } from '../../facts/kinds.ts'
import type { AppModel } from '../app-model.ts'
import { fileRole } from '../files/files.ts'
import type { ModelInput } from '../model-input.ts'
import type { DependenciesModel, LockSummary, VulnerablePackage } from './dependencies.ts'
import { type DirectRequest, directRequests, isInSync, type Manifests } from './direct-requests.ts'
import { fixedVersion, matchAdvisories } from './match-advisories.ts'
import { packageGraph } from './package-graph.ts'
import { findUnlocked } from './unlocked.ts'

interface Lock {
  readonly path: string
  readonly dir: string
  readonly facts: LockfileFacts
}

/** The dependencies slice: what is locked, why it is there, and which advisories affect it. */
export function buildDependencies(input: ModelInput, slices: Pick<AppModel, 'workspaces'>): DependenciesModel {
  const manifests = new Map([...input.facts.of('package-json')].filter(([path]) => isProject(path)).map(([path, facts]) => [folderOf(path), { path, facts }]))
  const locks: Lock[] = [...input.facts.of('lockfile')].filter(([path]) => isProject(path)).map(([path, facts]) => ({ path, dir: folderOf(path), facts }))
  const requests = new Map(
    locks.map((lock) => [
      lock,
      directRequests(
        lock,
        manifests,
        locks.map((l) => l.dir),
      ),
    ]),
  )
  const superseded = supersede(locks, requests, manifests)

  const found = new Map<string, VulnerablePackage>()
  const affecting = matchAdvisories(input.advisories.advisories)
  for (const lock of locks) {
    if (superseded.has(lock)) continue
    const graph = packageGraph(lock.facts.packages, requests.get(lock) ?? [])
    for (const p of lock.facts.packages) {
      const advisories = affecting(p.name, p.version)
      if (!advisories.length) continue
      const key = `${p.name}@${p.version}`
      const at = { path: lock.path, line: p.line }
      const known = found.get(key)
      const { production, chain, through, direct } = graph(p)
      const entry: VulnerablePackage = {
        name: p.name,
        version: p.version,
        lock: lock.path,
        format: lock.facts.format,
        at,
        production,
        ...(direct ? { direct } : {}),
        chain,
        ...(through ? { through } : {}),
        advisories,
        ...withFix(fixedVersion(advisories)),
        also: [],
      }
      found.set(key, known ? join(known, entry) : entry)
    }
  }
  return {
    advisories: input.advisories,
    locks: locks.map((lock): LockSummary => {
      const by = superseded.get(lock)
      return { path: lock.path, format: lock.facts.format, packages: lock.facts.packages.length, ...(by ? { supersededBy: by.path } : {}) }
    }),
    unlocked: findUnlocked(manifests, locks, input.facts.of('gitignore'), slices.workspaces),
    vulnerable: [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, v]) => v),
  }
}

/** Every `name@version` that the lock files hold, sorted: what an advisory source is asked for. */
export function lockedPackageKeys(locks: Iterable<LockfileFacts>): string[] {
  const keys = new Set<string>()
  for (const lock of locks) for (const p of lock.packages) keys.add(`${p.name}@${p.version}`)
  return [...keys].sort()
}

const isProject = (path: string) => !['test', 'example', 'vendored', 'generated'].includes(fileRole(path))

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

function withFix(fixedIn: string | undefined): { fixedIn?: string } {
  return fixedIn ? { fixedIn } : {}
}

/** One version in two lock files is one finding: production and direct win, the other place is kept. */
function join(a: VulnerablePackage, b: VulnerablePackage): VulnerablePackage {
  const [main, other] = (b.production && !a.production) || (b.direct && !a.direct && b.production === a.production) ? [b, a] : [a, b]
  return { ...main, also: [...a.also, ...b.also, other.at] }
}

/**
 * Of two lock files in one folder only one decides what is installed: the one that `packageManager` names, otherwise the one
 * that agrees with the manifest, otherwise npm's.
 */
function supersede(locks: readonly Lock[], requests: ReadonlyMap<Lock, readonly DirectRequest[]>, manifests: Manifests): Map<Lock, Lock> {
  const superseded = new Map<Lock, Lock>()
  const byDir = Map.groupBy(
    locks.filter((l) => l.facts.format !== 'deno'),
    (l) => l.dir,
  )
  for (const [dir, group] of byDir) {
    if (group.length < 2) continue
    const manifest = manifests.get(dir)?.facts
    const named = String(manifest?.fields.packageManager ?? '').split('@', 1)[0]
    const rank = (lock: Lock): number => {
      if (!lock.facts.packages.length) return 3
      if (lock.facts.format === named) return 0
      if (!manifest || !isInSync(manifest, requests.get(lock) ?? [])) return 2
      return 1
    }
    const order = ['npm', 'pnpm', 'yarn', 'bun']
    const [first, ...rest] = [...group].sort(
      (a, b) => rank(a) - rank(b) || order.indexOf(a.facts.format) - order.indexOf(b.facts.format) || (a.path < b.path ? -1 : 1),
    )
    for (const lock of rest) superseded.set(lock, first as Lock)
  }
  return superseded
}
