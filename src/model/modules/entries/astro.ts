import { type EntryRules, matching } from './entry-rules.ts'

/** Astro: pages and endpoints run on the server; scripts and hydrated components are found from the files that are rendered. */
export const astro: EntryRules = {
  name: 'Astro',
  applies: (app) => app.uses('astro') || app.files.some((f) => /^astro\.config\.[cm]?[jt]s$/.test(f.rel)),
  entries: (app) => [
    ...matching(app, /^src\/pages\/.*\.(astro|[cm]?[jt]sx?)$/, 'server', 'page or endpoint of Astro'),
    ...matching(app, /^src\/(middleware|middleware\/index|actions\/index|content\.config|live\.config)\.[jt]s$/, 'server', 'run by Astro'),
  ],
}
