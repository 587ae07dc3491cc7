import type { Framework } from './entry.ts'
import { astro } from './file-routed/astro.ts'
import { expoApi } from './file-routed/expo-api.ts'
import { nuxt } from './file-routed/nuxt.ts'
import { remix } from './file-routed/remix.ts'
import { spa } from './file-routed/spa.ts'
import { sveltekit } from './file-routed/sveltekit.ts'
import { tanstackStart } from './file-routed/tanstack-start.ts'
import { edgeFunctions } from './functions/edge-functions.ts'
import { platformFunctions } from './functions/platform-functions.ts'
import { workers } from './functions/workers.ts'
import { nest } from './nest/nest.ts'
import { authJs } from './next/auth-js.ts'
import { nextApp } from './next/next-app.ts'
import { nextPages } from './next/next-pages.ts'
import { express } from './routers/express.ts'
import { fastify } from './routers/fastify.ts'
import { hono } from './routers/hono.ts'
import { koa } from './routers/koa.ts'
import { trpc } from './trpc/trpc.ts'

/** Every framework that is understood; each is one file. */
export const FRAMEWORKS: readonly Framework[] = [
  nextApp,
  nextPages,
  authJs,
  edgeFunctions,
  express,
  fastify,
  hono,
  koa,
  nest,
  remix,
  tanstackStart,
  sveltekit,
  nuxt,
  astro,
  platformFunctions,
  trpc,
  expoApi,
  workers,
  spa,
]
