/** One way to plant a hole. It changes one file (or adds one) and says which checks must see it. */
export interface Operator {
  readonly check: number
  readonly name: string
  /** Other checks that the same hole may rightly be reported under. */
  readonly also?: readonly number[]
  /** Every place where the hole can be planted, in order of path; undefined text removes the file. */
  plant(files: ReadonlyMap<string, string>): readonly Planted[]
}

export interface Planted {
  readonly path: string
  readonly text: string | undefined
}

const isSql = (p: string) => /\.sql$/.test(p) && !/seed|test|discard|archive/i.test(p)
const isCode = (p: string) => /\.(ts|tsx|js|jsx|mjs|svelte|vue|astro)$/.test(p) && !/(test|spec|stories|__tests__|e2e|\.d\.ts|scripts?\/|examples?\/)/.test(p)
const isServer = (p: string) => isCode(p) && /(^|\/)(api|functions|server|routes|actions)(\/|\.)|route\.[jt]s$|\+server\.|\+page\.server\./.test(p)

/** Replaces the first match in each file for which `where` holds; one planted hole a file. */
function replacing(where: (path: string) => boolean, pattern: RegExp, by: string | ((...m: string[]) => string), needs?: RegExp): Operator['plant'] {
  return (files) =>
    [...files].flatMap(([path, text]) => {
      if (!where(path) || (needs && !needs.test(text))) return []
      const next = text.replace(pattern, by as never)
      return next === text ? [] : [{ path, text: next }]
    })
}

