import type { FactsByKind } from '../../../facts/kinds.ts'
import { folderPrefix } from '../../../lib/folder-prefix.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Entry, Framework } from '../entry.ts'
import { exportedHandler, SHOWN_METHODS } from '../exported-handlers.ts'
import { fileToRoute } from '../file-routed/file-routes.ts'
import { handlerEntry } from '../handler-entry.ts'
import { methodsTested } from '../method-dispatch.ts'
import type { Program } from '../program.ts'

/** Functions of hosting platforms that are files in a folder: `api/` (Vercel), `netlify/functions` and `netlify/edge-functions`. */
export const platformFunctions: Framework = {
  name: 'Platform functions',
  entries: (program) => program.paths.flatMap((path) => [...vercel(program, path), ...netlify(program, path)]),
}

function vercel(program: Program, path: string): Entry[] {
  const own = program.workspace(path).dir
  // functions may have a package of their own, which the site deploys along
  const dir = /(?:^|\/)api$/.test(own) && isSite(program, own.replace(/\/?api$/, '')) ? own.replace(/\/?api$/, '') : own
  const local = dir === '' ? path : path.slice(dir.length + 1)
  const m = /^api\/(.+)\.[cm]?[jt]s$/.exec(local)
  // Other frameworks with an `api` folder at the root serve it in their own way.
  if (!m?.[1] || m[1].split('/').some((s) => s.startsWith('_')) || m[1].endsWith('.d') || program.workspaces.uses('next', path)) return []
  const route = `/api${fileToRoute(m[1]).replace(/^\/$/, '')}`
  const named = SHOWN_METHODS.flatMap((method) => {
    const h = exportedHandler(program, path, method)
    return h ? [handlerEntry({ framework: 'Vercel Functions', route, path, calling: 'fetch', before: [] }, h, method)] : []
  })
  if (named.length) return named
  const h = exportedHandler(program, path, 'default')
  // A server exported whole (Express, Hono) lists its own routes.
  if (!h?.code || (h.code.k === 'expr' && !['call', 'fn', 'id', 'mem'].includes(h.code.expr.k)) || isServer(program, path)) return []
  const edge = /edge/.test(JSON.stringify(program.exported(path, 'config') ?? '')) || /edge/.test(JSON.stringify(program.exported(path, 'runtime') ?? ''))
  const params = h.code.k === 'fn' ? program.fn(h.code.path, h.code.fn)?.params.length : 2
  const methods = methodsTested(program, h.code)
  return (methods.length ? methods : [undefined]).map((method) =>
    handlerEntry({ framework: 'Vercel Functions', route, path, calling: edge || params === 1 ? 'fetch' : 'next-api', before: [] }, h, method),
  )
}

/** A folder that Vercel deploys: its settings stand there. */
const isSite = (program: Program, dir: string): boolean => program.facts.of('config-file').get(`${folderPrefix(dir)}vercel.json`) !== undefined

function isServer(program: Program, path: string): boolean {
  return (
    ['express', 'hono', 'fastify', '@nestjs/core'].some((p) => program.importersOf(p).has(path)) ||
    program
      .js(path)
      ?.exports.some(
        (e) => e.name === 'default' && (e.local === 'app' || e.local === 'server' || (e.value?.k === 'id' && /^(app|server)$/.test(e.value.name))),
      ) === true
  )
}

function netlify(program: Program, path: string): Entry[] {
  const m = /(?:^|\/)netlify\/(functions|edge-functions)\/(.+)\.[cm]?[jt]s$/.exec(path) ?? inNamedFolder(program, path)
  if (!m) return []
  const inside = (m[2] as string).split('/')
  const name =
    inside.length === 1 ? (inside[0] as string) : inside.length === 2 && (inside[1] === 'index' || inside[1] === inside[0]) ? (inside[0] as string) : undefined
  if (!name || name.startsWith('_')) return []
  const classic = exportedHandler(program, path, 'handler')
  const modern = exportedHandler(program, path, 'default')
  const h = classic ?? modern
  if (!h?.code) return []
  // Scheduled and background functions are called by the platform; background ones still have a URL.
  const config = program.exported(path, 'config')
  const custom = config?.k === 'expr' && config.expr.k === 'obj' ? config.expr.props.find((p) => p.key === 'path')?.value : undefined
  if (config?.k === 'expr' && config.expr.k === 'obj' && config.expr.props.some((p) => p.key === 'schedule')) return []
  if (isScheduled(program, path, name, h)) return []
  const route = custom?.k === 'lit' && typeof custom.v === 'string' ? custom.v : `/.netlify/${m[1]}/${name}`
  const methods = methodsTested(program, h.code)
  return (methods.length ? methods : [undefined]).map((method) =>
    handlerEntry({ framework: 'Netlify Functions', route, path, calling: classic ? 'lambda' : 'fetch', before: [] }, h, method),
  )
}

/** Below the folder where the configuration of a site says that its functions lie. */
function inNamedFolder(program: Program, path: string): readonly [string, 'functions', string] | undefined {
  for (const folder of namedFolders(program.facts.of('config-file'))) {
    const inside = path.startsWith(folder) ? /^(.+)\.[cm]?[jt]s$/.exec(path.slice(folder.length))?.[1] : undefined
    if (inside) return [path, 'functions', inside]
  }
  return undefined
}

/** The folders, those of the outermost site first. */
const namedFolders = rememberFor((configs: ReadonlyMap<string, FactsByKind['config-file']>): readonly string[] =>
  [...configs]
    .flatMap(([path, { data }]) => {
      if (!/(?:^|\/)netlify\.toml$/.test(path)) return []
      const site = path.slice(0, path.length - 'netlify.toml'.length)
      const { build, functions } = (data ?? {}) as { build?: { functions?: unknown }; functions?: { directory?: unknown } }
      const said = functions?.directory ?? build?.functions
      return typeof said === 'string' ? [{ site, folder: `${site}${said.replace(/^\.?\//, '').replace(/\/$/, '')}/` }] : []
    })
    .sort((a, b) => a.site.length - b.site.length)
    .map(({ folder }) => folder),
)

/** By the wrapper of the platform's package around the handler, or by the configuration of the site. */
function isScheduled(program: Program, path: string, name: string, h: NonNullable<ReturnType<typeof exportedHandler>>): boolean {
  if (h.meaning?.k === 'expr' && h.meaning.expr.k === 'call') {
    const wrapper = program.meaning(h.meaning.path, h.meaning.scope, h.meaning.expr.fn)
    if (wrapper?.k === 'external' && wrapper.from === '@netlify/functions' && wrapper.name === 'schedule') return true
  }
  const site = path.slice(0, path.search(/(?:^|\/)netlify\//))
  return ['', folderPrefix(site)].some((dir) => {
    const data = program.facts.of('config-file').get(`${dir}netlify.toml`)?.data as { functions?: Record<string, { schedule?: unknown }> } | undefined
    return typeof data?.functions?.[name]?.schedule === 'string'
  })
}
