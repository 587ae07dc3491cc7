import type { Extractor } from '../../facts.ts'

/** Lock files of npm, pnpm, yarn, bun and Deno. */
export const lockfile: Extractor<'lockfile'> = {
  kind: 'lockfile',
  version: '0',
  paths: ['**/package-lock.json', '**/npm-shrinkwrap.json', '**/pnpm-lock.yaml', '**/yarn.lock', '**/bun.lock', '**/bun.lockb', '**/deno.lock'],
  extract: () => ({ facts: { format: 'npm', packages: [] }, problems: [] }),
}
