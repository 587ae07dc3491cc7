import type { Extractor } from '../../facts.ts'

/** JavaScript and TypeScript, and the script parts of Vue, Svelte and Astro files. */
export const javascript: Extractor<'javascript'> = {
  kind: 'javascript',
  version: '0',
  paths: ['**/*.{ts,tsx,js,jsx,mjs,cjs,mts,cts,vue,svelte,astro}'],
  extract: () => ({ facts: { directives: [], imports: [], exports: [], functions: [], comments: [] }, problems: [] }),
}
