import { identifies } from '../../facts/secrets/hash.ts'
import { isPlaceholder } from '../../facts/secrets/placeholder.ts'
import type { EnvDefinition, Environment, Identity, Separation, SharedIdentity } from './env.ts'

/** Where one file has a section for each environment: a preview that shares production's project was written down as such. */
const PLATFORM_CONFIG_KINDS: readonly EnvDefinition['source'][] = ['platform-config']

const LOCAL_ADDRESS = /localhost|127\.0\.0\.1|0\.0\.0\.0|host\.docker\.internal|kong:|\.local(?:[:/]|$)/i

/** Compares what development and production sources of one application say. */
export function compareEnvironments(definitions: readonly EnvDefinition[], workspaceOf: (path: string) => string): Separation {
  const side = (d: EnvDefinition): Environment | undefined => sideOf(d, definitions, workspaceOf)
  const identities = definitions.flatMap((d) => identityOf(d))
  const previewed = identities.filter((i) => i.definition.environment === 'preview' && PLATFORM_CONFIG_KINDS.includes(i.definition.source))
  const developed = identities.filter((i) => side(i.definition) === 'development')
  const development = developed.length ? developed : previewed
  const production = identities.filter((i) => side(i.definition) === 'production')
  const same = (a: Identity, b: Identity) => workspaceOf(a.definition.path) === workspaceOf(b.definition.path)
  const shared: SharedIdentity[] = []
  for (const p of production) {
    const d = development.find((x) => x.what === p.what && x.id === p.id && same(x, p))
    if (d) shared.push({ what: p.what, development: d.definition, production: p.definition })
  }
  const distinct = production
    .filter((p) => development.some((d) => d.definition.name === p.definition.name && d.id !== p.id && same(d, p)))
    .map((p) => p.definition.name)
  const paths = (of: readonly Identity[]) => [...new Set(of.map((i) => i.definition.path))]
  return { shared, distinct: [...new Set(distinct)], sides: { development: paths(development), production: paths(production) } }
}

/** `.env` serves development where a production source stands beside it, and the other way round. */
function sideOf(d: EnvDefinition, all: readonly EnvDefinition[], workspaceOf: (path: string) => string): Environment | undefined {
  if (d.environment === 'development' || d.environment === 'production') return d.environment
  if (d.source !== 'env-file' || d.environment !== 'shared') return undefined
  const beside = (environment: Environment) =>
    all.some((x) => x.path !== d.path && x.environment === environment && workspaceOf(x.path) === workspaceOf(d.path) && x.name === d.name)
  if (beside('production') && !beside('development')) return 'development'
  if (beside('development') && !beside('production')) return 'production'
  return undefined
}

function identityOf(d: EnvDefinition): Identity[] {
  if (['empty', 'placeholder', 'reference'].includes(d.kind) || d.live === 'local-demo') return []
  const value = d.value
  if (LOCAL_ADDRESS.test(value)) return []
  const project = /https:\/\/([a-z0-9]{20})\.supabase\.(?:co|in|red)/.exec(value)?.[1] ?? d.claims?.ref
  if (project && !isPlaceholder(project)) return [{ what: `Supabase project ${project}`, id: project, definition: d }]
  const database = /^[a-z+]+:\/\/(?:[^@/\s]*@)([^/:?\s]+)/.exec(value)?.[1]
  if (database?.includes('.') && /^(?:postgres|mysql|mongodb|redis|mariadb|libsql)/.test(value))
    return [{ what: `database host ${database}`, id: database, definition: d }]
  if (/FIREBASE_PROJECT_ID$/.test(d.name) || /SUPABASE_PROJECT_(?:ID|REF)$/.test(d.name)) return [{ what: `project ${value}`, id: value, definition: d }]
  const key = d.kind !== 'plain' || /(?:^|_)(?:API_?KEY|SECRET|TOKEN|DSN)$/.test(d.name)
  // keys of analytics and error tracking are one per product by design
  if (key && identifies(d.hash) && !/POSTHOG|SENTRY|ANALYTICS|GTM|GA_|MIXPANEL|AMPLITUDE|CAPTCHA|TURNSTILE|MAPBOX|MAPS/i.test(d.name))
    return [{ what: `value of ${d.name}`, id: d.hash, definition: d }]
  return []
}
