import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Entry, Framework } from '../entry.ts'
import { exportedHandler } from '../exported-handlers.ts'
import type { Code } from '../program.ts'
import { codeOf, type Program } from '../program.ts'
import { toEntry } from '../routers/express.ts'
import { honoRouters } from '../routers/hono.ts'
import { expressionsDeep, propOf } from '../walk.ts'

const FUNCTION = /^((?:.*\/)?supabase)\/functions\/([^/_.][^/]*)\/index\.[cm]?[jt]sx?$/

/** Supabase Edge Functions: `supabase/functions/NAME/index.ts`, whatever serves them, and whether the gateway verifies a token. */
export const edgeFunctions: Framework = {
  name: 'Supabase Edge Functions',
  entries: (program) =>
    program.paths.flatMap((path) => {
      const m = FUNCTION.exec(path)
      return m ? functionEntries(program, path, m[2] as string, platformJwt(program, m[1] as string, m[2] as string)) : []
    }),
}

function functionEntries(program: Program, path: string, name: string, jwt: NonNullable<Entry['platformJwt']>): Entry[] {
  const served = servedBy(program, path)
  if (!served) return []
  const common = { framework: 'Supabase Edge Functions', kind: 'edge-function' as const, platformJwt: jwt }
  if (served.router) {
    const routes = honoRouters(program).routesOf(path, served.scope, served.router) ?? []
    const prefix = `/functions/v1/${name}`
    const inside = `/${name}`
    if (routes.length)
      return routes.map((r) => {
        // Hono sees the path with the function's name in front.
        const local = { ...r, route: r.route === inside || r.route.startsWith(`${inside}/`) ? r.route.slice(inside.length) || '/' : r.route }
        const entry = toEntry('Supabase Edge Functions', local, 'hono', prefix)
        return { ...entry, route: entry.route.replace(/(.)\/$/, '$1'), subject: entry.subject.replace(/(.)\/$/, '$1'), ...common }
      })
  }
  const fn = served.code?.k === 'fn' && served.code.path === path ? program.fn(path, served.code.fn) : undefined
  return [
    {
      ...common,
      route: `/functions/v1/${name}`,
      subject: `function ${name}`,
      // the platform takes `/functions/v1` off
      anyPath: `/${name}`,
      path,
      line: Math.min(served.line, fn?.l ?? served.line),
      ...(fn ? { endLine: fn.e } : {}),
      ...(served.code ? { code: served.code } : {}),
      calling: 'fetch',
      before: [],
    },
  ]
}

interface Served {
  readonly code?: Code
  readonly router?: Expr
  readonly scope: FunctionId
  readonly line: number
}

/** What answers the requests of a Deno file: the argument of `Deno.serve` or `serve`, `addEventListener('fetch')`, a default export. */
export function servedBy(program: Program, path: string): Served | undefined {
  const js = program.js(path)
  if (!js) return undefined
  for (const { expr, scope } of expressionsDeep(js, 0)) {
    if (expr.k !== 'call') continue
    const isServe =
      (expr.fn.k === 'mem' && expr.fn.name === 'serve' && expr.fn.of.k === 'id' && expr.fn.of.name === 'Deno') ||
      (expr.fn.k === 'id' && /^(serve|listenAndServe)$/.test(expr.fn.name))
    if (!isServe) continue
    for (const arg of expr.args) {
      const found = handler(program, path, scope, arg, expr.l)
      if (found) return found
    }
    const options = expr.args.find((a) => a.k === 'obj')
    const inOptions = propOf(options, 'handler')
    if (inOptions) return handler(program, path, scope, inOptions, expr.l)
  }
  const h = exportedHandler(program, path, 'default')
  if (h?.meaning?.k === 'expr') {
    const fetch = propOf(h.meaning.expr, 'fetch')
    if (fetch) return handler(program, h.meaning.path, h.meaning.scope, fetch, h.line)
    return { ...(h.code ? { code: h.code } : {}), scope: 0, line: h.line, ...(h.meaning.expr.k === 'new' ? { router: h.meaning.expr } : {}) }
  }
  if (h?.code) return { code: h.code, scope: 0, line: h.line }
  return undefined
}

