import type { Extractor } from '../../facts.ts'
import { redactInPlace } from '../../secrets/redact.ts'

/** Text that checks look into beside code: scripts, HTML, Dockerfiles. Secrets are blanked out, lines and columns hold. */
export const text: Extractor<'text'> = {
  kind: 'text',
  version: '2',
  paths: ['**/*.{sh,bash,zsh,ps1,html,htm}', '**/Dockerfile*', '**/*.dockerfile', '**/Makefile', '**/Procfile', '**/justfile'],
  maxBytes: 256 << 10,
  extract: (content) => ({ facts: { text: redactInPlace(content) }, problems: [] }),
}
