/** One file of each format that is read, in the shape in which real repositories have it. */
export const SEEDS: readonly (readonly [path: string, text: string])[] = [
  [
    'app/api/notes/[id]/route.ts',
    `'use server'
import { createClient as make } from '@/lib/supabase/server'
import type { Note } from '../types'
export const dynamic = 'force-dynamic'
export async function POST(request: Request, { params }: { params: Promise<{ id: string }> }) {
  const { title, ...rest } = await request.json()
  const supabase = await make()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user || user.id !== rest?.owner) return Response.json({ error: \`no \${title}\` }, { status: 401 })
  for (const [key, value] of Object.entries(rest)) if (/^[a-z]+$/.test(key)) console.log(key, value as string)
  const rows = await supabase.from('notes').update({ title }).eq('id', (await params).id).select<Note>()
  return Response.json(rows satisfies unknown)
}
`,
  ],
  [
    'src/App.tsx',
    `export default function App({ html }: Props) {
  const [open, setOpen] = useState<boolean>(false)
  useEffect(() => { void fetch(import.meta.env.VITE_API_URL + '/x').then((r) => r.json()) }, [])
  return <><Menu {...{ open }} onClick={() => setOpen(!open)} /><div dangerouslySetInnerHTML={{ __html: html }}>{open ? <b>&nbsp;</b> : null}</div></>
}
`,
  ],
  [
    'server/index.cjs',
    "const express = require('express')\nclass A extends B { static #x = 1; get y() { return this.#x ?? 0 } async *z() { yield* this } }\nlabel: for (;;) { try { break label } catch { continue } finally { delete A.x } }\nmodule.exports = { A, ['b' + 1]: function () { return eval('1') } }\n",
  ],
  [
    'src/routes/+page.svelte',
    '<script lang="ts">\n  import { page } from "$app/state"\n  let { data } = $props()\n</script>\n{#each data.notes as note (note.id)}\n  <p>{@html note.body}</p>\n{/each}\n<style>p { color: red }</style>\n',
  ],
  [
    'pages/index.vue',
    '<template><div v-html="body" @click="go()">{{ title }}</div></template>\n<script setup lang="ts">\nconst body = ref(await $fetch("/api/body"))\ndefineProps<{ title: string }>()\n</script>\n<style scoped>.a{}</style>\n',
  ],
  [
    'src/pages/index.astro',
    '---\nimport Layout from "../Layout.astro"\nconst { id } = Astro.params\nconst secret = import.meta.env.SECRET\n---\n<Layout><p set:html={id}>{secret}</p><script>console.log(1)</script></Layout>\n',
  ],
  [
    'index.html',
    '<!doctype html><html><head><script type="module" src="/src/main.tsx"></script><script>window.KEY = "abc"</script></head><body><div id="root"></div></body></html>\n',
  ],
  [
    'supabase/migrations/20250101000000_notes.sql',
    `create table public.notes (id uuid primary key default gen_random_uuid(), user_id uuid references auth.users (id) on delete cascade, body text not null default '');
alter table public.notes enable row level security;
create policy "own" on public.notes for all to authenticated using ((select auth.uid()) = user_id) with check (auth.uid() = user_id);
create or replace function public.touch() returns trigger language plpgsql security definer set search_path = '' as $$ begin new.body := now()::text; return new; end $$;
create trigger touch before update on public.notes for each row execute function public.touch();
do $do$ begin if not exists (select 1 from pg_type where typname = 'mood') then create type public.mood as enum ('a', 'b'); end if; end $do$;
insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true) on conflict do nothing;
grant select on public.notes to anon; -- a comment /* with another */
`,
  ],
  [
    '.env',
    '# keys\nexport DATABASE_URL="postgres://user:${DB_PASSWORD}@localhost/db"\nNEXT_PUBLIC_SUPABASE_URL=https://abc.supabase.co\nEMPTY=\nMULTI="a\nb"\nQUOTED=\'x # y\' # z\n',
  ],
  ['.gitignore', 'node_modules\n.env*\n!.env.example\n/dist/**\n\\#odd\n[a-z]*.log\n'],
  [
    'package.json',
    '{"name":"shop","workspaces":["packages/*"],"scripts":{"dev":"next dev"},"dependencies":{"next":"15.1.0","a":"npm:b@^1"},"devDependencies":{"x":"workspace:*"},"overrides":{"c":{"d":"1"}}}',
  ],
  ['tsconfig.json', '{\n  // comment\n  "extends": "./base.json",\n  "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["./src/*",], }, },\n}\n'],
  [
    'supabase/config.toml',
    'project_id = "abc"\n[api]\nenabled = true\nschemas = ["public", "graphql_public"]\n[auth]\nsite_url = "http://localhost:3000"\nadditional_redirect_urls = [\n  "https://*.example.com", # all\n]\n[auth.email]\notp_expiry = 3_600\n[[auth.hook]]\nuri = \'\'\'x\'\'\'\n[functions.hello]\nverify_jwt = false\n',
  ],
  [
    '.github/workflows/ci.yml',
    'name: CI\non: { push: { branches: [main] } }\nenv: &env\n  KEY: ${{ secrets.KEY }}\njobs:\n  build:\n    runs-on: ubuntu-latest\n    env: *env\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          echo "${{ github.event.pull_request.title }}"\n          npm ci\n',
  ],
  [
    'docker-compose.yml',
    'services:\n  db:\n    image: postgres:17\n    environment:\n      POSTGRES_PASSWORD: postgres\n    ports: ["5432:5432"]\n  web:\n    build: .\n    env_file: [.env]\n    <<: &x { restart: always }\n',
  ],
  [
    'Dockerfile',
    'FROM node:24 AS build\nARG TOKEN=abc\nENV API_KEY="x y" \\\n    OTHER=z\nRUN --mount=type=secret,id=a npm ci && \\\n  npm run build\nCOPY . .\nUSER node\nCMD ["node", "x.js"]\n',
  ],
  [
    'vercel.json',
    '{"headers":[{"source":"/(.*)","headers":[{"key":"X-Frame-Options","value":"DENY"}]}],"crons":[{"path":"/api/cron","schedule":"0 0 * * *"}]}',
  ],
  [
    'netlify.toml',
    '[build]\n  command = "npm run build"\n[[headers]]\n  for = "/*"\n  [headers.values]\n    Content-Security-Policy = "default-src \'self\'"\n',
  ],
  [
    'firestore.rules',
    "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents { match /{d=**} { allow read, write: if request.auth != null; } } }\n",
  ],
  [
    'prisma/schema.prisma',
    'datasource db {\n  provider = "postgresql"\n  url      = env("DATABASE_URL")\n}\nmodel User {\n  id    Int    @id @default(autoincrement())\n  email String @unique\n  posts Post[]\n  @@map("users")\n}\nmodel Post {\n  id Int @id\n  userId Int\n  user User @relation(fields: [userId], references: [id])\n}\n',
  ],
  [
    'package-lock.json',
    '{"name":"a","lockfileVersion":3,"packages":{"":{"dependencies":{"b":"^1"},"workspaces":["p/*"]},"node_modules/b":{"version":"1.2.3","dependencies":{"c":"*"}},"node_modules/c":{"version":"2.0.0","dev":true},"p/q":{"name":"q"},"node_modules/q":{"resolved":"p/q","link":true}}}',
  ],
  ['npm-shrinkwrap.json', '{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0","requires":{"b":"^1"},"dependencies":{"b":{"version":"1.1.0"}}}}}'],
  [
    'yarn.lock',
    '# yarn lockfile v1\n\n\n"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.2.0"\n  resolved "https://registry.yarnpkg.com/@a/b/-/b-1.2.0.tgz#abc"\n  dependencies:\n    c "^2.0.0"\n\nc@^2.0.0:\n  version "2.0.1"\n',
  ],
  [
    'berry/yarn.lock',
    '__metadata:\n  version: 8\n  cacheKey: 10c0\n\n"a@npm:^1.0.0, a@npm:^1.1.0":\n  version: 1.2.0\n  resolution: "a@npm:1.2.0"\n  dependencies:\n    b: "npm:^2.0.0"\n  checksum: 10c0/abc\n  languageName: node\n  linkType: hard\n',
  ],
  [
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\nsettings:\n  autoInstallPeers: true\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1.0.0\n        version: 1.2.0(react@19.0.0)\npackages:\n  a@1.2.0:\n    resolution: {integrity: sha512-abc}\n    peerDependencies:\n      react: '*'\nsnapshots:\n  a@1.2.0(react@19.0.0):\n    dependencies:\n      b: 2.0.0\n",
  ],
  [
    'bun.lock',
    '{\n  "lockfileVersion": 1,\n  "workspaces": { "": { "name": "a", "dependencies": { "b": "^1" } } },\n  "packages": { "b": ["b@1.2.0", "", { "dependencies": { "c": "^2" } }, "sha512-abc"], },\n}\n',
  ],
  [
    'deno.lock',
    '{"version":"5","specifiers":{"npm:a@^1":"1.2.0"},"npm":{"a@1.2.0":{"integrity":"sha512-abc","dependencies":["b@2"]}},"workspace":{"packageJson":{"dependencies":["npm:a@^1"]}}}',
  ],
  ['README.md', '# Shop\n\nSet `STRIPE_KEY=...` and run `npm run dev`.\n'],
]

/** A configuration as teams write it. */
export const CONFIGURATION = `fail_on: high
comment: findings
paths: { ignore: ["legacy/**", "docs/*.md"] }
public:
  tables: [{ name: plans, reason: price list }]
  routes: [{ name: GET /api/status, reason: status page }]
production: { domains: ["example.com"] }
attest: [ { check: auth/otp-expiry, statement: "3600 s in the dashboard", by: "@owner", date: 2026-11-20, expires: 2027-05-20 } ]
suppress:
  - check: api/auth
    subject: "route GET /api/og"
    reason: "public image"
    expires: 2027-01-01
`
