import { type EntryRules, matching } from './entry-rules.ts'

const SRC = '(layers/[^/]+/)?(app/|src/)?'

/** Nuxt: everything but `server/` is rendered on both sides; Nitro serves `server/`. */
export const nuxt: EntryRules = {
  name: 'Nuxt',
  applies: (app) => app.uses('nuxt') || app.uses('nuxt3') || app.files.some((f) => /^nuxt\.config\.[cm]?[jt]s$/.test(f.rel)),
  entries: (app) => [
    ...matching(
      app,
      new RegExp(`^${SRC}(pages|layouts|components|plugins|middleware)/.*\\.(vue|[jt]sx?)$`),
      'client',
      'part of the Nuxt application',
      /\.server\./,
    ),
    ...matching(app, new RegExp(`^${SRC}(app|error|app\\.config)\\.(vue|[jt]s)$`), 'client', 'root of the Nuxt application'),
    ...matching(app, new RegExp(`^${SRC}(pages|layouts|components|plugins|middleware)/.*\\.(vue|[jt]sx?)$`), 'server', 'rendered by Nuxt', /\.client\./),
    ...matching(app, /^(layers\/[^/]+\/)?(src\/)?server\/(api|routes|middleware|plugins|tasks)\/.*\.[cm]?[jt]s$/, 'server', 'served by Nitro'),
  ],
  serverOnly: (rel) => /^(layers\/[^/]+\/)?(src\/)?server\//.test(rel) || /\.server\.(vue|[jt]sx?)$/.test(rel),
}
