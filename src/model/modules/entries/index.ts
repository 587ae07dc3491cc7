import { astro } from './astro.ts'
import { browserExtension } from './browser-extension.ts'
import type { EntryRules } from './entry-rules.ts'
import { fileBased } from './file-based.ts'
import { native } from './native.ts'
import { next } from './next.ts'
import { nuxt } from './nuxt.ts'
import { remix } from './remix.ts'
import { server } from './server.ts'
import { singlePage } from './single-page.ts'
import { sveltekit } from './sveltekit.ts'
import { tanstackStart } from './tanstack-start.ts'

/** Every framework and bundler that says where code runs. */
export const ENTRY_RULES: readonly EntryRules[] = [next, remix, sveltekit, nuxt, astro, tanstackStart, fileBased, native, browserExtension, singlePage, server]
