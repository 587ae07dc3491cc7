/** A page in the browser that works with the rights of whoever visits, beside what `src/main.tsx` does with the client. */
export const BROWSER_APPLICATION = {
  'package.json': '{"dependencies":{"@supabase/supabase-js":"2","vite":"5","react":"18"}}',
  'index.html': '<script type="module" src="/src/main.tsx"></script>',
  'src/client.ts': `import { createClient } from '@supabase/supabase-js'
export const supabase = createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_ANON_KEY)
`,
}

/** A module of a Next.js application whose `createClient` works with the session in the cookies. */
export const SESSION_CLIENT = `import { createServerClient } from '@supabase/ssr'
import { cookies } from 'next/headers'
export async function createClient() {
  const store = await cookies()
  return createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, { cookies: { getAll: () => store.getAll(), setAll: () => {} } })
}
`

/** What stands below `SESSION_CLIENT` where `createServiceClient` works with the service role. */
export const SERVICE_CLIENT = `import { createClient as plain } from '@supabase/supabase-js'
export function createServiceClient() {
  return plain(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
}
`

/** A Next.js application that asks Supabase with the session in the cookies, by `createClient` of `@/lib/server`. */
export const NEXT_ON_SUPABASE = {
  'package.json': '{ "dependencies": { "next": "15.0.0", "@supabase/ssr": "0.5.0", "@supabase/supabase-js": "2.45.0" } }',
  'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
  'lib/server.ts': SESSION_CLIENT,
}

/** How an edge function takes its library. */
export const IMPORTS_CLIENT = "import { createClient } from 'npm:@supabase/supabase-js@2'\n"
/** `admin`, with the service role. */
export const ADMIN_CLIENT = "const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)"

/** An edge function that asks nobody who calls; `body` works with `req` and `admin`, `top` stands before the handler. */
export const edgeFunction = (body: string, top = ''): string =>
  `${IMPORTS_CLIENT}${top}Deno.serve(async (req) => {\n  ${ADMIN_CLIENT}\n${body}\n  return new Response('ok')\n})\n`

/** A schema of Prisma on PostgreSQL. */
export const prismaSchema = (models: string): string => `datasource db {\n  provider = "postgresql"\n  url      = env("DATABASE_URL")\n}\n${models}`
