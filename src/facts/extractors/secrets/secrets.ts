import type { Extractor } from '../../facts.ts'

/** Secrets by their format, in any text file. */
export const secrets: Extractor<'secrets'> = {
  kind: 'secrets',
  version: '0',
  paths: ['**/*'],
  extract: () => ({ facts: { secrets: [] }, problems: [] }),
}
