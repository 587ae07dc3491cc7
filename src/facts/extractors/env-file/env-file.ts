import type { Extractor } from '../../facts.ts'
import { describeValue } from '../../secrets/describe-value.ts'
import { SECRETS_VERSION } from '../../secrets/detect.ts'
import { parseDotenv } from './parse-dotenv.ts'

const MAX_VARIABLES = 2000

/** Env files and their templates. */
export const envFile: Extractor<'env-file'> = {
  kind: 'env-file',
  version: `3.${SECRETS_VERSION}`,
  paths: ['**/.env', '**/.env.*', '**/.env-*', '**/*.env', '**/.dev.vars*', '**/.envrc'],
  extract(text, path) {
    if (/\.(?:[cm]?[jt]sx?|md|mdx|json|ya?ml|sh|py)$/i.test(path)) return { facts: { variables: [] }, problems: [] }
    const entries = parseDotenv(text)
    const problems =
      entries.length > MAX_VARIABLES
        ? [{ line: entries[MAX_VARIABLES]?.line ?? 1, message: `has more than ${MAX_VARIABLES} variables; the rest was not read` }]
        : []
    return { facts: { variables: entries.slice(0, MAX_VARIABLES).map(({ name, value, line }) => ({ name, line, ...describeValue(name, value) })) }, problems }
  },
}
