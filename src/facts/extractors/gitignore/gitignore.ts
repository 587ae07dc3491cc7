import type { Extractor } from '../../facts.ts'

/** Ignore files: their lines as written; the rules are git's and are applied by the model. */
export const gitignore: Extractor<'gitignore'> = {
  kind: 'gitignore',
  version: '2',
  paths: ['**/.gitignore'],
  extract: (text) => ({ facts: { lines: text.split(/\r?\n/) }, problems: [] }),
}
