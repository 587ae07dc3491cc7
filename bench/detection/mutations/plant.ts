/** A changed file; undefined text removes it. */
export interface Planted {
  readonly path: string
  readonly text: string | undefined
}

/** Every place where a hole can be planted, in order of path. */
export type Plant = (files: ReadonlyMap<string, string>) => readonly Planted[]

export const isSql = (p: string) => /\.sql$/.test(p) && !/seed|test|discard|archive/i.test(p)
export const isCode = (p: string) =>
  /\.(ts|tsx|js|jsx|mjs|svelte|vue|astro)$/.test(p) && !/(test|spec|stories|__tests__|e2e|\.d\.ts|scripts?\/|examples?\/)/.test(p)
export const isServer = (p: string) => isCode(p) && /(^|\/)(api|functions|server|routes|actions)(\/|\.)|route\.[jt]s$|\+server\.|\+page\.server\./.test(p)
/** Sign-in itself: nothing there is protected. */
export const isSignIn = (p: string) => /(^|\/)\(?(auth|sign-?in|sign-?up|login|register|callback|confirm|forgot-password|reset-password)\)?(\/|\.)/.test(p)
export const isBrowser = (text: string) => /^\s*['"]use client['"]/.test(text)

/** Replaces the first match in each file for which `where` holds; one planted hole a file. */
export function replacing(
  where: (path: string) => boolean,
  pattern: RegExp,
  by: string | ((...m: string[]) => string),
  needs?: (text: string) => boolean,
): Plant {
  return (files) =>
    [...files].flatMap(([path, text]) => {
      if (!where(path) || (needs && !needs(text))) return []
      const next = text.replace(pattern, by as never)
      return next === text ? [] : [{ path, text: next }]
    })
}

/** Appends a statement as the newest migration, once for each object that `find` gives. */
export function migrating(find: (sql: string) => readonly string[]): Plant {
  return (files) => {
    const sql = [...files].filter(([p]) => isSql(p))
    const dir = sql
      .map(([p]) => p)
      .find((p) => /supabase\/migrations\//.test(p))
      ?.replace(/[^/]+$/, '')
    if (!dir) return []
    return find(sql.map(([, t]) => t).join('\n')).map((text) => ({ path: `${dir}99990101000000_change.sql`, text: `${text}\n` }))
  }
}

export interface OwnedTable {
  readonly table: string
  readonly owner: string
  /** True when a policy already shows every row. */
  readonly open: boolean
}

/** Tables with an owner column that SQL creates in public, by name. */
export function ownedTables(sql: string): OwnedTable[] {
  const found = new Map<string, string>()
  for (const m of sql.matchAll(/create table (?:if not exists )?(?:public\.)?"?(\w+)"?\s*\(([\s\S]*?)\n\s*\)\s*;/gi)) {
    const owner = /\b(user_id|owner_id|created_by|author_id)\b\s+uuid/i.exec(m[2] as string)?.[1]
    if (owner) found.set(m[1] as string, owner)
  }
  const readable = new Set(
    sql
      .split(';')
      .filter((s) => /create policy/i.test(s) && /\bfor\s+(select|all)\b/i.test(s) && /using\s*\(\s*true\s*\)/i.test(s))
      .map((s) => /\bon\s+(?:public\.)?"?(\w+)"?/i.exec(s)?.[1]),
  )
  return [...found].map(([table, owner]) => ({ table, owner, open: readable.has(table) }))
}

export const onOwned = (statement: (table: string, owner: string) => string): Plant =>
  migrating((sql) => ownedTables(sql).map((t) => statement(t.table, t.owner)))

/** Only tables whose rows nobody else sees: reading all rows of the others is no hole. */
export const onPrivate = (statement: (table: string, owner: string) => string): Plant =>
  migrating((sql) =>
    ownedTables(sql)
      .filter((t) => !t.open)
      .map((t) => statement(t.table, t.owner)),
  )

/** A file of its own, where the repository has what `when` looks for. */
export const adding =
  (path: string, text: string, when: (files: ReadonlyMap<string, string>) => boolean = (f) => f.has('package.json')): Plant =>
  (files) =>
    !files.has(path) && when(files) ? [{ path, text }] : []

export const usesSupabase = (files: ReadonlyMap<string, string>) => /"@supabase\//.test(files.get('package.json') ?? '')

/** A new endpoint in whatever way the repository writes them. `db` is a service-role client, `user` the signed-in caller. */
export function endpoint(name: string, body: string, options: { readonly guarded: boolean; readonly head?: string }): Plant {
  return (files) => {
    if (!usesSupabase(files) && ![...files.keys()].some((p) => /supabase\/functions\//.test(p))) return []
    const paths = [...files.keys()]
    const dir = (pattern: RegExp) => paths.map((p) => pattern.exec(p)?.[0]).find((d) => d !== undefined)
    const places: [string | undefined, string, (code: string) => string][] = [
      [dir(/^(?:.*\/)?app\/api\//), `${name}/route.ts`, (code) => `export async function POST(request: Request) {\n${code}\n}`],
      [dir(/^(?:.*\/)?src\/routes\/api\//), `${name}/+server.ts`, (code) => `export const POST = async ({ request }) => {\n${code}\n}`],
      [dir(/^(?:.*\/)?supabase\/functions\/(?=[^_/]+\/index\.ts)/), `${name}/index.ts`, (code) => `Deno.serve(async (request) => {\n${code}\n})`],
    ]
    return places.flatMap(([at, file, wrap]) => {
      if (!at) return []
      const deno = at.endsWith('functions/')
      const env = (n: string) => (deno ? `Deno.env.get('${n}')!` : `process.env.${n}!`)
      const text = [
        `import { createClient } from '${deno ? 'https://esm.sh/@supabase/supabase-js@2' : '@supabase/supabase-js'}'`,
        options.head ?? '',
        `const db = createClient(${env('SUPABASE_URL')}, ${env('SUPABASE_SERVICE_ROLE_KEY')})`,
        wrap(`${options.guarded ? GUARD : ''}  const input = await request.json()\n${body.replaceAll('ENV_RESEND', env('RESEND_API_KEY'))}`),
        '',
      ].join('\n')
      return [{ path: `${at}${file}`, text }]
    })
  }
}

const GUARD = `  const token = (request.headers.get('authorization') ?? '').replace('Bearer ', '')
  const { data: { user }, error } = await db.auth.getUser(token)
  if (error || !user) return new Response(null, { status: 401 })
`