function handler(program: Program, path: string, scope: FunctionId, arg: Expr, line: number): Served | undefined {
  if (arg.k === 'obj' || arg.k === 'lit') return undefined
  // app.fetch, app.fetch.bind(app)
  if (arg.k === 'mem' && arg.name === 'fetch') return { router: arg.of, scope, line }
  if (arg.k === 'call' && arg.fn.k === 'mem' && arg.fn.name === 'bind' && arg.fn.of.k === 'mem' && arg.fn.of.name === 'fetch')
    return { router: arg.fn.of.of, scope, line }
  // (req) => app.fetch(req)
  const m = program.meaning(path, scope, arg)
  if (m?.k === 'fn') {
    const ir = program.fn(m.path, m.fn)
    const only = ir?.body.length === 1 && ir.body[0]?.k === 'return' ? ir.body[0].value : undefined
    if (only?.k === 'call' && only.fn.k === 'mem' && only.fn.name === 'fetch') return { router: only.fn.of, scope: m.fn, line }
  }
  const code = codeOf(m)
  return code ? { code, scope, line } : undefined
}

const flagged = new WeakMap<Program, { readonly all?: Place; readonly byName: ReadonlyMap<string, Place> }>()

/** Whether the gateway checks a token for a function: `config.toml`, else deploy commands, else yes. */
function platformJwt(program: Program, supabase: string, name: string): NonNullable<Entry['platformJwt']> {
  const configPath = `${supabase}/config.toml`
  const config = program.facts.of('config-file').get(configPath)
  const functions = (config?.data as { functions?: Record<string, { verify_jwt?: unknown }> } | undefined)?.functions
  const verify = functions?.[name]?.verify_jwt
  const line = config?.lines[`functions.${name}.verify_jwt`] ?? 1
  if (verify === false) return { on: false, at: { path: configPath, line } }
  const flags = deployFlags(program)
  const flag = flags.byName.get(name) ?? flags.all
  if (flag) return { on: false, at: flag }
  return verify === true ? { on: true, at: { path: configPath, line } } : { on: true }
}

/** Deploy commands with `--no-verify-jwt` in scripts and workflows. */
function deployFlags(program: Program): { readonly all?: Place; readonly byName: ReadonlyMap<string, Place> } {
  const known = flagged.get(program)
  if (known) return known
  let all: Place | undefined
  const byName = new Map<string, Place>()
  const read = (command: string, at: Place) => {
    const m = /functions\s+deploy\b([^\n;&|]*)/.exec(command)
    if (!m || !/--no-verify-jwt\b/.test(m[1] ?? '')) return
    const names = (m[1] ?? '')
      .replace(/--(project-ref|workdir|import-map)[ =]\S+/g, ' ')
      .split(/\s+/)
      .filter((w) => w !== '' && !w.startsWith('-') && !w.startsWith('$') && /^[\w-]+$/.test(w))
    if (!names.length) all ??= at
    for (const n of names) if (!byName.has(n)) byName.set(n, at)
  }
  for (const [path, manifest] of program.facts.of('package-json')) for (const command of Object.values(manifest.scripts)) read(command, { path, line: 1 })
  for (const [path, config] of program.facts.of('config-file'))
    if (config.format === 'yaml')
      for (const { text, line } of stringsIn(config.data, config.lines, '', 0)) for (const l of text.split('\n')) read(l, { path, line })
  for (const [path, { text }] of program.facts.of('text'))
    if (/\.(sh|bash|ps1|bat|cmd|mk)$|(^|\/)(makefile|justfile|dockerfile)/i.test(path))
      text.split('\n').forEach((l, i) => {
        read(l, { path, line: i + 1 })
      })
  const result = { ...(all ? { all } : {}), byName }
  flagged.set(program, result)
  return result
}

function* stringsIn(data: unknown, lines: Readonly<Record<string, number>>, at: string, depth: number): Generator<{ text: string; line: number }> {
  if (depth > 12) return
  if (typeof data === 'string') yield { text: data, line: lines[at] ?? 1 }
  else if (data && typeof data === 'object') for (const [k, v] of Object.entries(data)) yield* stringsIn(v, lines, at ? `${at}.${k}` : k, depth + 1)
}
