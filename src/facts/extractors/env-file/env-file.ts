import type { Extractor } from '../../facts.ts'

/** Env files and their templates. */
export const envFile: Extractor<'env-file'> = {
  kind: 'env-file',
  version: '0',
  paths: ['**/.env', '**/.env.*', '**/*.env', '**/.dev.vars*'],
  extract: () => ({ facts: { variables: [] }, problems: [] }),
}
