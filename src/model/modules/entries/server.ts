import { join } from '../paths.ts'
import { type Application, type EntryFile, type EntryRules, matching } from './entry-rules.ts'

/** Packages that make a program answer requests. */
export const SERVER_PACKAGES: readonly string[] = [
  'express',
  'fastify',
  'hono',
  'koa',
  '@nestjs/core',
  'elysia',
  '@hapi/hapi',
  'polka',
  'h3',
  'nitropack',
  'nitro',
  '@trpc/server',
  'restify',
  'socket.io',
]

/** Programs and functions that platforms start: edge functions, serverless functions, servers, scripts of package.json. */
export const server: EntryRules = {
  name: 'server',
  applies: () => true,
  entries: (app) => [
    ...matching(app, /(^|\/)supabase\/functions\/[^/_][^/]*\/(index|main)\.[jt]sx?$/, 'server', 'Supabase edge function'),
    ...matching(
      app,
      /^(api|netlify\/(edge-)?functions|functions|edge-functions)\/.*\.[cm]?[jt]sx?$/,
      'server',
      'serverless function',
      /^(functions|api)\/(src\/)?(components|hooks)\//,
    ),
    ...matching(app, /^(src\/)?(server|backend)(\/(index|main|app|server))?\.[cm]?[jt]s$|^(src\/)?(worker|_worker)\.[cm]?[jt]s$/, 'server', 'server entry'),
    ...(SERVER_PACKAGES.some((p) => app.uses(p))
      ? matching(app, /^(src\/)?(index|main|app|server)\.[cm]?[jt]s$|^(server|backend)\/(src\/)?[^/]+\.[cm]?[jt]s$/, 'server', 'server entry')
      : []),
    ...started(app),
  ],
}

/** Files that `main`, `bin` and the scripts of package.json name. */
function started(app: Application): EntryFile[] {
  const fields = app.workspace.manifest?.fields ?? {}
  const words = [fields.main, ...Object.values(app.workspace.manifest?.scripts ?? {}).flatMap((s) => s.split(/\s+/))]
  const found: EntryFile[] = []
  for (const word of words) {
    if (typeof word !== 'string' || !/\.[cm]?[jt]sx?$/.test(word)) continue
    const path = join(app.dir, word.replace(/^["']|["']$/g, ''))
    if (path !== undefined && app.files.some((f) => f.path === path)) found.push({ path, side: 'server', because: 'started by package.json' })
  }
  return app.uses('expo') || app.uses('react-native') ? [] : found
}
