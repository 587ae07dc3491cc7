import { isDeepStrictEqual } from 'node:util'
import { byproductRole } from '../../facts/byproducts.ts'
import type { FactsIndex } from '../../facts/facts.ts'
import { keptMap } from '../../lib/memo/map-by-key.ts'
import type { Workspace, WorkspacesModel } from '../workspaces/workspaces.ts'
import { type BundlerAlias, bundlerTarget, readBundlerAliases } from './bundler-aliases.ts'
import { nuxtHome } from './nuxt-layers.ts'
import { mapTargets, packageTargets } from './packages.ts'
import { ancestors, dirname, join } from './paths.ts'
import { aliasTargets, type PathAliases, readProjects } from './tsconfig.ts'

const EXTENSIONS = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.vue',
  '.svelte',
  '.astro',
  '.native.tsx',
  '.native.ts',
  '.web.tsx',
  '.web.ts',
  '.ios.tsx',
  '.json',
  '.d.ts',
]
/** What Vite hands over as a string, the text of a file or its address: nothing in that file runs where it is imported. */
const AS_TEXT = /[?&](?:raw|url)(?:&|$)/
/** What a compiled file is written in. */
const IS_SOURCE = /(?<!\.d)\.(?:[cm]?ts|tsx|jsx)$/
/** What a compiled extension is written as. */
const SOURCE_OF: Readonly<Record<string, readonly string[]>> = { '.js': ['.ts', '.tsx', '.jsx'], '.jsx': ['.tsx'], '.mjs': ['.mts'], '.cjs': ['.cts'] }
/** Aliases that frameworks and templates set without a file in the repository that says so. */
const CONVENTIONS: readonly { readonly prefix: string; readonly folders: readonly string[] }[] = [
  { prefix: '$lib/', folders: ['src/lib'] },
  { prefix: '~~/', folders: [''] },
  { prefix: '@@/', folders: [''] },
  { prefix: '@/', folders: ['src', '', 'app'] },
  { prefix: '~/', folders: ['app', 'src', ''] },
  { prefix: '#layers/', folders: ['layers'] },
]

export type Resolve = (fromPath: string, specifier: string) => string | undefined

/** What specifiers meant, and everything that decided it. */
export interface ResolverMemory {
  readonly ground: readonly unknown[]
  readonly aliases: ReadonlyMap<string, readonly BundlerAlias[]>
  readonly found: Map<string, string | undefined>
  /** The same by the importing file and by what stands there: the strings of the facts, which are quicker to look up than new ones. */
  readonly byFile: Map<string, Map<string, string | undefined>>
}

