import type { ConfigFileFacts, ValueFact } from '../../facts/kinds.ts'
import { describeValue } from '../../facts/secrets/describe-value.ts'
import type { EnvDefinition, Environment } from './env.ts'

type Data = Readonly<Record<string, unknown>>

/** Variables that configuration files define: compose, workflows, hosting platforms, Expo. */
export function configDefinitions(path: string, facts: ConfigFileFacts): EnvDefinition[] {
  const out: EnvDefinition[] = []
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const root = record(facts.data)
  if (!root) return out
  const add = (variables: unknown, at: string, source: EnvDefinition['source'], environment: Environment, inlinedBy?: string) => {
    for (const [key, value, suffix] of entries(variables)) {
      out.push({
        name: key,
        path,
        line: facts.lines[`${at}.${suffix}`] ?? facts.lines[at] ?? 1,
        ...described(key, value),
        source,
        environment,
        ...(inlinedBy ? { inlinedBy } : {}),
      })
    }
  }
  if (/compose[^/]*\.ya?ml$/.test(name)) {
    for (const [service, definition] of Object.entries(record(root.services) ?? {})) {
      const s = record(definition)
      add(s?.environment, `services.${service}.environment`, 'compose', /prod/.test(name) ? 'production' : 'shared')
      add(record(s?.build)?.args, `services.${service}.build.args`, 'compose', /prod/.test(name) ? 'production' : 'shared')
    }
  } else if (/(^|\/)\.github\/workflows\//.test(path)) {
    add(root.env, 'env', 'workflow', 'shared')
    for (const [job, definition] of Object.entries(record(root.jobs) ?? {})) {
      const j = record(definition)
      const declared = typeof j?.environment === 'string' ? j.environment : record(j?.environment)?.name
      const environment = named(typeof declared === 'string' ? declared : '')
      add(j?.env, `jobs.${job}.env`, 'workflow', environment)
      for (const [i, step] of list(j?.steps)) add(record(step)?.env, `jobs.${job}.steps.${i}.env`, 'workflow', environment)
    }
  } else if (name === 'vercel.json' || name === 'now.json') {
    add(root.env, 'env', 'platform-config', 'shared')
    add(record(root.build)?.env, 'build.env', 'platform-config', 'shared')
  } else if (name === 'netlify.toml') {
    add(record(root.build)?.environment, 'build.environment', 'platform-config', 'shared')
    for (const [context, definition] of Object.entries(record(root.context) ?? {}))
      add(
        record(definition)?.environment,
        `context.${context}.environment`,
        'platform-config',
        context === 'production' ? 'production' : context === 'dev' ? 'development' : 'preview',
      )
  } else if (/^wrangler\.(toml|jsonc?)$/.test(name)) {
    add(root.vars, 'vars', 'platform-config', 'shared')
    for (const [environment, definition] of Object.entries(record(root.env) ?? {}))
      add(record(definition)?.vars, `env.${environment}.vars`, 'platform-config', named(environment))
  } else if (name === 'eas.json') {
    for (const [profile, definition] of Object.entries(record(root.build) ?? {}))
      add(record(definition)?.env, `build.${profile}.env`, 'platform-config', named(profile))
  } else if (name === 'fly.toml') add(root.env, 'env', 'platform-config', 'production')
  else if (name === 'app.json') add(record(record(root.expo)?.extra), 'expo.extra', 'build-config', 'shared', 'expo.extra in app.json')
  else if (name === 'render.yaml') {
    for (const [i, s] of list(root.services)) add(record(s)?.envVars, `services.${i}.envVars`, 'platform-config', 'production')
  } else if (/^(apphosting.*|app)\.yaml$/.test(name)) {
    add(root.env, 'env', 'platform-config', 'production')
    add(root.env_variables, 'env_variables', 'platform-config', 'production')
  }
  return out
}

/** Maps, `NAME=value` lists and lists of `{ key, value }`: name, value and the rest of the dotted path. */
function* entries(variables: unknown): Generator<[string, unknown, string]> {
  if (Array.isArray(variables)) {
    for (const [i, item] of variables.entries()) {
      if (typeof item === 'string') {
        const eq = item.indexOf('=')
        yield eq === -1 ? [item, undefined, String(i)] : [item.slice(0, eq), item.slice(eq + 1), String(i)]
      } else {
        const r = record(item)
        const key = r?.key ?? r?.variable ?? r?.name
        if (typeof key === 'string') yield [key, r?.value, String(i)]
      }
    }
    return
  }
  for (const [key, value] of Object.entries(record(variables) ?? {})) yield [key, value, key]
}

/** The reader redacted secrets already: their prefix tells what they were. */
function described(name: string, value: unknown): ValueFact {
  const text = value === undefined || value === null ? '' : String(value)
  if (text.endsWith('…') || /^[a-z+]+:\/\/…@/.test(text))
    return { value: text, kind: redactedKind(text), hash: '', live: /^[sr]k_test_/.test(text) ? 'test' : 'live' }
  return describeValue(name, text)
}

function redactedKind(text: string): string {
  if (text.startsWith('sk_live_') || text.startsWith('rk_live_')) return 'stripe-live-secret'
  if (text.startsWith('sk_test_') || text.startsWith('rk_test_')) return 'stripe-test-secret'
  if (text.startsWith('eyJ')) return 'supabase-service-role-jwt'
  return text.includes('://') ? 'database-url' : 'generic-secret'
}

/** What the name of a profile, job environment or context stands for. */
export function named(environment: string): Environment {
  if (/prod|live/i.test(environment)) return 'production'
  if (/^dev|local/i.test(environment)) return 'development'
  if (/test|ci/i.test(environment)) return 'test'
  return environment ? 'preview' : 'shared'
}

function list(value: unknown): [number, unknown][] {
  return Array.isArray(value) ? [...value.entries()] : []
}

function record(value: unknown): Data | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Data) : undefined
}
