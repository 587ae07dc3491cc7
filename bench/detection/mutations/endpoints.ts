import { type Files, type Plant, usesSupabase } from './plant.ts'

interface Place {
  /** The folder that holds endpoints of this kind. */
  readonly folder: RegExp
  readonly file: (name: string) => string
  readonly deno?: boolean
  /** How the text of the request is read. */
  readonly input: string
  readonly header: (name: string) => string
  readonly wrap: (code: string) => string
}

const web = { input: 'await request.json()', header: (name: string) => `request.headers.get('${name}')` }

const PLACES: readonly Place[] = [
  {
    ...web,
    folder: /^(?:.*\/)?app\/api\/(?=.*route\.[jt]s$)/,
    file: (name) => `${name}/route.ts`,
    wrap: (code) => `export async function POST(request: Request) {\n${code}\n}`,
  },
  {
    ...web,
    folder: /^(?:.*\/)?src\/routes\/api\/(?=.*\+server\.[jt]s$)/,
    file: (name) => `${name}/+server.ts`,
    wrap: (code) => `export const POST = async ({ request }) => {\n${code}\n}`,
  },
  {
    ...web,
    folder: /^(?:.*\/)?supabase\/functions\/(?=[^_/]+\/index\.ts)/,
    file: (name) => `${name}/index.ts`,
    deno: true,
    wrap: (code) => `Deno.serve(async (request) => {\n${code}\n})`,
  },
  {
    folder: /^(?:.*\/)?server\/api\/(?=.*\.[jt]s$)/,
    file: (name) => `${name}.post.ts`,
    input: 'await readBody(event)',
    header: (name) => `getHeader(event, '${name}')`,
    wrap: (code) => `export default defineEventHandler(async (event) => {\n${code}\n})`,
  },
  {
    ...web,
    folder: /^(?:.*\/)?app\/routes\/(?=[^/]*\.tsx?$)/,
    file: (name) => `api.${name}.ts`,
    wrap: (code) => `export async function action({ request }: { request: Request }) {\n${code}\n}`,
  },
]

/** Who is let in to a new endpoint. `HEADER(x)` and `ENV(X)` stand for the framework's way to read them. */
export const NOBODY_ASKED = ''
export const SIGNED_IN = `  const token = (HEADER(authorization) ?? '').replace('Bearer ', '')
  const { data: { user }, error } = await db.auth.getUser(token)
  if (error || !user) return new Response(null, { status: 401 })
`

/**
 * A new endpoint in whatever way the repository writes them. `db` is a service-role client, `input` the request's
 * body and, where the guard says so, `user` the signed-in caller.
 */
export function endpoint(name: string, guard: string, body: string): Plant {
  return (files: Files) => {
    if (!usesSupabase(files)) return []
    return PLACES.flatMap((place) => {
      const folder = [...files.keys()].map((p) => place.folder.exec(p)?.[0]).find((d) => d !== undefined)
      if (!folder) return []
      const env = (n: string) => (place.deno ? `Deno.env.get('${n}')` : `process.env.${n}`)
      const fill = (code: string) =>
        code.replaceAll(/HEADER\(([\w-]+)\)/g, (_, n: string) => place.header(n)).replaceAll(/ENV\((\w+)\)/g, (_, n: string) => env(n))
      const text = [
        `import { createClient } from '${place.deno ? 'https://esm.sh/@supabase/supabase-js@2' : '@supabase/supabase-js'}'`,
        '',
        `const db = createClient(${env('SUPABASE_URL')}!, ${env('SUPABASE_SERVICE_ROLE_KEY')}!)`,
        place.wrap(fill(`  const input = ${place.input}\n${guard}${body}`)),
        '',
      ].join('\n')
      return [{ path: `${folder}${place.file(name)}`, text }]
    })
  }
}
