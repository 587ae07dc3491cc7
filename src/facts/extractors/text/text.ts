import type { Extractor } from '../../facts.ts'
import { SECRETS_VERSION } from '../../secrets/detect.ts'
import { redactInPlace } from '../../secrets/redact.ts'

/** Where `supabase gen types` is usually written to: types are no part of the facts about code. */
const GENERATED_TYPES = [
  '**/{database,supabase,db}{,.types,-types,_types,.generated}.ts',
  '**/types_db.ts',
  '**/database.types.*.ts',
  '**/{integrations,lib,utils,types}/supabase/{types,database,database.types}.ts',
  '**/supabase/types.ts',
]

/** Text that checks look into beside code: scripts, HTML, Dockerfiles. Secrets are blanked out, lines and columns hold. */
export const text: Extractor<'text'> = {
  kind: 'text',
  version: `5.${SECRETS_VERSION}`,
  paths: [
    '**/*.{sh,bash,zsh,ps1,html,htm}',
    '**/Dockerfile*',
    '**/*.dockerfile',
    '**/Makefile',
    '**/Procfile',
    '**/justfile',
    '**/*.prisma',
    ...GENERATED_TYPES,
  ],
  maxBytes: 256 << 10,
  extract: (content) => ({ facts: { text: redactInPlace(content) }, problems: [] }),
}
