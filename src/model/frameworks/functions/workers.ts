import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import type { Entry, Framework } from '../entry.ts'
import { exportedHandler } from '../exported-handlers.ts'
import { codeOf } from '../program.ts'
import { propOf } from '../walk.ts'

/** Cloudflare Workers: the `fetch` handler of the default export, where the workspace is configured for Wrangler. */
export const workers: Framework = {
  name: 'Cloudflare Workers',
  entries: (program) => {
    const configured = new Set(
      program.files.paths.flatMap(
        (p) =>
          /^(?:(.*)\/)?wrangler\.(?:toml|jsonc?)$/
            .exec(p)
            ?.slice(1)
            .map((dir) => dir ?? '') ?? [],
      ),
    )
    return program.paths.flatMap((path): Entry[] => {
      if (!configured.has(program.workspace(path).dir) || inEdgeFunctions(path) || program.importersOf('hono').has(path)) return []
      const h = exportedHandler(program, path, 'default')
      if (h?.meaning?.k !== 'expr' || h.meaning.expr.k !== 'obj') return []
      const fetch = propOf(h.meaning.expr, 'fetch')
      const m = fetch ? program.meaning(h.meaning.path, h.meaning.scope, fetch) : undefined
      const code = codeOf(m)
      if (!code || !fetch) return []
      const fn = m?.k === 'fn' ? program.fn(m.path, m.fn) : undefined
      return [
        {
          framework: 'Cloudflare Workers',
          kind: 'api',
          route: '/[...path]',
          subject: 'route /[...path]',
          anyPath: '/',
          path,
          line: fn && m?.k === 'fn' && m.path === path ? fn.l : fetch.l,
          ...(fn ? { endLine: fn.e } : {}),
          code,
          calling: 'fetch',
          before: [],
        },
      ]
    })
  },
}
