import { astro } from './astro.ts'
import { authJs } from './auth-js.ts'
import { edgeFunctions } from './edge-functions.ts'
import type { Framework } from './entry.ts'
import { expoApi } from './expo-api.ts'
import { express } from './express.ts'
import { fastify } from './fastify.ts'
import { hono } from './hono.ts'
import { nest } from './nest.ts'
import { nextApp } from './next-app.ts'
import { nextPages } from './next-pages.ts'
import { nuxt } from './nuxt.ts'
import { platformFunctions } from './platform-functions.ts'
import { remix } from './remix.ts'
import { spa } from './spa.ts'
import { sveltekit } from './sveltekit.ts'
import { tanstackStart } from './tanstack-start.ts'
import { trpc } from './trpc.ts'
import { workers } from './workers.ts'

/** Every framework that is understood; each is one file. */
export const FRAMEWORKS: readonly Framework[] = [
  nextApp,
  nextPages,
  authJs,
  edgeFunctions,
  express,
  fastify,
  hono,
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
