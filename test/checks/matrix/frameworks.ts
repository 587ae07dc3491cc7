/** How one framework writes a handler: the words for what every handler does, and the files around it. */
export interface Framework {
  readonly name: string
  readonly packages: readonly string[]
  /** What came in: an object. */
  readonly body: string
  /** The value of a header. */
  header(name: string): string
  /** A statement that answers and ends. */
  answer(status: number, value?: string): string
  /** The files of an application whose one handler has this body; `imports` come first in its file. */
  files(handler: string, imports: string): Readonly<Record<string, string>>
  /** Where the helpers are, seen from the handler's file. */
  readonly lib: string
}

const json = (status: number, value = 'null') => `return Response.json(${value}, { status: ${status} })`
const response = (status: number, value = 'null') => `return new Response(JSON.stringify(${value}), { status: ${status} })`
const express = (status: number, value = 'null') => `return res.status(${status}).json(${value})`
const reply = (status: number, value = 'null') => `return reply.code(${status}).send(${value})`
const web = { body: 'await request.json()', header: (n: string) => `request.headers.get('${n}')`, answer: json }
const node = { body: 'req.body', header: (n: string) => `req.headers['${n}']`, answer: express }

/** Every framework that answers requests with handlers of its own. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    ...web,
    name: 'Next.js App Router',
    packages: ['next', 'react'],
    lib: '../../../lib',
    files: (h, i) => ({ 'app/api/thing/route.ts': `${i}\nexport async function POST(request: Request) {\n${h}\n}\n` }),
  },
  {
    ...node,
    name: 'Next.js Pages Router',
    packages: ['next', 'react'],
    lib: '../../lib',
    files: (h, i) => ({ 'pages/api/thing.ts': `${i}\nexport default async function handler(req, res) {\n${h}\n}\n` }),
  },
  {
    ...web,
    name: 'Next.js server action',
    packages: ['next', 'react'],
    body: 'input',
    header: (n) => `(await headers()).get('${n}')`,
    answer: (status, value = 'null') => (status < 400 ? `return ${value}` : `return { error: ${status} }`),
    lib: '../lib',
    files: (h, i) => ({ 'app/actions.ts': `'use server'\nimport { headers } from 'next/headers'\n${i}\nexport async function thing(input) {\n${h}\n}\n` }),
  },
  {
    ...web,
    name: 'Supabase Edge Functions',
    packages: ['@supabase/supabase-js'],
    answer: response,
    lib: '../../../lib',
    files: (h, i) => ({
      'supabase/config.toml': '[functions.thing]\nverify_jwt = false\n',
      'supabase/functions/thing/index.ts': `${i}\nDeno.serve(async (request: Request) => {\n${h}\n})\n`,
    }),
  },
  {
    ...node,
    name: 'Express',
    packages: ['express'],
    lib: './lib',
    files: (h, i) => ({
      'server.ts': `import express from 'express'\n${i}\nconst app = express()\napp.use(express.json())\napp.post('/thing', async (req, res) => {\n${h}\n})\napp.listen(3000)\n`,
    }),
  },
  {
    ...node,
    name: 'Fastify',
    packages: ['fastify'],
    answer: reply,
    lib: './lib',
    files: (h, i) => ({
      'server.ts': `import Fastify from 'fastify'\n${i}\nconst app = Fastify()\napp.post('/thing', async (req, reply) => {\n${h}\n})\napp.listen({ port: 3000 })\n`,
    }),
  },
  {
    name: 'Hono',
    packages: ['hono'],
    body: 'await c.req.json()',
    header: (n) => `c.req.header('${n}')`,
    answer: (status, value = 'null') => `return c.json(${value}, ${status})`,
    lib: './lib',
    files: (h, i) => ({
      'index.ts': `import { Hono } from 'hono'\n${i}\nconst app = new Hono()\napp.post('/thing', async (c) => {\n${h}\n})\nexport default app\n`,
    }),
  },
  {
    ...node,
    name: 'NestJS',
    packages: ['@nestjs/common', '@nestjs/core'],
    lib: './lib',
    files: (h, i) => ({
      'src/things.controller.ts': `import { Controller, Post, Req, Res } from '@nestjs/common'\n${i.replaceAll('./lib', '../lib')}\n@Controller('things')\nexport class ThingsController {\n  @Post()\n  async thing(@Req() req, @Res() res) {\n${h}\n  }\n}\n`,
      'src/app.module.ts': `import { Module } from '@nestjs/common'\nimport { ThingsController } from './things.controller'\n@Module({ controllers: [ThingsController] })\nexport class AppModule {}\n`,
      'src/main.ts': `import { NestFactory } from '@nestjs/core'\nimport { AppModule } from './app.module'\nconst app = await NestFactory.create(AppModule)\nawait app.listen(3000)\n`,
    }),
  },
  {
    ...web,
    name: 'Remix',
    packages: ['@remix-run/node', '@remix-run/react'],
    lib: '../../lib',
    files: (h, i) => ({ 'app/routes/thing.ts': `${i}\nexport async function action({ request }) {\n${h}\n}\n` }),
  },
  {
    ...web,
    name: 'React Router 7',
    packages: ['@react-router/node', '@react-router/dev', 'react-router'],
    lib: '../../lib',
    files: (h, i) => ({
      'app/routes.ts': "import { route } from '@react-router/dev/routes'\nexport default [route('thing', 'routes/thing.ts')]\n",
      'app/routes/thing.ts': `${i}\nexport async function action({ request }) {\n${h}\n}\n`,
    }),
  },
  {
    ...web,
    name: 'TanStack Start',
    packages: ['@tanstack/react-start', '@tanstack/react-router'],
    lib: '../../lib',
    files: (h, i) => ({
      'src/routes/thing.ts': `import { createFileRoute } from '@tanstack/react-router'\n${i}\nexport const Route = createFileRoute('/thing')({ server: { handlers: { POST: async ({ request }) => {\n${h}\n} } } })\n`,
    }),
  },
  {
    ...web,
    name: 'SvelteKit',
    packages: ['@sveltejs/kit', 'svelte'],
    answer: (status, value = 'null') => `return json(${value}, { status: ${status} })`,
    lib: '../../../lib',
    files: (h, i) => ({ 'src/routes/thing/+server.ts': `import { json } from '@sveltejs/kit'\n${i}\nexport const POST = async ({ request }) => {\n${h}\n}\n` }),
  },
  {
    name: 'Nuxt',
    packages: ['nuxt'],
    body: 'await readBody(event)',
    header: (n) => `getHeader(event, '${n}')`,
    answer: (status, value = 'null') => (status < 400 ? `return ${value}` : `throw createError({ statusCode: ${status} })`),
    lib: '../../lib',
    files: (h, i) => ({ 'server/api/thing.post.ts': `${i}\nexport default defineEventHandler(async (event) => {\n${h}\n})\n` }),
  },
  {
    ...web,
    name: 'Astro',
    packages: ['astro'],
    answer: response,
    lib: '../../../lib',
    files: (h, i) => ({
      'astro.config.mjs': "import { defineConfig } from 'astro/config'\nexport default defineConfig({ output: 'server' })\n",
      'src/pages/api/thing.ts': `${i}\nexport const POST = async ({ request }) => {\n${h}\n}\n`,
    }),
  },
  {
    ...node,
    name: 'Vercel functions',
    packages: ['@vercel/node'],
    lib: '../lib',
    files: (h, i) => ({ 'vercel.json': '{}\n', 'api/thing.ts': `${i}\nexport default async function handler(req, res) {\n${h}\n}\n` }),
  },
  {
    name: 'Netlify functions',
    packages: ['@netlify/functions'],
    body: "JSON.parse(event.body ?? '{}')",
    header: (n) => `event.headers['${n}']`,
    answer: (status, value = 'null') => `return { statusCode: ${status}, body: JSON.stringify(${value}) }`,
    lib: '../../lib',
    files: (h, i) => ({
      'netlify.toml': '[functions]\ndirectory = "netlify/functions"\n',
      'netlify/functions/thing.ts': `${i}\nexport const handler = async (event) => {\n${h}\n}\n`,
    }),
  },
  {
    name: 'tRPC',
    packages: ['@trpc/server'],
    body: 'input',
    header: (n) => `ctx.req.headers.get('${n}')`,
    answer: (status, value = 'null') => (status < 400 ? `return ${value}` : "throw new TRPCError({ code: 'UNAUTHORIZED' })"),
    lib: './lib',
    files: (h, i) => ({
      'router.ts': `import { initTRPC, TRPCError } from '@trpc/server'\n${i}\nconst t = initTRPC.create()\nexport const appRouter = t.router({\n  thing: t.procedure.mutation(async ({ input, ctx }) => {\n${h}\n  })\n})\n`,
    }),
  },
  {
    ...web,
    name: 'Expo API routes',
    packages: ['expo', 'expo-router'],
    lib: '../../lib',
    files: (h, i) => ({
      'app.json': '{ "expo": { "web": { "output": "server" } } }\n',
      'app/api/thing+api.ts': `${i}\nexport async function POST(request: Request) {\n${h}\n}\n`,
    }),
  },
]
