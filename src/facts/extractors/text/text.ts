import type { Extractor } from '../../facts.ts'

/** Text that checks look into beside code: scripts, HTML, Dockerfiles. */
export const text: Extractor<'text'> = {
  kind: 'text',
  version: '1',
  paths: ['**/*.{sh,bash,html,htm}', '**/Dockerfile*', '**/Makefile', '**/Procfile'],
  maxBytes: 256 << 10,
  extract: (content) => ({ facts: { text: content }, problems: [] }),
}
