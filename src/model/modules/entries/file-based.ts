import { type EntryRules, matching } from './entry-rules.ts'

/** Gatsby, SolidStart and Qwik City: folders of pages that are rendered on both sides. */
export const fileBased: EntryRules = {
  name: 'pages folder',
  applies: (app) =>
    ['gatsby', '@solidjs/start', 'solid-start', '@builder.io/qwik-city', '@qwik.dev/router', 'vike', 'vite-plugin-ssr'].some((p) => app.uses(p)),
  entries: (app) => [
    ...matching(
      app,
      /^src\/(pages|routes|templates)\/.*\.[jt]sx$|^gatsby-(browser|ssr)\.[jt]sx?$|^src\/(app|entry-client|root)\.[jt]sx$/,
      'client',
      'page of the application',
      /\.server\.|\+server/,
    ),
    ...matching(app, /^src\/(pages|routes|api)\/.*\.[jt]sx?$|^gatsby-node\.[jt]s$|^src\/entry-server\.[jt]sx?$/, 'server', 'served by the framework'),
  ],
  serverOnly: (rel) => /\.server\.[jt]sx?$/.test(rel),
  strips: (rel, js) =>
    /^src\/(pages|templates)\//.test(rel) && js.exports.some((e) => e.name === 'getServerData' || e.name === 'config')
      ? { exports: new Set(['getServerData', 'config']) }
      : undefined,
}
