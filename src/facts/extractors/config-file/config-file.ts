import type { Extractor } from '../../facts.ts'

/** Configuration files as plain data with the line of every key. */
export const configFile: Extractor<'config-file'> = {
  kind: 'config-file',
  version: '0',
  paths: ['**/*.{toml,yml,yaml,json}'],
  extract: () => ({ facts: { format: 'json', data: undefined, lines: {} }, problems: [] }),
}
