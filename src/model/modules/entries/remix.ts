import { dirname, join } from '../paths.ts'
import { stringsIn } from '../walk.ts'
import { type Application, type EntryFile, type EntryRules, matching } from './entry-rules.ts'

const SERVER_EXPORTS = new Set(['loader', 'action', 'headers', 'middleware', 'unstable_middleware'])
const ROUTE = /^app\/(routes\/.*|root)\.[jt]sx?$/

/** Remix and React Router 7 in framework mode: route modules lose loaders and actions, `.server` modules never leave the server. */
export const remix: EntryRules = {
  name: 'Remix / React Router',
  applies: (app) => ['@remix-run/dev', '@remix-run/react', '@react-router/dev', '@remix-run/node'].some((p) => app.uses(p)),
  entries: (app) => {
    const routes = routeFiles(app)
    return [
      ...routes.map((path): EntryFile => ({ path, side: 'client', because: 'route module' })),
      ...routes.map((path): EntryFile => ({ path, side: 'server', because: 'route module' })),
      ...matching(app, /^app\/entry\.client\.[jt]sx?$/, 'client', 'browser entry'),
      ...matching(app, /^app\/entry\.server\.[jt]sx?$|^server\.[cm]?[jt]s$|^server\/[^/]+\.[cm]?[jt]s$/, 'server', 'server entry'),
    ]
  },
  serverOnly: (rel) => /\.server\.[cm]?[jt]sx?$|(^|\/)\.server\//.test(rel),
  // Helpers beside routes export no loaders: what is stripped is named only where a route module has it.
  strips: (rel, js) => (rel.startsWith('app/') && js.exports.some((e) => SERVER_EXPORTS.has(e.name)) ? { exports: SERVER_EXPORTS } : undefined),
}

function routeFiles(app: Application): string[] {
  const folders = new Set(app.files.filter((f) => /^app\/routes\/.+\/route\.[jt]sx?$/.test(f.rel)).map((f) => dirname(f.rel)))
  // In a folder with a `route` module the other files are its helpers.
  const found = new Set(app.files.filter((f) => ROUTE.test(f.rel) && (/\/route\.[jt]sx?$/.test(f.rel) || !folders.has(dirname(f.rel)))).map((f) => f.path))
  const config = app.files.find((f) => /^app\/routes\.[jt]s$/.test(f.rel))
  for (const text of config ? stringsIn(config.js, config.js.functions[0]?.body) : []) {
    const path = /\.[jt]sx?$/.test(text) && config ? join(dirname(config.path), text) : undefined
    if (path !== undefined && app.files.some((f) => f.path === path)) found.add(path)
  }
  return [...found].sort()
}
