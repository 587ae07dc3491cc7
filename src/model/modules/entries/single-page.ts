import { folderPrefix } from '../../../lib/folder-prefix.ts'
import { dirname, join, within } from '../paths.ts'
import { type Application, type EntryFile, type EntryRules, matching } from './entry-rules.ts'

const SCRIPT = /<script\b[^>]{0,500}?\bsrc\s*=\s*["']?([^"'\s>]{1,300})/gi
const BUNDLERS = ['vite', 'react-scripts', '@angular/core', '@vue/cli-service', 'webpack', 'parcel', '@rsbuild/core', 'rolldown-vite', 'snowpack', 'preact-cli']

/** Single-page applications and plain sites: what HTML loads, and the entry that bundlers take when no HTML says. */
export const singlePage: EntryRules = {
  name: 'single page',
  applies: () => true,
  entries(app) {
    const found = htmlScripts(app)
    const served = matching(app, /^(public|static|www)\/.*\.m?js$/, 'client', 'served as it is')
    if (found.length > 0 || !BUNDLERS.some((b) => app.uses(b)) || isServerRendered(app)) return [...found, ...served]
    // Vite always starts from HTML: what has none and is called `index` is a library.
    const entry = app.uses('vite') ? /^src\/main\.[jt]sx?$/ : /^src\/(main|index)\.[jt]sx?$/
    return [...matching(app, entry, 'client', 'entry of the bundle'), ...served]
  },
}

/** Frameworks that have entries of their own; `src/index.ts` beside them is a server. */
function isServerRendered(app: Application): boolean {
  return ['next', 'nuxt', 'astro', '@sveltejs/kit', 'express', 'fastify', 'hono', 'koa', '@nestjs/core', '@react-router/dev', '@remix-run/dev'].some((p) =>
    app.uses(p),
  )
}

function htmlScripts(app: Application): EntryFile[] {
  const found: EntryFile[] = []
  for (const [path, { text }] of app.facts.of('text')) {
    if (!/\.html?$/i.test(path) || !path.startsWith(folderPrefix(app.dir))) continue
    if (/(^|\/)(tests?|__tests__|e2e|docs?|examples?|coverage|storybook-static|node_modules|dist|build|out)\//i.test(within(app.dir, path))) continue
    for (const m of text.matchAll(SCRIPT)) {
      const src = (m[1] as string).replace(/^%[A-Z_]+%/, '').replace(/[?#][\s\S]*/, '')
      if (/^(https?:)?\/\//.test(src)) continue
      const target = scriptFile(app, path, src)
      if (target !== undefined) found.push({ path: target, side: 'client', because: `loaded by ${path}` })
    }
  }
  return found
}

function scriptFile(app: Application, html: string, src: string): string | undefined {
  const known = (base: string | undefined, rest: string) => {
    const p = base === undefined ? undefined : join(base, rest)
    return p !== undefined && app.files.some((f) => f.path === p) ? p : undefined
  }
  const here = dirname(html)
  if (!src.startsWith('/')) return known(here, src) ?? known(app.dir, src)
  const rest = src.slice(1)
  return known(here, rest) ?? known(app.dir, rest) ?? known(join(app.dir, 'public'), rest)
}
