import ignore from 'ignore'
import type { GitignoreFacts, LockfileFacts, PackageJsonFacts } from '../../facts/kinds.ts'
import { folderPrefix } from '../../lib/folder-prefix.ts'
import type { WorkspacesModel } from '../workspaces/workspaces.ts'
import type { UnlockedManifest } from './dependencies.ts'
import { type Manifests, nearestLock } from './direct-requests.ts'

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb']

/** Of the repository itself: no lock file says more of them. */
const LOCAL_DEPENDENCY_PROTOCOL = /^(?:workspace|file|link|portal):/

/** Manifests that ask for packages and that no lock file covers, or one that lists nothing; members of a workspace count through its root. */
export function findUnlocked(
  manifests: Manifests,
  locks: readonly { readonly dir: string; readonly path: string; readonly facts: LockfileFacts }[],
  gitignores: ReadonlyMap<string, GitignoreFacts>,
  workspaces: WorkspacesModel,
): UnlockedManifest[] {
  const found: UnlockedManifest[] = []
  for (const [dir, { path, facts }] of manifests) {
    const wanted = facts.dependencies.filter((d) => d.group !== 'peerDependencies')
    const empty = locks.find((l) => l.dir === dir && !l.facts.packages.length && wanted.some((d) => !LOCAL_DEPENDENCY_PROTOCOL.test(d.range)))
    if (!wanted.length || (!empty && isCovered(dir, manifests, locks))) continue
    if (empty && locks.some((l) => l.dir === dir && l.facts.packages.length)) continue
    // One finding at the root speaks for the members that would share its lock file.
    if (dir !== '' && (memberOf(dir, manifests) || isCopyOfPackage(facts, dir, locks))) continue
    const ignoredAt = whyIgnored(dir, gitignores)
    found.push({
      path,
      workspace: workspaces.of(path).dir,
      line: Math.min(...wanted.map((d) => d.line)),
      dependencies: wanted.length,
      ...(ignoredAt ? { ignoredAt } : {}),
      ...(empty ? { empty: empty.path } : {}),
    })
  }
  return found
}

function isCovered(dir: string, manifests: Manifests, locks: readonly { readonly dir: string; readonly facts: LockfileFacts }[]): boolean {
  const near = nearestLock(
    dir,
    locks.map((l) => l.dir),
  )
  if (near === undefined) return false
  if (near === dir) return true
  const relative = near === '' ? dir : dir.slice(near.length + 1)
  return locks.some(
    (l) =>
      l.dir === near &&
      (l.facts.importers.some((i) => i.dir === relative) || (!l.facts.importers.length && isMember(relative, manifests.get(near)?.facts.workspaces ?? []))),
  )
}

/** What a native build, or somebody by hand, copied of a package that a lock file has from the registry: nobody installs anything there. */
function isCopyOfPackage(
  { name, private: own }: PackageJsonFacts,
  dir: string,
  locks: readonly { readonly dir: string; readonly facts: LockfileFacts }[],
): boolean {
  return name !== undefined && !own && locks.some((l) => l.dir !== dir && l.facts.packages.some((p) => p.name === name))
}

/** The root above `dir` that lists it as a workspace. */
function memberOf(dir: string, manifests: Manifests): boolean {
  return [...manifests].some(
    ([root, m]) => root !== dir && (root === '' || dir.startsWith(`${root}/`)) && isMember(root === '' ? dir : dir.slice(root.length + 1), m.facts.workspaces),
  )
}

/** Workspace patterns are folder globs; gitignore patterns read them the same way. */
function isMember(relative: string, patterns: readonly string[]): boolean {
  if (!patterns.length) return false
  return ignore({ allowRelativePaths: true })
    .add(patterns.map((p) => (p.startsWith('!') ? `!/${p.slice(1)}` : `/${p.replace(/^\.\//, '')}`)))
    .ignores(relative)
}

function whyIgnored(dir: string, gitignores: ReadonlyMap<string, GitignoreFacts>): UnlockedManifest['ignoredAt'] {
  for (const [path, { lines }] of gitignores) {
    const root = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (root !== '' && dir !== root && !dir.startsWith(`${root}/`)) continue
    const relative = root === '' ? dir : dir.slice(root.length + 1)
    const prefix = folderPrefix(relative)
    for (const [i, pattern] of lines.entries()) {
      const rule = ignore().add(pattern)
      if (LOCK_FILES.some((name) => rule.ignores(prefix + name)) && !rule.ignores(`${prefix}package.json`))
        return { path, line: i + 1, pattern: pattern.trim() }
    }
  }
  return undefined
}
