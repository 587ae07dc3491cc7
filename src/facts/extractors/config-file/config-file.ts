import type { Extractor } from '../../facts.ts'
import type { ConfigFileFacts } from '../../kinds.ts'
import { SECRETS_VERSION } from '../../secrets/detect.ts'
import { redact } from '../../secrets/redact.ts'
import { secretByName } from '../../secrets/secret-by-name.ts'
import { readJson } from './json.ts'
import { readToml } from './toml.ts'
import { readYaml } from './yaml.ts'

const JSON_NAMES =
  'vercel,now,tsconfig,tsconfig.*,jsconfig,jsconfig.*,deno,import_map,app,manifest,eas,turbo,nx,project,lerna,firebase,wrangler,railway,netlify,angular,staticwebapp.config,amplify,_journal,components,sst,cors'
const YAML_NAMES =
  'pnpm-workspace,render,amplify,app,serverless,cloudbuild,apphosting,apphosting.*,fly,railway,nhost,docker-stack,skaffold,service,deployment,secret,secrets,configmap,values'

/** Configuration files as plain data with the line of every key; values that are secrets are redacted. */
export const configFile: Extractor<'config-file'> = {
  kind: 'config-file',
  version: `3.${SECRETS_VERSION}`,
  paths: [
    '**/*.toml',
    '**/.github/**/*.{yml,yaml}',
    '**/*compose*.{yml,yaml}',
    `**/{${YAML_NAMES}}.{yml,yaml}`,
    '**/.{gitlab-ci,drone,travis,woodpecker}.yml',
    '**/{bitbucket-pipelines,azure-pipelines,buildspec,codemagic}.yml',
    '**/.circleci/*.yml',
    `**/{${JSON_NAMES}}.json`,
    '**/{deno,wrangler,tsconfig}.jsonc',
    '**/.firebaserc',
  ],
  extract(text, path) {
    const clean = redact(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text)
    const format = formatOf(path)
    const { data, lines, problems } = format === 'toml' ? readToml(clean) : format === 'yaml' ? readYaml(clean) : readJson(clean)
    return { facts: { format, data: redactByName(data, '', 0), lines }, problems }
  },
}

function formatOf(path: string): ConfigFileFacts['format'] {
  const lower = path.toLowerCase()
  return lower.endsWith('.toml') ? 'toml' : /\.ya?ml$/.test(lower) ? 'yaml' : 'json'
}

/** Values that only their key gives away (`password: …` without quotes escapes the text rules). */
function redactByName(value: unknown, key: string, depth: number): unknown {
  if (typeof value === 'string') return secretByName(key, value) ? '…' : value
  if (value === null || typeof value !== 'object' || depth > 60) return value instanceof Date ? value.toISOString() : value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((v) => redactByName(v, key, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, redactByName(v, k, depth + 1)]))
}