/** Resolves specifiers as the bundlers of the supported frameworks do, on the files of the snapshot alone. */
export function createResolver(paths: Iterable<string>, facts: FactsIndex, workspaces: WorkspacesModel, memory: { resolver?: ResolverMemory } = {}): Resolve {
  const known = new Set(paths)
  const byName = new Map(workspaces.all.flatMap((w) => (w.manifest?.name ? [[w.manifest.name, w] as const] : [])))
  const projects = readProjects(facts, (name) => byName.get(name)?.dir)
  const aliases = readBundlerAliases(facts)
  const importMaps = readImportMaps(facts)
  const ground = [...known, ...[...facts.of('package-json')].flat(), ...[...facts.of('config-file')].flat()]
  const before = memory.resolver
  const same = before && before.ground.length === ground.length && ground.every((x, i) => x === before.ground[i]) && isDeepStrictEqual(aliases, before.aliases)
  const cache = same ? before.found : new Map<string, string | undefined>()
  const byFile = same ? before.byFile : new Map<string, Map<string, string | undefined>>()
  memory.resolver = { ground, aliases, found: cache, byFile }
  let sources: ReadonlyMap<string, readonly string[]> | undefined

  return (fromPath, specifier) => {
    const ofFile = keptMap(byFile, fromPath)
    const known = ofFile.get(specifier)
    if (known !== undefined || ofFile.has(specifier)) return known
    const key = `${dirname(fromPath)}\0${specifier}`
    const found = cache.has(key) ? cache.get(key) : resolve(fromPath, specifier)
    cache.set(key, found)
    ofFile.set(specifier, found)
    return found
  }

  function resolve(fromPath: string, written: string): string | undefined {
    if (AS_TEXT.test(written)) return undefined
    const specifier = written.replace(/[?#][\s\S]*/, (tail) => (written.startsWith('#') && tail === written ? tail : '')) || written
    const dir = dirname(fromPath)
    if (specifier.startsWith('.')) {
      const base = join(dir, specifier)
      return sourceOfBuild(base) ?? file(base)
    }
    if (/^(https?|node|npm|jsr|bun|data|virtual|astro|cloudflare):/.test(specifier)) return undefined
    if (specifier.startsWith('/'))
      return file(join(workspaces.of(fromPath).dir, specifier)) ?? file(join(workspaces.of(fromPath).dir, `public${specifier}`)) ?? file(join('', specifier))
    return (
      fromImportMap(dir, specifier) ??
      fromAliases(dir, specifier) ??
      fromPackageImports(dir, specifier) ??
      fromWorkspace(fromPath, specifier) ??
      fromConvention(fromPath, specifier)
    )
  }

  /** Of what a compiler or a bundler writes (`dist/storage.js`), the only source file that has the name below the same folder. */
  function sourceOfBuild(base: string | undefined): string | undefined {
    const m = base === undefined || byproductRole(base) !== 'generated' ? null : /^((?:.*\/)?)(?:dist|build|out)\/(.+)\.[cm]?js$/.exec(base)
    if (!m) return undefined
    const [, root = '', written = ''] = m
    sources ??= Map.groupBy(
      [...known].filter((path) => IS_SOURCE.test(path) && byproductRole(path) === undefined),
      (path) => path.slice(path.lastIndexOf('/') + 1).replace(IS_SOURCE, ''),
    )
    const called = sources.get(written.slice(written.lastIndexOf('/') + 1)) ?? []
    const found = called.filter((path) => path.startsWith(root) && `/${path.replace(IS_SOURCE, '')}`.endsWith(`/${written}`))
    return found.length === 1 ? found[0] : undefined
  }

  /** The file that a path without certainty about its extension means. */
  function file(base: string | undefined): string | undefined {
    if (base === undefined) return undefined
    if (known.has(base)) return base
    const dot = base.lastIndexOf('.')
    const written = dot > base.lastIndexOf('/') ? base.slice(dot) : ''
    for (const extension of SOURCE_OF[written] ?? []) {
      const candidate = base.slice(0, dot) + extension
      if (known.has(candidate)) return candidate
    }
    for (const extension of EXTENSIONS) if (known.has(base + extension)) return base + extension
    const index = base === '' ? 'index' : `${base}/index`
    for (const extension of EXTENSIONS) if (known.has(index + extension)) return index + extension
    return undefined
  }

  function fromAliases(dir: string, specifier: string): string | undefined {
    for (const folder of ancestors(dir)) {
      for (const project of projects.get(folder) ?? ([] as PathAliases[])) {
        for (const target of aliasTargets(project, specifier)) {
          const found = file(target)
          if (found !== undefined) return found
        }
      }
      const bundler = bundlerTarget(aliases.get(folder) ?? ([] as BundlerAlias[]), specifier)
      const found = bundler === undefined ? undefined : file(bundler)
      if (found !== undefined) return found
    }
    return undefined
  }

  function fromImportMap(dir: string, specifier: string): string | undefined {
    for (const folder of ancestors(dir)) {
      for (const [key, target] of importMaps.get(folder) ?? []) {
        if (specifier !== key && !(key.endsWith('/') && specifier.startsWith(key))) continue
        if (!target.startsWith('.') && !target.startsWith('/')) return undefined
        const found = file(join(folder, target + specifier.slice(key.length)))
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  function fromPackageImports(dir: string, specifier: string): string | undefined {
    if (!specifier.startsWith('#')) return undefined
    for (const folder of ancestors(dir)) {
      const workspace = workspaces.all.find((w) => w.dir === folder)
      for (const target of mapTargets(workspace?.manifest?.fields.imports, specifier)) {
        const found = file(join(folder, target))
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  function fromWorkspace(fromPath: string, specifier: string): string | undefined {
    const m = /^(@[^/]+\/[^/]+|[^/@][^/]*)(?:\/(.*))?$/.exec(specifier)
    const workspace = m ? byName.get(m[1] as string) : undefined
    if (!workspace || (workspace === workspaces.of(fromPath) && dependsOnNamesake(workspace))) return undefined
    for (const target of packageTargets(workspace, m?.[2] ?? '')) {
      const found = file(join(workspace.dir, target))
      if (found !== undefined) return found
    }
    return undefined
  }

  function fromConvention(fromPath: string, specifier: string): string | undefined {
    const root = workspaces.of(fromPath).dir
    if (specifier === '$lib') return file(join(root, 'src/lib'))
    const { application } = nuxtHome(fromPath, workspaces)
    for (const { prefix, folders } of CONVENTIONS) {
      if (!specifier.startsWith(prefix)) continue
      for (const base of application === root ? [root] : [root, application])
        for (const folder of folders) {
          const found = file(join(join(base, folder) ?? '', specifier.slice(prefix.length)))
          if (found !== undefined) return found
        }
    }
    return undefined
  }
}

/** An application that is called like a library it uses (`"name": "hono"`): the name means the library, as it does to Node. */
const dependsOnNamesake = ({ manifest }: Workspace): boolean => manifest?.dependencies.some((d) => d.name === manifest.name) === true

/** Deno import maps by folder: `imports` of deno.json and of import maps, longest key first. */
function readImportMaps(facts: FactsIndex): ReadonlyMap<string, readonly (readonly [string, string])[]> {
  const maps = new Map<string, (readonly [string, string])[]>()
  for (const [path, { data }] of facts.of('config-file')) {
    if (!/(^|\/)(deno\.jsonc?|import_map\.json|import-map\.json|importmap\.json)$/.test(path)) continue
    const imports = (data as { imports?: unknown } | null | undefined)?.imports
    if (imports === null || typeof imports !== 'object') continue
    const dir = dirname(path)
    const entries = Object.entries(imports).filter((e): e is [string, string] => typeof e[1] === 'string')
    maps.set(
      dir,
      [...(maps.get(dir) ?? []), ...entries].sort((a, b) => b[0].length - a[0].length),
    )
  }
  return maps
}
