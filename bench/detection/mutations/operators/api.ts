import { endpoint, NOBODY_ASKED, SIGNED_IN } from '../endpoints.ts'
import { migrating } from '../migrations.ts'
import { ownerFilters } from '../owner-filters.ts'
import { isServer, isSignIn, type Operator, type Plant, replacing, withServiceRole } from '../plant.ts'
import { type Refusal, refusals, trustingSession, userLookups } from '../refusals.ts'

/** Changes the first refusal that nothing after it depends on: elsewhere the missing caller stops the handler by itself. */
const onRefusal =
  (change: (refusal: Refusal, text: string) => string, needs: (text: string) => boolean = () => true): Plant =>
  (files) =>
    [...files].flatMap(([path, text]) => {
      if (!isServer(path) || isSignIn(path) || !needs(text)) return []
      const refusal = refusals(text).find((r) => !r.stoppedAfter)
      return refusal ? [{ path, text: change(refusal, text) }] : []
    })

/** Changes a handler that asks who calls and then acts with a service-role client. */
const asking =
  (change: (text: string) => string | undefined): Plant =>
  (files) =>
    [...files].flatMap(([path, text]) => {
      if (!isServer(path) || isSignIn(path) || !withServiceRole(text) || !/401|unauthori[sz]ed/i.test(text)) return []
      const next = change(text)
      return next === undefined ? [] : [{ path, text: next }]
    })

const DELETES = "  await db.from('profiles').delete().eq('id', input.id)\n  return Response.json({ ok: true })"

/** Checks 16 to 19: endpoints. */
export const API: readonly Operator[] = [
  {
    check: 16,
    name: 'a route no longer refuses',
    also: [17, 10],
    plant: onRefusal((r, text) => text.slice(0, r.start) + text.slice(r.end)),
  },
  {
    check: 16,
    name: 'the condition is turned round',
    also: [17, 10],
    plant: onRefusal(
      (r, text) => `${text.slice(0, r.condition[0])}${r.caller}${text.slice(r.condition[1])}`,
      (text) => /if \(!\w+\)/.test(text),
    ),
  },
  {
    check: 16,
    name: 'a route trusts getSession',
    also: [17, 10],
    plant: asking((text) => trustingSession(text)),
  },
  {
    check: 16,
    name: 'the caller is whoever a header says',
    also: [17, 10],
    plant: asking((text) => {
      const [lookup] = userLookups(text)
      const request = /\b(request|req)\.(headers|json)\b/.exec(text)?.[1]
      if (!lookup || !request) return undefined
      return `${text.slice(0, lookup.start)}{ data: { user: { id: ${request}.headers.get('x-user-id'), email: '' } }, error: null }${text.slice(lookup.end)}`
    }),
  },
  {
    check: 16,
    name: 'a new endpoint deletes for anybody',
    also: [17],
    plant: endpoint('purge', NOBODY_ASKED, DELETES),
  },
  {
    check: 16,
    name: 'a new endpoint is open when its secret is unset',
    also: [17],
    plant: endpoint(
      'sweep',
      '  const secret = ENV(SWEEP_SECRET)\n  if (secret && HEADER(authorization) !== `Bearer ${secret}`) return new Response(null, { status: 401 })\n',
      DELETES,
    ),
  },
  {
    check: 16,
    name: 'a new endpoint asks who calls and goes on',
    also: [17],
    plant: endpoint('forget', '  await db.auth.getUser(HEADER(authorization) ?? undefined)\n', DELETES),
  },
  {
    check: 17,
    name: 'the owner filter is gone',
    also: [16],
    plant: (files) =>
      [...files].flatMap(([path, text]) => {
        // an endpoint of a processor is called by nobody who owns rows
        const [filter] = isServer(path) && !/constructEvent/.test(text) ? ownerFilters(text) : []
        return filter ? [{ path, text: text.slice(0, filter.start) + text.slice(filter.end) }] : []
      }),
  },
  { check: 17, name: 'a new endpoint deletes any row', plant: endpoint('remove', SIGNED_IN, DELETES) },
  {
    check: 17,
    name: 'a new endpoint reads any row',
    plant: endpoint('read', SIGNED_IN, "  const { data } = await db.from('invoices').select('*').eq('id', input.id).single()\n  return Response.json(data)"),
  },
  {
    check: 17,
    name: 'a new endpoint takes the owner from the request',
    plant: endpoint('list', SIGNED_IN, "  const { data } = await db.from('invoices').select('*').eq('user_id', input.userId)\n  return Response.json(data)"),
  },
  {
    check: 17,
    name: 'a new endpoint stores whatever the body says',
    plant: endpoint('save', SIGNED_IN, "  await db.from('profiles').update(input).eq('id', user.id)\n  return Response.json({ ok: true })"),
  },
  {
    check: 17,
    name: 'a new endpoint lets everyone signed in remove users',
    plant: endpoint('remove-user', SIGNED_IN, '  await db.auth.admin.deleteUser(input.userId)\n  return Response.json({ ok: true })'),
  },
  {
    check: 18,
    name: 'an own sign-in without a limit',
    plant: endpoint(
      'sign-in',
      NOBODY_ASKED,
      '  const { data, error } = await db.auth.signInWithPassword({ email: input.email, password: input.password })\n  if (error) return new Response(null, { status: 401 })\n  return Response.json(data.session)',
    ),
  },
  {
    check: 18,
    name: 'own reset mails without a limit',
    plant: endpoint('reset-password', NOBODY_ASKED, '  await db.auth.resetPasswordForEmail(input.email)\n  return Response.json({ ok: true })'),
  },
  {
    check: 18,
    name: 'own codes without a limit',
    also: [16],
    plant: endpoint(
      'send-code',
      NOBODY_ASKED,
      "  const { data } = await db.auth.admin.generateLink({ type: 'magiclink', email: input.email })\n  await fetch('https://api.resend.com/emails', { method: 'POST', headers: { Authorization: `Bearer ${ENV(RESEND_API_KEY)}` }, body: JSON.stringify({ to: input.email, html: data.properties.action_link }) })\n  return Response.json({ ok: true })",
    ),
  },
  {
    check: 19,
    name: 'a filter string from the request',
    plant: replacing(isServer, /\.ilike\(\s*(['"])(\w+)\1\s*,\s*`%\$\{(\w+)\}%`\s*\)/, (...m) => `.or(\`${m[2]}.ilike.%\${${m[3]}}%,id.eq.0\`)`),
  },
  {
    check: 19,
    name: 'a new endpoint with a filter string',
    also: [17],
    plant: endpoint(
      'find',
      SIGNED_IN,
      "  const { data } = await db.from('products').select('id, name').or(`name.ilike.%${input.q}%,label.ilike.%${input.q}%`)\n  return Response.json(data)",
    ),
  },
  {
    check: 19,
    name: 'a new endpoint that runs SQL text',
    also: [17],
    plant: endpoint(
      'report',
      SIGNED_IN,
      "  const { data } = await db.rpc('exec_sql', { query: `select count(*) from orders where status = '${input.status}'` })\n  return Response.json(data)",
    ),
  },
  {
    check: 19,
    name: 'plpgsql that runs concatenated text',
    plant: migrating(() => [
      "create function public.count_where(filter text) returns bigint language plpgsql security invoker as $$ declare n bigint; begin execute 'select count(*) from public.orders where ' || filter into n; return n; end $$;",
    ]),
  },
]
