import type { Extractor } from '../../facts.ts'
import { SECRETS_VERSION } from '../../secrets/detect.ts'
import { redactInPlace } from '../../secrets/redact.ts'

const DEFINES = /\b(create|alter|drop|grant|revoke|do)\b/i

/** SQL text, for the database sandbox, which splits and parses it with PostgreSQL's own parser. */
export const sql: Extractor<'sql'> = {
  kind: 'sql',
  version: `5.${SECRETS_VERSION}`,
  paths: ['**/*.sql'],
  maxBytes: 2 << 20,
  extract: (text) => ({ facts: { text: redactInPlace(text), definesSchema: DEFINES.test(text) }, problems: [] }),
}
