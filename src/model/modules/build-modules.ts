import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import type { ByFile } from '../../lib/memo/collect-by-file.ts'
import { lazily } from '../../lib/memo/lazy.ts'
import { keptList } from '../../lib/memo/list-by-key.ts'
import { memo } from '../../lib/memo/memo.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../lib/place.ts'
import type { AppModel } from '../app-model.ts'
import type { ModelInput } from '../model-input.ts'
import { readAutoImports } from './auto-imports.ts'
import { type ClientView, clientView } from './client-view.ts'
import { createDefinition } from './definition.ts'
import type { Application, EntryFile, EntryRules } from './entries/entry-rules.ts'
import { ENTRY_RULES } from './entries/index.ts'
import type { ClientEntry, ModulesModel } from './modules.ts'
import { within } from './paths.ts'
import { chain, type Edge, reach } from './reach.ts'
import { createResolver } from './resolve.ts'
import { findServiceRoleUses } from './service-role.ts'
import { createStarExports } from './star-exports.ts'

/** Packages whose import makes a build fail when the module reaches the browser. */
const SERVER_MARKERS: ReadonlySet<string> = new Set(['server-only', '@tanstack/react-start/server-only'])

type ImportEdge = Edge & { readonly fact?: object }

/** What files import, for as long as specifiers mean the same and the same files are code. */
const knownImports = rememberFor((_meanings: object, _code: ByFile<true>) => {
  const known = new WeakMap<JavaScriptFacts, Map<string, readonly ImportEdge[]>>()
  return (path: string, file: JavaScriptFacts, compute: () => readonly ImportEdge[]): readonly ImportEdge[] => {
    const ofFile = known.get(file) ?? new Map<string, readonly ImportEdge[]>()
    known.set(file, ofFile)
    const edges = ofFile.get(path) ?? compute()
    ofFile.set(path, edges)
    return edges
  }
})

const codePaths = collectByCodeFile((_, _js: JavaScriptFacts): true => true)

/** The modules slice: import graph and client reachability. */
export function buildModules(input: ModelInput, slices: Pick<AppModel, 'files' | 'workspaces'>): ModulesModel {
  const { files, workspaces } = slices
  const js = input.facts.of('javascript')
  const paths = new Set([...input.files.map((f) => f.path), ...js.keys()])
  const resolve = createResolver(paths, input.facts, workspaces, input.memory)
  const autoImports = readAutoImports(input.facts, workspaces)
  const applications = readApplications(input, slices, resolve)

  const known = knownImports(input.memory?.resolver?.found ?? {}, codePaths(js))
  const edgesOf = memo((path: string): readonly ImportEdge[] => {
    const file = js.get(path)
    if (!file) return []
    const imports = known(path, file, () => importsOf(path, file))
    const brought = autoImports.edges(path)
    return brought.length ? [...imports, ...brought] : imports
  })

  function importsOf(path: string, file: JavaScriptFacts): readonly ImportEdge[] {
    const found: ImportEdge[] = []
    for (const fact of file.imports) {
      const to = fact.typeOnly ? undefined : resolve(path, fact.from)
      if (to !== undefined && js.has(to) && to !== path) found.push({ to, line: fact.l, fact })
    }
    for (const e of file.exports) {
      const to = e.from === undefined ? undefined : resolve(path, e.from)
      if (to !== undefined && js.has(to) && to !== path) found.push({ to, line: e.l })
    }
    return found
  }

  const viewOf = memo((path: string): ClientView | undefined => {
    const file = js.get(path)
    if (!file) return undefined
    if (path.endsWith('.astro')) return astroView(file)
    const app = applications.get(workspaces.of(path).dir)
    const stripped = app?.rules.flatMap((r) => r.strips?.(within(app.dir, path), file) ?? []) ?? []
    if (stripped.length === 0) return undefined
    return clientView(file, {
      exports: new Set(stripped.flatMap((s) => [...(s.exports ?? [])])),
      functions: new Set(stripped.flatMap((s) => [...(s.functions ?? [])])),
    })
  })

  const clientEdges = (path: string): readonly Edge[] => {
    const view = viewOf(path)
    return view ? edgesOf(path).filter((e) => e.fact === undefined || (view.imports as ReadonlySet<object>).has(e.fact)) : edgesOf(path)
  }
  // The scripts of an Astro file are the one part that the server does not run.
  const serverEdges = (path: string): readonly Edge[] => {
    const scripts = js.get(path)?.browserLines
    return scripts ? edgesOf(path).filter((e) => !scripts.some(([from, to]) => from <= e.line && e.line <= to)) : edgesOf(path)
  }
  const staysOnServer = (path: string): boolean => {
    const file = js.get(path)
    if (!file) return true
    if (file.directives.includes('use server') || file.imports.some((i) => SERVER_MARKERS.has(i.from))) return true
    const app = applications.get(workspaces.of(path).dir)
    return app?.rules.some((r) => r.serverOnly?.(within(app.dir, path), file)) ?? false
  }

  const entries = [...applications.values()].flatMap((app) => app.rules.flatMap((r) => r.entries(app)))
  const isBoundary = (path: string) => js.get(path)?.directives.includes('use client') ?? false
  // What the server renders: the walk ends where `use client` begins.
  const serverRoots = sorted(entries.filter((e) => e.side === 'server'))
  const server = reach(
    serverRoots.map((e) => e.path),
    (path) => (isBoundary(path) ? [] : serverEdges(path)),
    () => true,
  )
  const clientEntries = uniqueEntries([...sorted(entries.filter((e) => e.side === 'client')), ...sorted(rendered())]).filter((e) => !staysOnServer(e.path))
  const client = reach(
    clientEntries.map((e) => e.path),
    clientEdges,
    (path) => !staysOnServer(path),
  )

  const importersOf = lazily(() => {
    const map = new Map<string, Place[]>()
    for (const path of js.keys()) {
      for (const e of edgesOf(path)) keptList(map, e.to).push({ path, line: e.line })
    }
    return map
  })

  const inBrowser = (path: string, line: number): boolean => {
    if (!client.has(path)) return false
    const view = viewOf(path)
    if (!view) return true
    const inside = (spans: ClientView['lines']) => spans.some(([from, to]) => from <= line && line <= to)
    return inside(view.lines) && !inside(view.without)
  }
  const serviceRole = findServiceRoleUses(input.facts, files, paths, { inBrowser })
  const definition = createDefinition(input.facts, resolve)
  return {
    resolve,
    definition: (path, name) => definition(path, name),
    autoImport: (path, name) => autoImports.find(path, name),
    throughStars: createStarExports(js, resolve),
    side(path) {
      const inClient = client.has(path)
      const inServer = server.has(path) && !isBoundary(path)
      return inClient && inServer ? 'both' : inClient ? 'client' : inServer ? 'server' : 'unreached'
    },
    clientChain: (path) => chain(client, path)?.files,
    clientImports: (path) => chain(client, path)?.imports ?? [],
    inBrowser,
    clientEntries,
    importers: (path) => importersOf().get(path) ?? [],
    files: [...js.keys()],
    serviceRole,
    usesSupabase: serviceRole.length > 0 || usesSupabase(input, slices),
  }

  /** Entries that follow from what the server renders: `use client` modules, scripts and hydrated components of Astro. */
  function rendered(): EntryFile[] {
    const found: EntryFile[] = []
    for (const path of server.keys()) {
      const file = js.get(path)
      if (!file || files.role(path) === 'test') continue
      if (isBoundary(path)) found.push({ path, side: 'client', because: `'use client' module rendered by ${chain(server, path)?.files[0] ?? 'the server'}` })
      if ((file.browserLines?.length ?? 0) > 0) found.push({ path, side: 'client', because: '<script> of an Astro component' })
      for (const name of file.hydrated ?? []) {
        const fact = file.imports.find((i) => i.bindings.some((b) => b.local === name))
        const to = fact ? resolve(path, fact.from) : undefined
        if (to !== undefined && js.has(to)) found.push({ path: to, side: 'client', because: `hydrated by ${path}` })
      }
    }
    return found
  }
}