/** Appends a statement as the newest migration, once for each object that `find` gives. */
function migrating(find: (sql: string) => readonly string[]): Operator['plant'] {
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

/** Tables with an owner column that SQL creates in public, by name. */
function ownedTables(sql: string): { table: string; owner: string }[] {
  const found = new Map<string, string>()
  for (const m of sql.matchAll(/create table (?:if not exists )?(?:public\.)?"?(\w+)"?\s*\(([\s\S]*?)\n\s*\)\s*;/gi)) {
    const owner = /\b(user_id|owner_id|created_by|author_id)\b\s+uuid/i.exec(m[2] as string)?.[1]
    if (owner) found.set(m[1] as string, owner)
  }
  return [...found].map(([table, owner]) => ({ table, owner }))
}

const onOwned = (statement: (table: string, owner: string) => string): Operator['plant'] =>
  migrating((sql) => ownedTables(sql).map((t) => statement(t.table, t.owner)))

/** At least three operators for each check that code or SQL can break. */
export const OPERATORS: readonly Operator[] = [
  { check: 1, name: 'a migration disables RLS', plant: onOwned((t) => `alter table public.${t} disable row level security;`) },
  {
    check: 1,
    name: 'a new table without RLS',
    plant: migrating((sql) =>
      /row level security/i.test(sql)
        ? ['create table public.private_notes (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users (id), body text);']
        : [],
    ),
  },
  {
    check: 1,
    name: 'a DO block disables RLS',
    plant: onOwned((t) => `do $$ begin execute format('alter table public.%I disable row level security', '${t}'); end $$;`),
  },
  { check: 2, name: 'SELECT open to everybody', plant: onOwned((t) => `create policy "read all" on public.${t} for select using (true);`) },
  {
    check: 2,
    name: 'SELECT for everyone signed in',
    plant: onOwned((t) => `create policy "read signed in" on public.${t} for select to authenticated using ((select auth.uid()) is not null);`),
  },
  { check: 2, name: 'a view that bypasses RLS', plant: onOwned((t) => `create view public.all_${t} as select * from public.${t};`) },
  {
    check: 2,
    name: 'a SECURITY DEFINER function that returns rows',
    plant: onOwned(
      (t) =>
        `create function public.list_${t}() returns setof public.${t} language sql security definer set search_path = '' as $$ select * from public.${t} $$;`,
    ),
  },
  { check: 3, name: 'INSERT with any value', plant: onOwned((t) => `create policy "add any" on public.${t} for insert with check (true);`) },
  {
    check: 3,
    name: 'INSERT for everyone signed in',
    plant: onOwned((t) => `create policy "add signed in" on public.${t} for insert to authenticated with check (auth.role() = 'authenticated');`),
  },
  {
    check: 3,
    name: 'INSERT check that is a tautology',
    plant: onOwned((t, o) => `create policy "add self" on public.${t} for insert to authenticated with check (${o} = ${o});`),
  },
  { check: 4, name: 'UPDATE open', plant: onOwned((t) => `create policy "change any" on public.${t} for update to authenticated using (true);`) },
  { check: 4, name: 'DELETE open', plant: onOwned((t) => `create policy "remove any" on public.${t} for delete using (true);`) },
  {
    check: 4,
    name: 'a SECURITY DEFINER function that deletes',
    plant: onOwned(
      (t) =>
        `create function public.purge_${t}(target uuid) returns void language sql security definer set search_path = '' as $$ delete from public.${t} where id = target $$;`,
    ),
  },
  {
    check: 6,
    name: 'uploads anywhere in a bucket',
    plant: migrating((sql) =>
      /storage\.(buckets|objects)/.test(sql)
        ? [
            "insert into storage.buckets (id, name, public) values ('papers', 'papers', false) on conflict do nothing;\ncreate policy \"up\" on storage.objects for insert to authenticated with check (bucket_id = 'papers');",
          ]
        : [],
    ),
  },
  {
    check: 6,
    name: 'a private bucket read by everyone signed in',
    plant: migrating((sql) =>
      /storage\.(buckets|objects)/.test(sql)
        ? [
            "insert into storage.buckets (id, name, public) values ('papers', 'papers', false) on conflict do nothing;\ncreate policy \"down\" on storage.objects for select to authenticated using (bucket_id = 'papers');",
          ]
        : [],
    ),
  },
  {
    check: 6,
    name: 'a delete policy without a bucket',
    plant: migrating((sql) =>
      /storage\.(buckets|objects)/.test(sql) ? ['create policy "del" on storage.objects for delete to authenticated using (true);'] : [],
    ),
  },
  {
    check: 9,
    name: 'the middleware no longer fetches the user',
    plant: replacing(
      (p) => /(middleware|proxy|hooks\.server)\.[jt]s$|middleware\/index/.test(p),
      /await\s+[\w.]+\.auth\.getUser\([^)]*\)/g,
      '{ data: { user: null }, error: null }',
      /supabase/i,
    ),
    also: [10, 16],
  },
  { check: 9, name: 'the root no longer listens', plant: replacing(isCode, /\.auth\.onAuthStateChange\(/g, '.auth.neverCalled(') },
  {
    check: 10,
    name: 'a page trusts getSession',
    plant: replacing((p) => /(page|layout)\.(tsx|jsx|ts|js)$|\+(page|layout)\.server\./.test(p), /\.auth\.getUser\(\)/g, '.auth.getSession()'),
    also: [16],
  },
  {
    check: 10,
    name: 'a page no longer redirects',
    plant: replacing((p) => /(page|layout)\.(tsx|jsx)$/.test(p), /if \(!\w*(user|session)\w*\)\s*\{?\s*(return\s+)?redirect\([^)]*\);?\s*\}?/i, ''),
    also: [16],
  },
  { check: 11, name: 'codes live for a day', plant: replacing((p) => p.endsWith('supabase/config.toml'), /otp_expiry = \d+/, 'otp_expiry = 86400') },
  {
    check: 12,
    name: 'a public database URL in the template',
    plant: replacing((p) => /\.env\.(example|sample|template)$/.test(p), /$/, '\nNEXT_PUBLIC_DATABASE_URL=\n'),
  },
  { check: 12, name: 'code reads a public database URL', plant: replacing(isServer, /^/, 'const url = process.env.VITE_DATABASE_URL\n') },
  {
    check: 12,
    name: 'a compose file sets one',
    plant: (files) =>
      files.has('package.json')
        ? [{ path: 'docker-compose.yml', text: 'services:\n  web:\n    image: app\n    environment:\n      NEXT_PUBLIC_POSTGRES_URL: ${POSTGRES_URL}\n' }]
        : [],
  },
  {
    check: 13,
    name: 'the service role under a public prefix',
    plant: replacing(isCode, /process\.env\.SUPABASE_SERVICE_ROLE_KEY/g, 'process.env.NEXT_PUBLIC_SUPABASE_SERVICE_ROLE_KEY'),
    also: [5],
  },
  {
    check: 13,
    name: 'the payment secret under a public prefix',
    plant: replacing(isCode, /process\.env\.STRIPE_SECRET_KEY/g, 'process.env.NEXT_PUBLIC_STRIPE_SECRET_KEY'),
  },
  { check: 13, name: 'a public AI key in the template', plant: replacing((p) => /\.env\.(example|sample|template)$/.test(p), /$/, '\nVITE_OPENAI_API_KEY=\n') },
  {
    check: 14,
    name: 'an env file with a secret is committed',
    plant: (files) =>
      files.has('package.json') ? [{ path: '.env.production', text: `STRIPE_SECRET_KEY=${['sk', 'live', '51Nq8XcKzT4mVbYwPpLsJ2dRh'].join('_')}\n` }] : [],
  },
  {
    check: 14,
    name: 'the ignore file lets env files in',
    plant: (files) =>
      /^\.env/m.test(files.get('.gitignore') ?? '') ? [{ path: '.gitignore', text: (files.get('.gitignore') as string).replace(/^[*.]*\.env.*$/gm, '') }] : [],
  },
  {
    check: 16,
    name: 'a route no longer refuses',
    plant: replacing(isServer, /if \(!\w*(user|session|auth)\w*(\.ok)?( \|\| \w*[eE]rror\w*)?\)\s*\{?\s*return [^;}]*401[^;}]*;?\s*\}?/, ''),
    also: [17, 10],
  },
  {
    check: 16,
    name: 'the condition is turned round',
    plant: replacing(isServer, /if \(!(\w*(?:user|session))\)(\s*\{?\s*return [^;}]*401)/, 'if ($1)$2'),
    also: [17, 10],
  },
  {
    check: 16,
    name: 'a route trusts getSession',
    plant: replacing(
      isServer,
      /const \{\s*data: \{\s*user\s*\},?(\s*error(: \w+)?,?)?\s*\} = await (\w+)\.auth\.getUser\(\)/,
      (...m) => `const { data: { session } } = await ${m[3]}.auth.getSession(); const user = session?.user; const error = null`,
    ),
    also: [17, 10],
  },
  {
    check: 17,
    name: 'the owner filter is gone',
    plant: replacing(isServer, /\n?\s*\.eq\(['"](user_id|owner_id|created_by|author_id)['"],\s*[\w.]+(id|Id|sub)\)/, ''),
    also: [16],
  },
  {
    check: 19,
    name: 'a filter string from the request',
    plant: replacing(isServer, /\.ilike\(\s*(['"])(\w+)\1\s*,\s*`%\$\{(\w+)\}%`\s*\)/, (...m) => `.or(\`${m[2]}.ilike.%\${${m[3]}}%,id.eq.0\`)`),
  },
  {
    check: 20,
    name: 'the event is parsed, not verified',
    plant: replacing(isServer, /(?:await )?[\w.]*webhooks\.constructEvent(Async)?\(\s*(\w+)[^;]*?\)/, (...m) => `JSON.parse(${m[2]})`),
    also: [16, 23],
  },
  {
    check: 20,
    name: 'verification only in production',
    plant: replacing(
      isServer,
      /((?:await )?[\w.]*webhooks\.constructEvent(?:Async)?\(\s*(\w+)[^;]*?\))/,
      (...m) => `process.env.NODE_ENV === 'production' ? ${m[1]} : JSON.parse(${m[2]})`,
    ),
    also: [16, 23],
  },
  {
    check: 20,
    name: 'an empty fallback for the secret',
    plant: replacing(isServer, /process\.env\.STRIPE_WEBHOOK_SECRET(!| as string)?(?=[,)\s])/, "(process.env.STRIPE_WEBHOOK_SECRET ?? '')", /constructEvent/),
  },
  { check: 21, name: 'payment failures are no longer handled', plant: replacing(isServer, /(['"])invoice\.payment_failed\1/g, "'invoice.upcoming'") },
  {
    check: 22,
    name: 'cancellations are no longer handled',
    plant: replacing(isServer, /(['"])customer\.subscription\.deleted\1/g, "'customer.discount.deleted'"),
  },
  {
    check: 23,
    name: 'an upsert becomes an insert',
    plant: replacing((p) => isServer(p) && /stripe|webhook|billing/i.test(p), /\.upsert\(/, '.insert(', /constructEvent/),
  },
  { check: 25, name: 'a live key in the code', plant: replacing(isServer, /^/, `const key = '${['sk', 'live', '51Nq8XcKzT4mVbYwPpLsJ2dRh'].join('_')}'\n`) },
  {
    check: 25,
    name: 'a bypass for one address',
    plant: replacing(
      isServer,
      /(const (\w*(?:body|payload)\w*) = await \w+\.json\(\);?)/,
      (...m) => `${m[1]}\n  if (${m[2]}.email === 'boss@acme-shop.io') return Response.json({ ok: true, admin: true })`,
    ),
    also: [16],
  },
  {
    check: 25,
    name: 'a fallback for a secret',
    plant: replacing(isServer, /process\.env\.(CRON_SECRET|JWT_SECRET|ADMIN_SECRET|API_SECRET)(?!\w)/, "(process.env.$1 || 'letmein-please-42')"),
    also: [16],
  },
  {
    check: 5,
    name: 'a service-role key in a client component',
    plant: replacing((p) => isCode(p), /^(['"])use client\1;?/, "'use client'\nexport const adminKey = process.env.SUPABASE_SERVICE_ROLE_KEY\n"),
    also: [13, 25],
  },
  {
    check: 7,
    name: 'OAuth goes back to localhost',
    plant: replacing(isCode, /(signInWithOAuth\(\{[\s\S]{0,200}?redirectTo:\s*)[^,}\n]+/, "$1'http://localhost:3000/auth/callback'"),
  },
  {
    check: 8,
    name: 'the reset mail links to localhost',
    plant: replacing(isCode, /(resetPasswordForEmail\([^,]+,\s*\{\s*redirectTo:\s*)[^,}\n]+/, "$1'http://localhost:3000/reset'"),
  },
]
