import type { Blob, Snapshot, Source } from './source.ts'

const PROJECT_MANIFEST = /(?:^|\/)package\.json$/
const IS_INSTALLED = /(?:^|\/)node_modules\//
const IS_DATABASE = /(?:^|\/)supabase\//
const MAX_MANIFEST = 1 << 20

/** Folders with a package.json, without the root and what was installed, in code-unit order. `supabase/` is the database of all of them. */
export function projectsOf(snapshot: Pick<Snapshot, 'blobs'>): string[] {
  return snapshot.blobs
    .filter((b) => b.mode !== 'symlink' && PROJECT_MANIFEST.test(b.path) && b.path.includes('/') && !IS_INSTALLED.test(b.path) && !IS_DATABASE.test(b.path))
    .map((b) => b.path.slice(0, b.path.lastIndexOf('/')))
    .sort()
}

/**
 * A repository as one of its projects sees it: the folder of the project, the projects that its manifests name as dependencies, and what belongs to no
 * project. Other projects are left out of every snapshot and of the history.
 */
export function projectSource(source: Source, project: string): Source {
  const selections = new Map<string, Promise<(path: string) => boolean>>()
  const keeps = (commit: string) => {
    const known = selections.get(commit) ?? source.snapshot(commit).then((snapshot) => selectionOf(snapshot, source, project))
    selections.set(commit, known)
    return known
  }
  return {
    async snapshot(commit) {
      const [snapshot, isKept] = await Promise.all([source.snapshot(commit), keeps(commit)])
      return { ...snapshot, blobs: snapshot.blobs.filter((b) => isKept(b.path)) }
    },
    async history(commit, wanted) {
      const isKept = await keeps(commit)
      return source.history(commit, (path) => wanted(path) && isKept(path))
    },
    read: (shas) => source.read(shas),
    mergeBase: (base, head) => source.mergeBase(base, head),
  }
}

async function selectionOf(snapshot: Snapshot, source: Source, project: string): Promise<(path: string) => boolean> {
  const projects = projectsOf(snapshot)
  const manifests = await readManifests(snapshot, source, projects)
  const folderOf = new Map([...manifests].flatMap(([dir, { name }]) => (name ? [[name, dir] as const] : [])))
  const kept = new Set([project])
  // Grows while it is walked: dependencies of dependencies are kept as well.
  for (const dir of kept)
    for (const [at, { dependencies }] of manifests)
      if (isWithin(at, dir))
        for (const name of dependencies) {
          const found = folderOf.get(name)
          if (found !== undefined) kept.add(found)
        }
  const others = projects.filter((dir) => ![...kept].some((k) => isWithin(dir, k) || isWithin(k, dir)))
  return (path) => !others.some((dir) => path.startsWith(`${dir}/`))
}

const isWithin = (dir: string, parent: string): boolean => dir === parent || dir.startsWith(`${parent}/`)

interface Manifest {
  readonly name: string | undefined
  readonly dependencies: readonly string[]
}

async function readManifests(snapshot: Snapshot, source: Source, projects: readonly string[]): Promise<ReadonlyMap<string, Manifest>> {
  const wanted = new Set(projects.map((dir) => `${dir}/package.json`))
  const blobs = snapshot.blobs.filter((b) => wanted.has(b.path) && b.size <= MAX_MANIFEST)
  const contents = await source.read(blobs.map((b) => b.sha))
  return new Map(blobs.map((b) => [b.path.slice(0, -'/package.json'.length), manifestOf(b, contents)]))
}

/** A manifest that cannot be read names nothing. */
function manifestOf({ sha }: Blob, contents: ReadonlyMap<string, Uint8Array>): Manifest {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(contents.get(sha)))
    const fields = new Map(Object.entries(read ?? {}))
    const name = fields.get('name')
    const groups = [...fields].filter(([field]) => /dependencies$/i.test(field)).map(([, group]) => group)
    return { name: typeof name === 'string' ? name : undefined, dependencies: groups.flatMap((g) => (typeof g === 'object' && g ? Object.keys(g) : [])) }
  } catch {
    return { name: undefined, dependencies: [] }
  }
}
