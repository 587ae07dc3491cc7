import type { FactsIndex } from '../../facts/facts.ts'
import type { PackageJsonFacts } from '../../facts/kinds.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'

/** A folder with a package.json (or the root, or `supabase/functions`), and what it depends on. */
export interface Workspace {
  /** '' for the root. */
  readonly dir: string
  readonly name: string
  readonly manifest?: PackageJsonFacts
  readonly manifestPath?: string
}

export interface WorkspacesModel {
  /** Innermost folders last; the root is always first. */
  readonly all: readonly Workspace[]
  /** The innermost workspace that holds the path. */
  of(path: string): Workspace
  /** True when the workspace of `path`, or the root, names the package. */
  uses(packageName: string, path?: string): boolean
}

/** The workspaces slice. */
export const buildWorkspaces = (facts: FactsIndex): WorkspacesModel => workspacesOf(facts.of('package-json'))

/** Folders of paths that are kept; with the same manifests the next audit asks for the same. */
const MAX_KNOWN = 100_000

const workspacesOf = rememberFor((manifests: ReadonlyMap<string, PackageJsonFacts>): WorkspacesModel => {
  const all: Workspace[] = []
  if (!manifests.has('package.json')) all.push({ dir: '', name: '' })
  for (const [path, manifest] of manifests) {
    const dir = path === 'package.json' ? '' : path.slice(0, -'/package.json'.length)
    all.push({ dir, name: manifest.name ?? dir, manifest, manifestPath: path })
  }
  all.sort((a, b) => (a.dir < b.dir ? -1 : a.dir > b.dir ? 1 : 0))
  const known = new Map<string, Workspace>()
  const of = (path: string): Workspace => {
    const found = known.get(path)
    if (found) return found
    let best = all[0] as Workspace
    for (const w of all) if ((w.dir === '' || path.startsWith(`${w.dir}/`)) && w.dir.length >= best.dir.length) best = w
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(path, best)
    return best
  }
  const dependencies = new Map(all.map((w) => [w, new Set(w.manifest?.dependencies.map((d) => d.name))]))
  const names = (w: Workspace, name: string) => dependencies.get(w)?.has(name) ?? false
  return {
    all,
    of,
    uses: (name, path) => (path === undefined ? all.some((w) => names(w, name)) : names(of(path), name) || names(all[0] as Workspace, name)),
  }
})
