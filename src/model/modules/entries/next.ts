import { type EntryRules, matching } from './entry-rules.ts'

const DATA_FUNCTIONS = new Set(['getServerSideProps', 'getStaticProps', 'getStaticPaths', 'unstable_getServerProps', 'unstable_getStaticProps', 'config'])
const APP = /^(src\/)?app\/(.*\/)?(page|layout|template|error|loading|not-found|global-error|global-not-found|forbidden|unauthorized|default)\.[jt]sx?$/
const APP_SERVER = /^(src\/)?app\/(.*\/)?(route|sitemap|robots|manifest|icon\d*|apple-icon\d*|opengraph-image\d*|twitter-image\d*)\.[jt]sx?$/
const NEXT_PAGE_FILE = /^(src\/)?pages\/(?!api\/|_document\.).*\.[jt]sx?$/

/** Next.js: App Router files render on the server up to `use client`; pages are sent to the browser without their data functions. */
export const next: EntryRules = {
  name: 'Next.js',
  applies: (app) =>
    app.uses('next') || app.files.some((f) => /^next\.config\.[cm]?[jt]s$/.test(f.rel) || (app.workspace.manifest === undefined && APP.test(f.rel))),
  entries: (app) => [
    ...matching(app, APP, 'server', 'rendered by the App Router'),
    ...matching(app, APP_SERVER, 'server', 'served by the App Router'),
    ...matching(app, /^(src\/)?(middleware|proxy|instrumentation)\.[jt]s$/, 'server', 'run before or beside requests'),
    ...matching(app, /^(src\/)?instrumentation-client\.[jt]s$/, 'client', 'run in the browser before the application'),
    ...matching(app, /^(src\/)?pages\/(api\/.*|_document)\.[jt]sx?$/, 'server', 'served by the Pages Router'),
    ...matching(app, NEXT_PAGE_FILE, 'server', 'rendered by the Pages Router'),
    ...matching(app, NEXT_PAGE_FILE, 'client', 'page of the Pages Router'),
  ],
  strips: (rel) => (NEXT_PAGE_FILE.test(rel) ? { exports: DATA_FUNCTIONS } : undefined),
}
