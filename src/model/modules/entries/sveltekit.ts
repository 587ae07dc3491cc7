import { type EntryRules, matching } from './entry-rules.ts'

/** SvelteKit: pages, layouts and universal loads reach the browser; its build refuses private environment modules there. */
export const sveltekit: EntryRules = {
  name: 'SvelteKit',
  applies: (app) => app.uses('@sveltejs/kit'),
  entries: (app) => [
    ...matching(app, /^src\/routes\/(.*\/)?\+(page|layout|error)(@[^/]*)?\.svelte$/, 'client', 'SvelteKit page or layout'),
    ...matching(app, /^src\/routes\/(.*\/)?\+(page|layout)\.[jt]s$/, 'client', 'universal load function'),
    ...matching(
      app,
      /^src\/(hooks\.client|hooks|service-worker|service-worker\/index)\.[jt]s$|^src\/params\/[^/]+\.[jt]s$/,
      'client',
      'run in the browser by SvelteKit',
    ),
    ...matching(app, /^src\/routes\/(.*\/)?\+(server|page\.server|layout\.server)\.[jt]s$/, 'server', 'served by SvelteKit'),
    ...matching(app, /^src\/routes\/(.*\/)?\+(page|layout|error)(@[^/]*)?\.(svelte|[jt]s)$/, 'server', 'rendered by SvelteKit'),
    ...matching(app, /^src\/.*\.remote\.[jt]s$/, 'server', 'remote functions of SvelteKit'),
    ...matching(app, /^src\/(hooks\.server|hooks|instrumentation\.server)\.[jt]s$/, 'server', 'SvelteKit hooks'),
  ],
  serverOnly: (rel, js) =>
    /\.(server|remote)\.[jt]s$|^src\/lib\/server\/|(^|\/)\+server\.[jt]s$/.test(rel) ||
    js.imports.some((i) => !i.typeOnly && /^\$env\/(static|dynamic)\/private$/.test(i.from)),
}
