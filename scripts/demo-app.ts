import { randomBytes } from 'node:crypto'

// A small application as AI builders write them, and a pull request that opens holes. Keys are made when it runs: none stands here.

const secret = (...parts: string[]) => parts.join('_')
const STRIPE = secret('sk', 'live', randomBytes(24).toString('hex'))
const jwt = (role: string) =>
  [
    { alg: 'HS256', typ: 'JWT' },
    { iss: 'supabase', ref: 'demodemodemodemodemo', role, iat: 1700000000, exp: 2015576000 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('c2lnbmF0dXJlLW9mLXRoZS1kZW1vLW9ubHktMTIzNDU2Nzg')
    .join('.')

/** The default branch: one table with sound policies, a sign-in, a guarded route. */
export const BASE_FILES: Record<string, string> = {
  'package.json': JSON.stringify(
    {
      name: 'leaky-notes',
      private: true,
      scripts: { dev: 'next dev' },
      dependencies: { '@supabase/ssr': '^0.5.0', '@supabase/supabase-js': '^2.45.0', next: '15.1.0', react: '^19.0.0', stripe: '^17.0.0' },
    },
    null,
    2,
  ),
  '.gitignore': 'node_modules\n.next\n.env*\n',
  'supabase/config.toml': '[auth]\nsite_url = "https://notes.example.com"\n',
  'supabase/migrations/20250101000000_notes.sql': `create table public.notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) default auth.uid(),
  body text not null
);
alter table public.notes enable row level security;
create policy "own notes are readable" on public.notes for select to authenticated using ((select auth.uid()) = user_id);
create policy "own notes are written" on public.notes for insert to authenticated with check ((select auth.uid()) = user_id);
create policy "own notes are changed" on public.notes for update to authenticated using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "own notes are deleted" on public.notes for delete to authenticated using ((select auth.uid()) = user_id);
`,
  'lib/supabase/server.ts': `import { createServerClient } from '@supabase/ssr'
import { cookies } from 'next/headers'

export async function createClient() {
  const store = await cookies()
  return createServerClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!, {
    cookies: { getAll: () => store.getAll(), setAll: (all) => all.forEach(({ name, value, options }) => store.set(name, value, options)) },
  })
}
`,
  'app/api/notes/route.ts': `import { createClient } from '@/lib/supabase/server'

export async function GET() {
  const supabase = await createClient()
  const { data: { user } } = await supabase.auth.getUser()
  if (!user) return Response.json({ error: 'sign in' }, { status: 401 })
  const { data } = await supabase.from('notes').select('id, body').eq('user_id', user.id)
  return Response.json(data)
}
`,
}

/** The pull request: a table without row level security, a policy that is always true, an unguarded route with the service role, an unsigned payment webhook, a committed key. */
export const PULL_FILES: Record<string, string> = {
  'supabase/migrations/20250201000000_teams.sql': `create table public.team_members (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id),
  email text not null,
  role text not null default 'member'
);

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id),
  body text not null
);
alter table public.messages enable row level security;
create policy "messages are readable" on public.messages for select using (true);
create policy "messages are written" on public.messages for insert with check (true);
`,
  'app/api/export/route.ts': `import { createClient } from '@supabase/supabase-js'

const admin = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)

export async function POST(request: Request) {
  const { userId } = await request.json()
  const { data } = await admin.from('notes').select('*').eq('user_id', userId)
  return Response.json(data)
}
`,
  'app/api/stripe/webhook/route.ts': `import { createClient } from '@supabase/supabase-js'

const admin = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)

export async function POST(request: Request) {
  const event = await request.json()
  if (event.type === 'checkout.session.completed') {
    await admin.from('team_members').update({ role: 'owner' }).eq('email', event.data.object.customer_email)
  }
  return Response.json({ received: true })
}
`,
  'components/admin-panel.tsx': `'use client'
import { createClient } from '@supabase/supabase-js'

const supabase = createClient('https://demodemodemodemodemo.supabase.co', '${jwt('service_role')}')

export function AdminPanel() {
  return <button onClick={() => supabase.from('notes').delete().neq('id', '')}>Delete everything</button>
}
`,
  'app/admin/page.tsx': `import { AdminPanel } from '@/components/admin-panel'

export default function Page() {
  return <AdminPanel />
}
`,
  '.env.production': `STRIPE_SECRET_KEY=${STRIPE}\nNEXT_PUBLIC_SUPABASE_URL=https://demodemodemodemodemo.supabase.co\n`,
}
