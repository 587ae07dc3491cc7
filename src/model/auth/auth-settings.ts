import type { FactsIndex } from '../../facts/facts.ts'
import type { AuthSetting } from './auth.ts'

/** Authentication settings of every `supabase/config.toml`, remotes included, with the stage that each one reaches. */
export function readAuthSettings(facts: FactsIndex): AuthSetting[] {
  const pushed = pushedBy(facts)
  const settings: AuthSetting[] = []
  for (const [path, { data, lines }] of facts.of('config-file')) {
    if (!/(^|\/)supabase\/config\.toml$/.test(path)) continue
    const add = (prefix: string, value: unknown, stage: AuthSetting['stage'], because?: string) => {
      for (const [dotted, leaf] of leaves(value, 'auth', 0)) {
        const section = sectionOf(`${prefix}${dotted}`)
        const line = lines[`${prefix}${dotted}`] ?? lines[section] ?? 1
        settings.push({
          key: dotted,
          section: `[${section}]`,
          value: leaf,
          at: { path, line },
          ownLine: (lines[section] ?? line) < line,
          stage,
          ...(because ? { because } : {}),
        })
      }
    }
    const config = data as { auth?: unknown; remotes?: Record<string, { auth?: unknown }> } | undefined
    if (!config || typeof config !== 'object') continue
    add('', config.auth, pushed ? 'production' : 'local', pushed)
    for (const [name, remote] of Object.entries(config.remotes ?? {})) {
      const production = !/^(dev|develop|development|staging|stage|preview|test|testing|local|qa|sandbox)/i.test(name)
      add(`remotes.${name}.`, remote?.auth, production ? 'production' : 'other', `[remotes.${name}] configures a hosted project`)
    }
  }
  return settings
}

/** The workflow or script that pushes the configuration to the hosted project. */
function pushedBy(facts: FactsIndex): string | undefined {
  for (const [path, { data }] of facts.of('config-file')) {
    if (/(^|\/)\.(github\/workflows|gitlab-ci|circleci)/.test(path) && /supabase(@\S+)? config push/.test(JSON.stringify(data ?? '')))
      return `${path} runs \`supabase config push\``
  }
  for (const [path, { text }] of facts.of('text')) if (/supabase(@\S+)? config push/.test(text)) return `${path} runs \`supabase config push\``
  for (const [path, { scripts }] of facts.of('package-json')) {
    for (const [name, script] of Object.entries(scripts))
      if (/supabase(@\S+)? config push/.test(script)) return `script \`${name}\` of ${path} runs \`supabase config push\``
  }
  return undefined
}

function* leaves(value: unknown, path: string, depth: number): Generator<[string, AuthSetting['value']]> {
  if (depth > 6 || value === null || value === undefined) return
  if (Array.isArray(value)) yield [path, value.filter((v): v is string => typeof v === 'string')]
  else if (typeof value === 'object') for (const [k, v] of Object.entries(value)) yield* leaves(v, `${path}.${k}`, depth + 1)
  else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield [path, value]
}

/** The table that a dotted key is written in. */
function sectionOf(dotted: string): string {
  return dotted.slice(0, dotted.lastIndexOf('.'))
}
