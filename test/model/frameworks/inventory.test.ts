import { describe, expect, test } from 'vitest'
import { auditFiles } from '../../support/audit-files.ts'

/** `METHOD route | kind | who is let in` of every route that the audit finds, in the order of the report. */
async function inventory(files: Record<string, string>): Promise<string[]> {
  const report = await auditFiles(files)
  return report.routes.map(
    (r) => `${r.method ?? 'ANY'} ${r.route} | ${r.kind} | ${r.guard ? `${r.guard.who.replace(/ \(.*/, '')} @ ${r.guard.path}:${r.guard.line}` : '-'}`,
  )
}

const manifest = (...names: string[]) => ({
  'package.json': JSON.stringify({ name: 'app', type: 'module', dependencies: Object.fromEntries(names.map((n) => [n, '1.0.0'])) }),
})

const SERVER = `import { createServerClient } from '@supabase/ssr'
export const client = () => createServerClient('https://x.supabase.co', process.env.ANON!, { cookies: { getAll: () => [], setAll() {} } })
export async function requireUser() {
  const { data: { user } } = await client().auth.getUser()
  return user
}
`
const ADMIN = `import { createClient } from '@supabase/supabase-js'
export const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)
`
const WEB_GUARDED = (name: string) => `export async function ${name}() {
  const user = await requireUser()
  if (!user) return new Response(null, { status: 401 })
  const { data } = await admin.from('orders').select('*').eq('user_id', user.id)
  return Response.json(data)
}
`
const WEB_OPEN = (name: string) => `export async function ${name}() {
  const { data } = await admin.from('orders').select('*')
  return Response.json(data)
}
`

describe('route inventories', () => {
  test('Next.js App Router: groups, slots, catch-all, re-exports, wrappers, actions, layouts', async () => {
    expect(
      await inventory({
        ...manifest('next', '@supabase/ssr', '@supabase/supabase-js'),
        'lib/server.ts': SERVER,
        'lib/admin.ts': ADMIN,
        'lib/with-user.ts':
          "import { requireUser } from './server'\nexport const withUser = (handler) => async (request) => {\n  const user = await requireUser()\n  if (!user) return new Response(null, { status: 401 })\n  return handler(request, user)\n}\n",
        'app/(shop)/api/orders/route.ts': `import { requireUser } from '../../../../lib/server'\nimport { admin } from '../../../../lib/admin'\n${WEB_GUARDED('GET')}${WEB_OPEN('POST')}`,
        'app/api/again/route.ts': "export { GET } from '../../(shop)/api/orders/route'\n",
        'app/api/wrapped/[...path]/route.ts':
          "import { withUser } from '../../../../lib/with-user'\nimport { admin } from '../../../../lib/admin'\nexport const DELETE = withUser(async (request, user) => {\n  await admin.from('orders').delete().eq('user_id', user.id)\n  return new Response(null)\n})\n",
        'app/(auth)/login/page.tsx': 'export default function Login() {\n  return null\n}\n',
        'app/account/layout.tsx':
          "import { redirect } from 'next/navigation'\nimport { requireUser } from '../../lib/server'\nexport default async function Layout({ children }) {\n  if (!(await requireUser())) redirect('/login')\n  return children\n}\n",
        'app/account/page.tsx': 'export default function Account() {\n  return null\n}\n',
        'app/@modal/(.)photo/[id]/page.tsx': 'export default function Modal() {\n  return null\n}\n',
        'app/actions.ts':
          "'use server'\nimport { requireUser } from '../lib/server'\nimport { admin } from '../lib/admin'\nexport async function save(text: string) {\n  const user = await requireUser()\n  if (!user) throw new Error('no')\n  await admin.from('notes').insert({ text, user_id: user.id })\n}\n",
        'app/inline/page.tsx':
          "import { admin } from '../../lib/admin'\nexport default function Page() {\n  async function remove(form: FormData) {\n    'use server'\n    await admin.from('notes').delete().eq('id', form.get('id'))\n  }\n  return <form action={remove} />\n}\n",
      }),
    ).toEqual(
      [
        'GET /account | page | signed-in user @ app/account/layout.tsx:4',
        'GET /api/again | api | signed-in user @ app/(shop)/api/orders/route.ts:5',
        'GET /api/orders | api | signed-in user @ app/(shop)/api/orders/route.ts:5',
        'POST /api/orders | api | -',
        'DELETE /api/wrapped/[...path] | api | signed-in user @ lib/with-user.ts:4',
        'POST app/actions.ts#save | action | signed-in user @ app/actions.ts:6',
        'POST app/inline/page.tsx#remove | action | -',
        'GET /inline | page | -',
        'GET /login | page | -',
      ].sort((a, b) => (route(a) < route(b) ? -1 : route(a) > route(b) ? 1 : a < b ? -1 : 1)),
    )
  })

  test('Next.js proxy.ts with a matcher and a list of prefixes', async () => {
    expect(
      await inventory({
        ...manifest('next', '@supabase/ssr'),
        'src/proxy.ts':
          "import { createServerClient } from '@supabase/ssr'\nimport { NextResponse } from 'next/server'\nconst AREAS = ['/dashboard', '/team']\nexport async function proxy(request) {\n  const supabase = createServerClient('u', 'k', { cookies: { getAll: () => request.cookies.getAll(), setAll() {} } })\n  const { data: { user } } = await supabase.auth.getUser()\n  if (!user && AREAS.some((a) => request.nextUrl.pathname.startsWith(a))) return NextResponse.redirect(new URL('/login', request.url))\n  return NextResponse.next()\n}\nexport const config = { matcher: ['/((?!api|_next/static|favicon.ico).*)'] }\n",
        'src/app/dashboard/page.tsx': 'export default function P() {\n  return null\n}\n',
        'src/app/team/[id]/page.tsx': 'export default function P() {\n  return null\n}\n',
        'src/app/about/page.tsx': 'export default function P() {\n  return null\n}\n',
      }),
    ).toEqual(['GET /about | page | -', 'GET /dashboard | page | signed-in user @ src/proxy.ts:7', 'GET /team/[id] | page | signed-in user @ src/proxy.ts:7'])
  })

  test('Next.js Pages Router: methods, getServerSideProps', async () => {
    expect(
      await inventory({
        ...manifest('next', 'next-auth', '@supabase/supabase-js'),
        'lib/admin.ts': ADMIN,
        'pages/api/orders/[id].ts':
          "import { getServerSession } from 'next-auth'\nimport { admin } from '../../../lib/admin'\nexport default async function handler(req, res) {\n  if (req.method !== 'DELETE') return res.status(405).end()\n  const session = await getServerSession(req, res, {})\n  if (!session) return res.status(401).end()\n  await admin.from('orders').delete().eq('id', req.query.id)\n  res.status(204).end()\n}\n",
        'pages/api/all.ts':
          "import { admin } from '../../lib/admin'\nexport default async function handler(req, res) {\n  const { data } = await admin.from('orders').select('*')\n  res.json(data)\n}\n",
        'pages/account.tsx':
          "import { getServerSession } from 'next-auth'\nexport async function getServerSideProps({ req, res }) {\n  const session = await getServerSession(req, res, {})\n  if (!session) return { redirect: { destination: '/login', permanent: false } }\n  return { props: {} }\n}\nexport default function Account() {\n  return null\n}\n",
        'pages/_app.tsx': 'export default function App() {\n  return null\n}\n',
      }),
    ).toEqual([
      'GET /account | page | signed-in user @ pages/account.tsx:4',
      'ANY /api/all | api | -',
      'DELETE /api/orders/[id] | api | signed-in user @ pages/api/orders/[id].ts:6',
    ])
  })

  test('Next.js: src/pages beside app at the root holds components', async () => {
    const page = 'export default function P() {\n  return null\n}\n'
    expect(await inventory({ ...manifest('next'), 'app/page.tsx': page, 'src/pages/Dashboard.tsx': page })).toEqual(['GET / | page | -'])
    expect(await inventory({ ...manifest('next'), 'src/app/page.tsx': page, 'src/pages/old.tsx': page })).toEqual(['GET / | page | -', 'GET /old | page | -'])
  })

  test('Supabase edge functions, one of them with Hono inside', async () => {
    expect(
      await inventory({
        'supabase/config.toml': '[functions.open]\nverify_jwt = false\n',
        'supabase/functions/open/index.ts':
          "import { createClient } from 'npm:@supabase/supabase-js@2'\nconst admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)\nDeno.serve(async () => new Response(JSON.stringify(await admin.from('orders').select('*'))))\n",
        'supabase/functions/mine/index.ts':
          "import { createClient } from 'npm:@supabase/supabase-js@2'\nimport { serve } from 'https://deno.land/std@0.168.0/http/server.ts'\nserve(async (req) => {\n  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)\n  const { data: { user } } = await admin.auth.getUser(req.headers.get('Authorization')!.slice(7))\n  if (!user) return new Response(null, { status: 401 })\n  return new Response(JSON.stringify(await admin.from('orders').select('*').eq('user_id', user.id)))\n})\n",
        'supabase/functions/server/index.ts':
          "import { Hono } from 'npm:hono'\nconst app = new Hono()\napp.get('/server/health', (c) => c.text('ok'))\napp.post('/server/jobs', (c) => c.text('ok'))\nDeno.serve(app.fetch)\n",
        'supabase/functions/_shared/cors.ts': 'export const cors = {}\n',
      }),
    ).toEqual([
      'ANY /functions/v1/mine | edge-function | signed-in user @ supabase/functions/mine/index.ts:6',
      'ANY /functions/v1/open | edge-function | -',
      'GET /functions/v1/server/health | edge-function | -',
      'POST /functions/v1/server/jobs | edge-function | -',
    ])
  })

  const AUTH =
    "import { createClient } from '@supabase/supabase-js'\nconst supabase = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_ANON_KEY)\nexport async function auth(req, res, next) {\n  const { data } = await supabase.auth.getUser(req.headers.authorization)\n  if (!data.user) return res.status(401).end()\n  req.user = data.user\n  next()\n}\n"

  test('Express: mounts across files, order of use, arrays, route(), CommonJS', async () => {
    expect(
      await inventory({
        ...manifest('express', '@supabase/supabase-js'),
        'auth.js': AUTH,
        'admin.js':
          "import { createClient } from '@supabase/supabase-js'\nexport const admin = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_SERVICE_ROLE_KEY)\n",
        'server.js':
          "import express from 'express'\nimport { auth } from './auth.js'\nimport orders from './orders.js'\nimport { registerJobs } from './jobs.js'\nimport { admin } from './admin.js'\nconst app = express()\napp.use(express.json())\napp.get('/open', async (req, res) => res.json(await admin.from('orders').select('*')))\napp.use('/orders', auth, orders)\nregisterJobs(app)\napp.listen(1)\n",
        'orders.js':
          "import { Router } from 'express'\nimport { admin } from './admin.js'\nconst router = Router()\nrouter.route('/:id').get(async (req, res) => res.json(await admin.from('orders').select('*').eq('user_id', req.user.id))).delete(async (req, res) => res.json(await admin.from('orders').delete().eq('user_id', req.user.id)))\nexport default router\n",
        'jobs.js':
          "import { auth } from './auth.js'\nimport { admin } from './admin.js'\nexport function registerJobs(app) {\n  app.post('/jobs', [auth], async (req, res) => res.json(await admin.from('jobs').insert({ user_id: req.user.id })))\n  app.patch('/jobs/:id', async (req, res) => res.json(await admin.from('jobs').update({ done: true }).eq('id', req.params.id)))\n}\n",
      }),
    ).toEqual([
      'POST /jobs | api | signed-in user @ auth.js:5',
      'PATCH /jobs/[id] | api | -',
      'GET /open | api | -',
      'DELETE /orders/[id] | api | signed-in user @ auth.js:5',
      'GET /orders/[id] | api | signed-in user @ auth.js:5',
    ])
  })

  test('Fastify: hooks of a context, prefixes, preHandler', async () => {
    expect(
      await inventory({
        ...manifest('fastify', '@supabase/supabase-js'),
        'server.js':
          "import Fastify from 'fastify'\nimport { admin, requireUser } from './lib.js'\nconst app = Fastify()\napp.register(async (instance) => {\n  instance.addHook('onRequest', requireUser)\n  instance.get('/orders', async (request) => admin.from('orders').select('*').eq('user_id', request.user.id))\n}, { prefix: '/private' })\napp.get('/all', async () => admin.from('orders').select('*'))\napp.post('/jobs', { preHandler: [requireUser] }, async (request) => admin.from('jobs').insert({ user_id: request.user.id }))\n",
        'lib.js':
          "import { createClient } from '@supabase/supabase-js'\nexport const admin = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_SERVICE_ROLE_KEY)\nexport async function requireUser(request, reply) {\n  const { data } = await admin.auth.getUser(request.headers.authorization)\n  if (!data.user) return reply.code(401).send()\n  request.user = data.user\n}\n",
      }),
    ).toEqual(['GET /all | api | -', 'POST /jobs | api | signed-in user @ lib.js:5', 'GET /private/orders | api | signed-in user @ lib.js:5'])
  })

  test('Hono: groups, chained routes, middleware by path', async () => {
    expect(
      await inventory({
        ...manifest('hono', '@supabase/supabase-js'),
        'src/index.ts':
          "import { Hono } from 'hono'\nimport { orders } from './orders'\nimport { admin, auth } from './lib'\nconst app = new Hono()\napp.use('/api/*', auth)\napp.route('/api/orders', orders)\napp.get('/open', async (c) => c.json(await admin.from('orders').select('*')))\nexport default app\n",
        'src/orders.ts':
          "import { Hono } from 'hono'\nimport { admin } from './lib'\nexport const orders = new Hono()\n  .get('/', async (c) => c.json(await admin.from('orders').select('*')))\n  .delete('/:id', async (c) => c.json(await admin.from('orders').delete().eq('id', c.req.param('id'))))\n",
        'src/lib.ts':
          "import { createClient } from '@supabase/supabase-js'\nexport const admin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\nexport const auth = async (c, next) => {\n  const { data } = await admin.auth.getUser(c.req.header('Authorization'))\n  if (!data.user) return c.body(null, 401)\n  await next()\n}\n",
      }),
    ).toEqual(['GET /api/orders | api | signed-in user @ src/lib.ts:5', 'DELETE /api/orders/[id] | api | signed-in user @ src/lib.ts:5', 'GET /open | api | -'])
  })

  test('NestJS: controllers, guards of class and method, prefix', async () => {
    const routes = await inventory({
      ...manifest('@nestjs/common', '@nestjs/core', '@nestjs/passport'),
      'src/main.ts':
        "import { NestFactory } from '@nestjs/core'\nasync function start() {\n  const app = await NestFactory.create({})\n  app.setGlobalPrefix('api')\n}\nstart()\n",
      'src/orders.controller.ts':
        "import { Controller, Delete, Get, Param, UseGuards } from '@nestjs/common'\nimport { AuthGuard } from '@nestjs/passport'\n@Controller('orders')\nexport class OrdersController {\n  @Get()\n  all() {\n    return []\n  }\n  @UseGuards(AuthGuard('jwt'))\n  @Delete(':id')\n  remove(@Param('id') id: string) {\n    return id\n  }\n}\n",
    })
    expect(routes.map((r) => r.replace(/ @ .*/, ''))).toEqual(['GET /api/orders | api | -', 'DELETE /api/orders/[id] | api | signed-in user'])
  })

  test('SvelteKit: endpoints, actions, pages, layouts, groups', async () => {
    expect(
      await inventory({
        ...manifest('@sveltejs/kit', '@supabase/ssr'),
        'src/hooks.server.ts':
          "import { createServerClient } from '@supabase/ssr'\nimport { sequence } from '@sveltejs/kit/hooks'\nconst session = async ({ event, resolve }) => {\n  event.locals.supabase = createServerClient('u', 'k', { cookies: { getAll: () => [], setAll() {} } })\n  const { data: { user } } = await event.locals.supabase.auth.getUser()\n  event.locals.user = user\n  return resolve(event)\n}\nconst guard = async ({ event, resolve }) => {\n  if (!event.locals.user && event.url.pathname.startsWith('/app')) return new Response(null, { status: 303, headers: { location: '/login' } })\n  return resolve(event)\n}\nexport const handle = sequence(session, guard)\n",
        'src/routes/api/orders/+server.ts':
          "export const GET = async ({ locals }) => {\n  if (!locals.user) return new Response(null, { status: 401 })\n  return Response.json(await locals.supabase.from('orders').select('*').eq('user_id', locals.user.id))\n}\nexport const POST = async ({ locals, request }) => Response.json(await locals.supabase.from('orders').insert(await request.json()))\n",
        'src/routes/(site)/+page.svelte': '<p>Home</p>\n',
        'src/routes/app/[id]/+page.svelte': '<p>App</p>\n',
        'src/routes/login/+page.svelte': '<p>Login</p>\n',
        'src/routes/login/+page.server.ts':
          "export const actions = {\n  magic: async ({ locals }) => {\n    await locals.supabase.auth.signInWithOtp({ email: 'a' })\n  },\n}\n",
      }),
    ).toEqual([
      'GET / | page | -',
      'GET /api/orders | api | signed-in user @ src/routes/api/orders/+server.ts:2',
      'POST /api/orders | api | -',
      'GET /app/[id] | page | signed-in user @ src/hooks.server.ts:10',
      'GET /login | page | -',
      'POST /login?/magic | action | -',
    ])
  })

  test('Nuxt: method suffixes, routes folder, server middleware, page middleware', async () => {
    expect(
      await inventory({
        ...manifest('nuxt', '@nuxtjs/supabase'),
        'server/middleware/guard.ts':
          "import { serverSupabaseUser } from '#supabase/server'\nexport default defineEventHandler(async (event) => {\n  if (!getRequestURL(event).pathname.startsWith('/api/private')) return\n  const user = await serverSupabaseUser(event)\n  if (!user) throw createError({ statusCode: 401 })\n})\n",
        'server/api/private/orders.get.ts':
          "import { serverSupabaseServiceRole } from '#supabase/server'\nexport default defineEventHandler(async (event) => (await serverSupabaseServiceRole(event).from('orders').select('*')).data)\n",
        'server/api/orders/[id].delete.ts':
          "import { serverSupabaseServiceRole } from '#supabase/server'\nexport default defineEventHandler(async (event) => {\n  await serverSupabaseServiceRole(event).from('orders').delete().eq('id', getRouterParam(event, 'id'))\n})\n",
        'server/routes/feed.xml.ts': "export default defineEventHandler(() => '<rss/>')\n",
        'middleware/auth.ts':
          "export default defineNuxtRouteMiddleware(() => {\n  const user = useSupabaseUser()\n  if (!user.value) return navigateTo('/login')\n})\n",
        'pages/dashboard.vue': "<script setup>\ndefinePageMeta({ middleware: 'auth' })\n</script>\n<template><p/></template>\n",
        'pages/index.vue': '<template><p/></template>\n',
      }),
    ).toEqual([
      'GET / | page | -',
      'DELETE /api/orders/[id] | api | -',
      'GET /api/private/orders | api | signed-in user @ server/middleware/guard.ts:5',
      'GET /dashboard | page | signed-in user @ middleware/auth.ts:3',
      'ANY /feed.xml | api | -',
    ])
  })

  test('Astro: endpoints, frontmatter that handles POST, middleware', async () => {
    expect(
      await inventory({
        ...manifest('astro', '@supabase/supabase-js'),
        'astro.config.mjs': "export default { output: 'server' }\n",
        'src/lib/admin.ts': ADMIN,
        'src/middleware.ts':
          "import { defineMiddleware } from 'astro:middleware'\nimport { admin } from './lib/admin'\nexport const onRequest = defineMiddleware(async (context, next) => {\n  if (!context.url.pathname.startsWith('/admin')) return next()\n  const { data } = await admin.auth.getUser(context.cookies.get('token')?.value)\n  if (!data.user) return context.redirect('/login')\n  return next()\n})\n",
        'src/pages/admin/index.astro': '---\nconst title = 1\n---\n<p>{title}</p>\n',
        'src/pages/contact.astro': "---\nif (Astro.request.method === 'POST') {\n  await Astro.request.formData()\n}\n---\n<form/>\n",
        'src/pages/api/orders.ts':
          "import { admin } from '../../lib/admin'\nexport const GET = async () => Response.json(await admin.from('orders').select('*'))\n",
      }),
    ).toEqual(['GET /admin | page | signed-in user @ src/middleware.ts:6', 'GET /api/orders | api | -', 'GET /contact | page | -', 'POST /contact | api | -'])
  })

  test('Remix: flat routes, parameters, loaders and actions', async () => {
    expect(
      await inventory({
        ...manifest('@remix-run/node', '@remix-run/react', '@supabase/ssr'),
        'app/lib.ts': SERVER,
        'app/routes/_index.tsx': 'export default function Home() {\n  return null\n}\n',
        'app/routes/orders.$id.tsx':
          "import { redirect } from '@remix-run/node'\nimport { requireUser } from '../lib'\nexport async function loader({ params }) {\n  if (!(await requireUser())) throw redirect('/login')\n  return params.id\n}\nexport async function action() {\n  return null\n}\nexport default function Order() {\n  return null\n}\n",
        'app/routes/api.health.ts': "export const loader = () => new Response('ok')\n",
      }),
    ).toEqual([
      'GET / | page | -',
      'GET /api/health | api | -',
      'GET /orders/[id] | page | signed-in user @ app/routes/orders.$id.tsx:4',
      'POST /orders/[id] | action | -',
    ])
  })

  test('TanStack Start: server functions with middleware, server routes, pages with beforeLoad', async () => {
    const routes = await inventory({
      ...manifest('@tanstack/react-start', '@tanstack/react-router', '@supabase/ssr'),
      'src/lib.ts': SERVER,
      'src/notes.ts':
        "import { createServerFn } from '@tanstack/react-start'\nexport const addNote = createServerFn({ method: 'POST' }).handler(async ({ data }) => data)\n",
      'src/routes/_authed/dashboard.tsx':
        "import { createFileRoute, redirect } from '@tanstack/react-router'\nimport { requireUser } from '../../lib'\nexport const Route = createFileRoute('/_authed/dashboard')({\n  beforeLoad: async () => {\n    if (!(await requireUser())) throw redirect({ to: '/login' })\n  },\n  component: () => null,\n})\n",
      'src/routes/api/jobs.ts':
        "import { createServerFileRoute } from '@tanstack/react-start/server'\nexport const ServerRoute = createServerFileRoute('/api/jobs').methods({ POST: async () => new Response('ok') })\n",
    })
    expect(routes).toEqual([
      'POST /api/jobs | api | -',
      'GET /dashboard | page | signed-in user @ src/routes/_authed/dashboard.tsx:5',
      'POST src/notes.ts#addNote | action | -',
    ])
  })

  test('Vercel and Netlify functions, Expo API routes, Workers, SPA pages', async () => {
    expect(
      await inventory({
        ...manifest('vite'),
        'api/hello.ts': 'export default function handler(req, res) {\n  res.json({})\n}\n',
        'api/_lib.ts': 'export const x = 1\n',
      }),
    ).toEqual(['ANY /api/hello | api | -'])
    expect(await inventory({ 'netlify/functions/hello.ts': "export const handler = async (event) => ({ statusCode: 200, body: 'ok' })\n" })).toEqual([
      'ANY /.netlify/functions/hello | api | -',
    ])
    expect(await inventory({ ...manifest('expo', 'expo-router'), 'app/chat+api.ts': "export function POST() {\n  return new Response('ok')\n}\n" })).toEqual([
      'POST /chat | api | -',
    ])
    expect(
      await inventory({ 'wrangler.toml': 'name = "w"\n', 'src/index.ts': "export default { async fetch(request) {\n  return new Response('ok')\n} }\n" }),
    ).toEqual(['ANY /[...path] | api | -'])
    expect(
      await inventory({
        ...manifest('react-router-dom'),
        'src/app.tsx':
          'import { Route, Routes } from \'react-router-dom\'\nexport const App = () => <Routes><Route path="/a" element={<p />} /><Route path="b/:id" element={<p />} /></Routes>\n',
      }),
    ).toEqual(['GET /a | page | -', 'GET /b/[id] | page | -'])
  })

  test('tRPC: nested routers and base procedures', async () => {
    expect(
      await inventory({
        ...manifest('@trpc/server'),
        'trpc.ts':
          "import { initTRPC, TRPCError } from '@trpc/server'\nconst t = initTRPC.create()\nexport const router = t.router\nexport const open = t.procedure\nexport const closed = t.procedure.use(({ ctx, next }) => {\n  if (!ctx.user) throw new TRPCError({ code: 'UNAUTHORIZED' })\n  return next({ ctx })\n})\n",
        'posts.ts':
          "import { closed, open, router } from './trpc'\nimport { prisma } from './db'\nexport const posts = router({\n  list: open.query(() => prisma.user.findMany()),\n  remove: closed.mutation(() => prisma.user.deleteMany()),\n})\n",
        'db.ts': "import { PrismaClient } from '@prisma/client'\nexport const prisma = new PrismaClient()\n",
        'app.ts': "import { router } from './trpc'\nimport { posts } from './posts'\nexport const appRouter = router({ posts })\n",
      }),
    ).toEqual(['GET /api/trpc/posts.list | procedure | -', 'POST /api/trpc/posts.remove | procedure | signed-in user @ trpc.ts:6'])
  })
})

const route = (line: string) => line.split(' ')[1] ?? ''
