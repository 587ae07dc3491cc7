import { adding, endpoint, isBrowser, isCode, isServer, isSignIn, migrating, onOwned, onPrivate, type Plant, replacing, usesSupabase } from './plant.ts'

/** One way to plant a hole. It changes one file (or adds one) and says which checks must see it. */
export interface Operator {
  readonly check: number
  readonly name: string
  /** Other checks that the same hole may rightly be reported under. */
  readonly also?: readonly number[]
  readonly plant: Plant
}

/** Values with a secret's shape, put together here so that no scanner finds one in this file. */
const LIVE_KEY = ['sk', 'live', '4mVbYwPpLsJ2dRhNq8XcKzTe'].join('_')
const jwt = (role: string) =>
  [
    { alg: 'HS256', typ: 'JWT' },
    { iss: 'supabase', ref: 'qkzvtnwbxrmhyjdplcfs', role, iat: 1735689600, exp: 2051265600 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('q8XcKzTe4mVbYwPpLsJ2dRhNq8XcKzT4mVbYwPpLsJ2')
    .join('.')
const PROJECT = 'https://qkzvtnwbxrmhyjdplcfs.supabase.co'

const isPage = (p: string) => /(page|layout)\.(tsx|jsx|ts|js)$|\+(page|layout)\.server\./.test(p) && !isSignIn(p)
const isMiddleware = (p: string) => /(^|\/)(middleware|proxy|hooks\.server)\.[jt]s$/.test(p) && !/(^|\/)(lib|utils|auth|supabase)\//.test(p)
const onServer = (text: string) => !isBrowser(text)
const withServiceRole = (text: string) => /SERVICE_ROLE|[aA]dminClient|supabaseAdmin|serviceClient/.test(text)
const sendsCodes = (files: ReadonlyMap<string, string>) => [...files].some(([p, t]) => isCode(p) && /\.auth\.signInWithOtp\(/.test(t))
/** A value of an object literal: a template, or everything up to the next comma, brace or line. */
const VALUE = '(?:`[^`\\n]*`|[^,}\\n]+)'
const oauth = (url: string): Plant => replacing(isCode, new RegExp(`(signInWithOAuth\\(\\{[\\s\\S]{0,200}?redirectTo:\\s*)${VALUE}`), `$1'${url}'`)
const reset = (url: string): Plant => replacing(isCode, new RegExp(`(resetPasswordForEmail\\([^,]+,\\s*\\{\\s*redirectTo:\\s*)${VALUE}`), `$1'${url}'`)
const onCheckout = (code: string): Plant =>
  replacing(
    (p) => isServer(p) && /stripe|webhook|billing/i.test(p) && !/supabase\/functions/.test(p),
    /^([\s\S]*?case (['"])checkout\.session\.completed\2:\s*\{?)/,
    (...m) =>
      `import { createClient as connect } from '@supabase/supabase-js'\nconst plantedDb = connect(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n${m[1]}\n${code}\n`,
    (text) => /constructEvent/.test(text),
  )
const onlyLogs = (event: string): Plant => replacing(isServer, new RegExp(`(case (['"])${event}\\2:\\s*\\{?)`), '$1\n console.log(event.type)\n break\n')

/** What relies on RLS is reported where RLS falls. */
const AFTER_RLS = [16, 17]

/** At least three operators for each check that code or SQL can break. */
export const OPERATORS: readonly Operator[] = [
  { check: 1, name: 'a migration disables RLS', also: AFTER_RLS, plant: onOwned((t) => `alter table public.${t} disable row level security;`) },
  {
    check: 1,
    name: 'a new table without RLS',
    also: AFTER_RLS,
    plant: migrating((sql) =>
      /row level security/i.test(sql)
        ? ['create table public.private_notes (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users (id), body text);']
        : [],
    ),
  },
  {
    check: 1,
    name: 'a DO block disables RLS',
    also: AFTER_RLS,
    plant: onOwned((t) => `do $$ begin execute format('alter table public.%I disable row level security', '${t}'); end $$;`),
  },
  { check: 2, name: 'SELECT open to everybody', also: AFTER_RLS, plant: onPrivate((t) => `create policy "read all" on public.${t} for select using (true);`) },
  {
    check: 2,
    name: 'SELECT for everyone signed in',
    also: AFTER_RLS,
    plant: onPrivate((t) => `create policy "read signed in" on public.${t} for select to authenticated using ((select auth.uid()) is not null);`),
  },
  { check: 2, name: 'a view that bypasses RLS', also: AFTER_RLS, plant: onPrivate((t) => `create view public.all_${t} as select * from public.${t};`) },
  {
    check: 2,
    name: 'a SECURITY DEFINER function that returns rows',
    also: AFTER_RLS,
    plant: onPrivate(
      (t) =>
        `create function public.list_${t}() returns setof public.${t} language sql security definer set search_path = '' as $$ select * from public.${t} $$;`,
    ),
  },
  { check: 3, name: 'INSERT with any value', also: AFTER_RLS, plant: onOwned((t) => `create policy "add any" on public.${t} for insert with check (true);`) },
  {
    check: 3,
    name: 'INSERT for everyone signed in',
    also: AFTER_RLS,
    plant: onOwned((t) => `create policy "add signed in" on public.${t} for insert to authenticated with check (auth.role() = 'authenticated');`),
  },
  {
    check: 3,
    name: 'INSERT check that is a tautology',
    also: AFTER_RLS,
    plant: onOwned((t, o) => `create policy "add self" on public.${t} for insert to authenticated with check (${o} = ${o});`),
  },
  {
    check: 4,
    name: 'UPDATE open',
    also: AFTER_RLS,
    plant: onOwned((t) => `create policy "change any" on public.${t} for update to authenticated using (true);`),
  },
  { check: 4, name: 'DELETE open', also: AFTER_RLS, plant: onOwned((t) => `create policy "remove any" on public.${t} for delete using (true);`) },
  {
    check: 4,
    name: 'a SECURITY DEFINER function that deletes',
    also: AFTER_RLS,
    plant: onOwned(
      (t) =>
        `create function public.purge_${t}(target uuid) returns void language sql security definer set search_path = '' as $$ delete from public.${t} where id = target $$;`,
    ),
  },
  {
    check: 6,
    name: 'uploads anywhere in a bucket',
    plant: migrating((sql) =>
      /create policy/i.test(sql)
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
      /create policy/i.test(sql)
        ? [
            "insert into storage.buckets (id, name, public) values ('papers', 'papers', false) on conflict do nothing;\ncreate policy \"down\" on storage.objects for select to authenticated using (bucket_id = 'papers');",
          ]
        : [],
    ),
  },
  {
    check: 6,
    name: 'a delete policy without a bucket',
    plant: migrating((sql) => (/create policy/i.test(sql) ? ['create policy "del" on storage.objects for delete to authenticated using (true);'] : [])),
  },
  {
    check: 9,
    name: 'the middleware no longer fetches the user',
    plant: replacing(isMiddleware, /await\s+[\w.]+\.auth\.getUser\([^)]*\)/g, '{ data: { user: null }, error: null }', (text) => /supabase/i.test(text)),
    also: [10, 16],
  },
  { check: 9, name: 'the root no longer listens', plant: replacing(isCode, /\.auth\.onAuthStateChange\(/g, '.auth.neverCalled(') },
  {
    check: 10,
    name: 'a page trusts getSession',
    plant: replacing(isPage, /\.auth\.getUser\(\)/g, '.auth.getSession()', (text) => onServer(text) && /redirect\(/.test(text)),
    also: [16],
  },
  {
    check: 10,
    name: 'a page no longer redirects',
    plant: replacing(
      isPage,
      /if \(!\w*(user|session)\w*\)\s*\{?\s*((return|throw)\s+)?redirect\([^)]*\);?\s*\}?/i,
      '',
      (text) => onServer(text) && /auth\.getUser\(|getUser\(\)|safeGetSession/.test(text),
    ),
    also: [16],
  },
  {
    check: 11,
    name: 'codes live for a day',
    plant: (files) => (sendsCodes(files) ? replacing((p) => p.endsWith('supabase/config.toml'), /otp_expiry = \d+/, 'otp_expiry = 86400')(files) : []),
  },
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
    plant: (files) => (files.has('package.json') ? [{ path: '.env.production', text: `STRIPE_SECRET_KEY=${LIVE_KEY}\n` }] : []),
  },
  {
    check: 14,
    name: 'the ignore file lets env files in',
    plant: (files) =>
      /^\.env(\.?\*)\s*$|^\*\.env/m.test(files.get('.gitignore') ?? '')
        ? [{ path: '.gitignore', text: (files.get('.gitignore') as string).replace(/^[*.]*\.env.*$/gm, '') }]
        : [],
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
      (p) => isServer(p) && !isSignIn(p),
      /const \{\s*data: \{\s*user\s*\},?(\s*error(: \w+)?,?)?\s*\} = await (\w+)\.auth\.getUser\(\)/,
      (...m) => `const { data: { session } } = await ${m[3]}.auth.getSession(); const user = session?.user; const error = null`,
    ),
    also: [17, 10],
  },
  {
    check: 17,
    name: 'the owner filter is gone',
    plant: replacing(isServer, /\n?\s*\.eq\(['"](user_id|owner_id|created_by|author_id)['"],\s*(\w+\.)*user\.id\)/, '', withServiceRole),
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
    plant: replacing(
      isServer,
      /([=,]\s*)process\.env\.STRIPE_WEBHOOK_SECRET(!| as string)?(?=[,)\s])/,
      "$1(process.env.STRIPE_WEBHOOK_SECRET ?? '')",
      (text) => /constructEvent/.test(text) && !/!\w*(webhook|endpoint)?Secret/i.test(text),
    ),
  },
  { check: 21, name: 'payment failures are no longer handled', plant: replacing(isServer, /(['"])invoice\.payment_failed\1/g, "'invoice.upcoming'") },
  {
    check: 22,
    name: 'cancellations are no longer handled',
    plant: replacing(isServer, /(['"])customer\.subscription\.deleted\1/g, "'customer.discount.deleted'"),
  },
  { check: 25, name: 'a live key in the code', plant: replacing(isServer, /^/, `const key = '${LIVE_KEY}'\n`) },
  {
    check: 25,
    name: 'a bypass for one address',
    plant: replacing(
      isServer,
      /if \(!(\w*(?:user|session))\)(\s*\{?\s*return [^;}]*401)/,
      "if (!$1 && request.headers.get('x-user-email') !== 'boss@acme-shop.io')$2",
      (text) => /\brequest\b/.test(text),
    ),
    also: [16, 17],
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
    check: 5,
    name: 'the entry of a single-page application reads the service-role key',
    plant: replacing((p) => /(^|\/)src\/(main|App)\.(tsx|jsx|ts|js)$/.test(p), /^/, 'export const adminKey = import.meta.env.VITE_SUPABASE_SERVICE_ROLE_KEY\n'),
    also: [13],
  },
  {
    check: 5,
    name: 'a service-role token in committed build output',
    plant: adding('dist/assets/index-4f2a.js', `const k="${jwt('service_role')}";createClient(u,k)\n`),
    also: [25],
  },
  {
    check: 6,
    name: 'anybody lists and writes every bucket',
    plant: migrating(() => ['create policy "all files" on storage.objects for all using (true) with check (true);']),
  },
  { check: 7, name: 'OAuth goes back to localhost', plant: oauth('http://localhost:3000/auth/callback') },
  { check: 7, name: 'OAuth goes back to a preview', plant: oauth('https://shop-git-main-acme.vercel.app/auth/callback') },
  { check: 7, name: 'OAuth goes back to a LAN address', plant: oauth('http://192.168.1.20:5173/auth/callback') },
  { check: 8, name: 'the reset mail links to localhost', plant: reset('http://localhost:3000/reset') },
  { check: 8, name: 'the reset mail links to a preview', plant: reset('https://acme-shop.lovable.app/reset') },
  { check: 8, name: 'the reset mail links to a tunnel', plant: reset('https://3f1c.ngrok-free.app/reset') },
  {
    check: 9,
    name: 'the middleware is gone',
    plant: (files) =>
      [...files].flatMap(([path, text]) => (isMiddleware(path) && /getUser|getClaims|updateSession/.test(text) ? [{ path, text: undefined }] : [])),
    also: [10, 16, 17],
  },
  {
    check: 10,
    name: 'the matcher covers nothing',
    plant: replacing(isMiddleware, /matcher:\s*\[/, "matcher: ['/nowhere'], unused: [", (text) => /redirect\(/.test(text)),
    also: [9, 16],
  },
  {
    check: 11,
    name: 'codes live for two hours',
    plant: (files) => (sendsCodes(files) ? replacing((p) => p.endsWith('supabase/config.toml'), /otp_expiry = \d+/, 'otp_expiry = 7200')(files) : []),
  },
  {
    check: 11,
    name: 'codes live for a day in production',
    plant: (files) =>
      sendsCodes(files)
        ? replacing(
            (p) => p.endsWith('supabase/config.toml'),
            /$/,
            '\n[remotes.production]\nproject_id = "qkzvtnwbxrmhyjdplcfs"\n\n[remotes.production.auth.email]\notp_expiry = 86400\n',
          )(files)
        : [],
  },
  {
    check: 11,
    name: 'a new configuration lets codes live for a day',
    plant: adding('supabase/config.toml', '[auth]\nenabled = true\n\n[auth.email]\notp_expiry = 86400\n', sendsCodes),
  },
  {
    check: 14,
    name: 'an env file with a token of the service role is committed',
    plant: adding('config/.env.local', `SUPABASE_SERVICE_ROLE_KEY=${jwt('service_role')}\n`),
  },
  {
    check: 15,
    name: 'one project for development and production',
    plant: adding(
      'netlify.toml',
      `[context.production.environment]\nNEXT_PUBLIC_SUPABASE_URL = "${PROJECT}"\n\n[context.dev.environment]\nNEXT_PUBLIC_SUPABASE_URL = "${PROJECT}"\n`,
      usesSupabase,
    ),
  },
  {
    check: 15,
    name: 'a workflow deploys both environments to one project',
    plant: adding(
      '.github/workflows/planted-deploy.yml',
      `on: push\njobs:\n  development:\n    environment: development\n    runs-on: ubuntu-latest\n    env:\n      SUPABASE_URL: ${PROJECT}\n    steps:\n      - run: npm run deploy\n  production:\n    environment: production\n    runs-on: ubuntu-latest\n    env:\n      SUPABASE_URL: ${PROJECT}\n    steps:\n      - run: npm run deploy\n`,
      usesSupabase,
    ),
  },
  {
    check: 15,
    name: 'one project in the source',
    plant: replacing(
      isCode,
      /process\.env\.NEXT_PUBLIC_SUPABASE_URL(!| as string)?(,\s*)process\.env\.NEXT_PUBLIC_SUPABASE_(ANON|PUBLISHABLE)_KEY(!| as string)?/,
      (...m) => `'${PROJECT}'${m[2]}'${jwt('anon')}'`,
    ),
  },
  {
    check: 16,
    name: 'a new endpoint deletes for anybody',
    plant: endpoint('purge', "  await db.from('profiles').delete().eq('id', input.id)\n  return Response.json({ ok: true })", { guarded: false }),
    also: [17],
  },
  {
    check: 17,
    name: 'a new endpoint deletes any row',
    plant: endpoint('remove', "  await db.from('profiles').delete().eq('id', input.id)\n  return Response.json({ ok: true })", { guarded: true }),
  },
  {
    check: 17,
    name: 'a new endpoint reads any row',
    plant: endpoint('read', "  const { data } = await db.from('invoices').select('*').eq('id', input.id).single()\n  return Response.json(data)", {
      guarded: true,
    }),
  },
  {
    check: 17,
    name: 'a new endpoint stores whatever the body says',
    plant: endpoint('save', "  await db.from('profiles').update(input).eq('id', user.id)\n  return Response.json({ ok: true })", { guarded: true }),
  },
  {
    check: 18,
    name: 'an own sign-in without a limit',
    plant: endpoint(
      'sign-in',
      '  const { data, error } = await db.auth.signInWithPassword({ email: input.email, password: input.password })\n  if (error) return new Response(null, { status: 401 })\n  return Response.json(data.session)',
      { guarded: false },
    ),
  },
  {
    check: 18,
    name: 'own reset mails without a limit',
    plant: endpoint('reset-password', '  await db.auth.resetPasswordForEmail(input.email)\n  return Response.json({ ok: true })', { guarded: false }),
  },
  {
    check: 18,
    name: 'own codes without a limit',
    plant: endpoint(
      'send-code',
      "  const { data } = await db.auth.admin.generateLink({ type: 'magiclink', email: input.email })\n  await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${ENV_RESEND}` }, body: JSON.stringify({ to: input.email, html: data.properties.action_link }) })\n  return Response.json({ ok: true })",
      { guarded: false },
    ),
    also: [16],
  },
  {
    check: 19,
    name: 'a new endpoint with a filter string',
    plant: endpoint(
      'find',
      "  const { data } = await db.from('products').select('id, name').or(`name.ilike.%${input.q}%,label.ilike.%${input.q}%`)\n  return Response.json(data)",
      { guarded: true },
    ),
    also: [17],
  },
  {
    check: 19,
    name: 'a new endpoint that runs SQL text',
    plant: endpoint(
      'report',
      "  const { data } = await db.rpc('exec_sql', { query: `select count(*) from orders where status = '${input.status}'` })\n  return Response.json(data)",
      {
        guarded: true,
      },
    ),
    also: [17],
  },
  {
    check: 19,
    name: 'plpgsql that runs concatenated text',
    plant: migrating(() => [
      "create function public.count_where(filter text) returns bigint language plpgsql security invoker as $$ declare n bigint; begin execute 'select count(*) from public.orders where ' || filter into n; return n; end $$;",
    ]),
  },
  { check: 21, name: 'payment failures are only logged', also: [22], plant: onlyLogs('invoice\\.payment_failed') },
  { check: 22, name: 'cancellations are only logged', also: [21], plant: onlyLogs('customer\\.subscription\\.deleted') },
  { check: 23, name: 'credits for every delivery', plant: onCheckout("await plantedDb.from('credit_log').insert({ amount: 100 })") },
  { check: 23, name: 'a counter for every delivery', plant: onCheckout("await plantedDb.rpc('add_credits', { amount: 100 })") },
  {
    check: 23,
    name: 'a mail for every delivery',
    plant: onCheckout(
      "await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${process.env.RESEND_API_KEY}` }, body: JSON.stringify({ to: 'customer', subject: 'Thanks' }) })",
    ),
  },
  {
    check: 24,
    name: 'the lock file is gone',
    plant: (files) => {
      const locks = [...files.keys()].filter((p) => /^(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/.test(p))
      return locks.length === 1 ? [{ path: locks[0] as string, text: undefined }] : []
    },
  },
]
