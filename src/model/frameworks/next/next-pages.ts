import type { Before, Entry, Framework } from '../entry.ts'
import { routeSubject } from '../entry.ts'
import { exportedHandler, frameworkIn } from '../exported-handlers.ts'
import { fileToRoute, routeFile } from '../file-routed/file-routes.ts'
import { isBuiltByVite } from '../file-routed/vite-app.ts'
import { handlerEntry } from '../handler-entry.ts'
import { methodsTested } from '../method-dispatch.ts'
import type { Program } from '../program.ts'
import { nextMiddlewareFor } from './next-middleware.ts'

const PAGES_ROUTER_FOLDERS = ['src/pages', 'pages']

/** Next.js Pages Router: `pages/api` handlers, pages and their `getServerSideProps`. */
export const nextPages: Framework = {
  name: 'Next.js',
  entries: (program) => {
    let atRoot: ReadonlySet<string> | undefined
    return program.paths.flatMap((path) => {
      const { dir } = program.workspace(path)
      const file = routeFile(path, dir, PAGES_ROUTER_FOLDERS)
      if (!file || !/^[cm]?[jt]sx?$/.test(file.extension) || !frameworkIn(program, path, ['next']) || isOtherFramework(program, path)) return []
      // https://nextjs.org/docs/app/api-reference/file-conventions/src-folder: `src/pages` counts for nothing beside `app` or `pages`
      if (file.root.endsWith('src/pages')) {
        atRoot ??= workspacesWithRoutesAtRoot(program)
        if (atRoot.has(dir)) return []
      }
      if (/^_(app|document|error|middleware)$|^(404|500)$/.test(file.inside)) return []
      const route = fileToRoute(file.inside)
      return route === '/api' || route.startsWith('/api/') ? apiEntries(program, path, route) : pageEntries(program, path, route)
    })
  },
}

/** Folders of workspaces whose own `app` or `pages` holds routes. */
function workspacesWithRoutesAtRoot(program: Program): ReadonlySet<string> {
  const found = new Set<string>()
  for (const path of program.paths) {
    const { dir } = program.workspace(path)
    const inside = routeFile(path, dir, ['app', 'pages'])
    if (inside && (inside.root.endsWith('pages') || /(^|\/)(page|layout|route)$/.test(inside.inside))) found.add(dir)
  }
  return found
}

/** Astro, Gatsby and plain React applications also keep pages in `src/pages`. */
function isOtherFramework(program: Program, path: string): boolean {
  if (isBuiltByVite(program, path)) return true
  return !program.workspaces.uses('next', path) && ['astro', 'gatsby', 'vite', 'react-scripts', 'nuxt', 'vike'].some((p) => program.workspaces.uses(p, path))
}

function apiEntries(program: Program, path: string, route: string): Entry[] {
  const h = exportedHandler(program, path, 'default')
  if (!h) return []
  const methods = methodsTested(program, h.code)
  return (methods.length ? methods : [undefined]).map((method) =>
    handlerEntry({ framework: 'Next.js', route, path, calling: 'next-api', before: nextMiddlewareFor(program, path, route) }, h, method),
  )
}

function pageEntries(program: Program, path: string, route: string): Entry[] {
  const component = exportedHandler(program, path, 'default')
  if (!component) return []
  const props = exportedHandler(program, path, 'getServerSideProps')
  const before: Before[] = nextMiddlewareFor(program, path, route)
  return [
    {
      framework: 'Next.js',
      kind: 'page',
      method: 'GET',
      route,
      subject: routeSubject('GET', route),
      path,
      line: component.line,
      ...(component.endLine ? { endLine: component.endLine } : {}),
      ...(props?.code ? { code: props.code } : {}),
      calling: 'next-props',
      before,
      page: { path, client: true },
    },
  ]
}
