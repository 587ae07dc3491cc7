import type { FactsIndex } from '../../facts/facts.ts'
import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { folderPrefix } from '../../lib/folder-prefix.ts'
import type { WorkspacesModel } from '../workspaces/workspaces.ts'
import { nuxtHome } from './nuxt-layers.ts'
import { within } from './paths.ts'
import { walkExpressions } from './walk.ts'

interface AutoImported {
  readonly path: string
  readonly imported: string
}

/** Names that Nuxt and Nitro put into scope without an import: `composables/`, `utils/`, `shared/utils/`, `server/utils/`. */
export interface AutoImports {
  find(path: string, name: string): AutoImported | undefined
  /** The files that a file uses in this way, with the first line of each use. */
  edges(path: string): readonly { readonly to: string; readonly line: number }[]
}

const APP_FOLDERS = /^(layers\/[^/]+\/)?(app\/|src\/)?(composables|utils|shared\/utils|shared\/types|stores)\/(?:[^/]+|[^/]+\/index)\.[cm]?[jt]s$/
const SERVER_FOLDERS = /^(layers\/[^/]+\/)?(src\/)?(server\/utils\/.+|shared\/utils\/[^/]+)\.[cm]?[jt]s$/

/** Reads the auto-import folders of Nuxt and Nitro workspaces. */
export function readAutoImports(facts: FactsIndex, workspaces: WorkspacesModel): AutoImports {
  const js = facts.of('javascript')
  const tables = new Map<string, { app: Map<string, AutoImported>; server: Map<string, AutoImported> }>()
  for (const workspace of workspaces.all) {
    const uses = (name: string) => workspace.manifest?.dependencies.some((d) => d.name === name) ?? false
    const config = js.has(`${folderPrefix(workspace.dir)}nuxt.config.ts`) || js.has(`${folderPrefix(workspace.dir)}nuxt.config.js`)
    if (config || uses('nuxt') || uses('nitropack') || uses('nitro')) tables.set(workspace.dir, { app: new Map(), server: new Map() })
  }
  const byPath = new Map<string, ReadonlyMap<string, AutoImported> | undefined>()
  if (tables.size > 0) for (const [path, file] of js) register(path, file)

  return {
    find: (path, name) => tableFor(path)?.get(name),
    edges(path) {
      const file = js.get(path)
      const table = tableFor(path)
      if (!file || !table || table.size === 0) return []
      const own = new Set([...file.imports.flatMap((i) => i.bindings.map((b) => b.local)), ...file.exports.flatMap((e) => e.local ?? [])])
      const found = new Map<string, number>()
      walkExpressions(file, file.functions[0]?.body, (e) => {
        if (e.k !== 'id' || own.has(e.name)) return
        const to = table.get(e.name)?.path
        if (to !== undefined && to !== path && !found.has(to)) found.set(to, e.l)
      })
      return [...found].map(([to, line]) => ({ to, line }))
    },
  }

  // asked for every name that nothing declares
  function tableFor(path: string): ReadonlyMap<string, AutoImported> | undefined {
    if (tables.size === 0) return undefined
    if (!byPath.has(path)) byPath.set(path, findTable(path))
    return byPath.get(path)
  }

  function findTable(path: string): ReadonlyMap<string, AutoImported> | undefined {
    const dir = nuxtHome(path, workspaces).application
    const table = tables.get(dir)
    return table && (/^(layers\/[^/]+\/)?(src\/)?server\//.test(within(dir, path)) ? table.server : table.app)
  }

  function register(path: string, file: JavaScriptFacts): void {
    const dir = nuxtHome(path, workspaces).application
    const table = tables.get(dir)
    if (!table) return
    const rel = within(dir, path)
    const add = (to: Map<string, AutoImported>) => {
      for (const e of file.exports) {
        const name = e.name === 'default' ? camelCase(path) : e.name
        if (name !== '*' && !to.has(name)) to.set(name, { path, imported: e.name })
      }
    }
    if (APP_FOLDERS.test(rel)) add(table.app)
    if (SERVER_FOLDERS.test(rel)) add(table.server)
  }
}

function camelCase(path: string): string {
  const parts = path.split('/')
  const file = (parts.at(-1) as string).replace(/\.[^.]+$/, '')
  return (file === 'index' ? (parts.at(-2) ?? '') : file).replace(/[-_.]{1,50}(\w)/g, (_, c: string) => c.toUpperCase())
}