function usesSupabase(input: ModelInput, { workspaces }: Pick<AppModel, 'workspaces'>): boolean {
  if (workspaces.all.some((w) => w.manifest?.dependencies.some((d) => SUPABASE_PACKAGE.test(d.name)))) return true
  if (input.files.some((f) => /(^|\/)supabase\/(config\.toml$|migrations\/|functions\/)/.test(f.path))) return true
  return supabaseImports(input.facts.of('javascript')).size > 0
}

const supabaseImports = collectByCodeFile((_, js: JavaScriptFacts) => js.imports.some((i) => /(^|[:/])@supabase\//.test(i.from)) || undefined)

const SUPABASE_PACKAGE = /^@supabase\/|^@nuxtjs\/supabase$|^supabase$/

type ApplicationWithRules = Application & { readonly rules: readonly EntryRules[] }

function readApplications(
  input: ModelInput,
  { files, workspaces }: Pick<AppModel, 'files' | 'workspaces'>,
  resolve: Application['resolve'],
): ReadonlyMap<string, ApplicationWithRules> {
  const byDir = new Map<string, { path: string; rel: string; js: JavaScriptFacts }[]>(workspaces.all.map((w) => [w.dir, []]))
  for (const [path, js] of input.facts.of('javascript')) {
    if (files.role(path) !== 'source') continue
    const dir = workspaces.of(path).dir
    byDir.get(dir)?.push({ path, rel: within(dir, path), js })
  }
  const found = new Map<string, ApplicationWithRules>()
  for (const workspace of workspaces.all) {
    const own = byDir.get(workspace.dir) ?? []
    const rels = lazily(() => new Set(own.map((f) => f.rel)))
    const imported = lazily(() => new Set(own.flatMap((f) => packagesOf(f.js))))
    const app: Application = {
      workspace,
      dir: workspace.dir,
      files: own,
      facts: input.facts,
      resolve,
      uses: (name) => (workspace.manifest?.dependencies.some((d) => d.name === name) ?? false) || imported().has(name),
      has: (rel) => rels().has(rel),
    }
    found.set(workspace.dir, { ...app, rules: ENTRY_RULES.filter((r) => r.applies(app)) })
  }
  return found
}

const packagesOf = rememberFor((js: JavaScriptFacts): readonly string[] => [...new Set(js.imports.map((i) => packageName(i.from)))])

function packageName(specifier: string): string {
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1] ?? specifier
}

/** Of an Astro file only its scripts are sent to the browser. */
function astroView(file: JavaScriptFacts): ClientView {
  const lines = file.browserLines ?? []
  return { imports: new Set(file.imports.filter((i) => lines.some(([from, to]) => from <= i.l && i.l <= to))), lines, without: [] }
}

function sorted(entries: readonly EntryFile[]): EntryFile[] {
  return [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

function uniqueEntries(entries: readonly EntryFile[]): ClientEntry[] {
  const found = new Map<string, ClientEntry>()
  for (const e of entries) if (!found.has(e.path)) found.set(e.path, { path: e.path, because: e.because })
  return [...found.values()]
}
