import type { FactsIndex } from '../../facts/facts.ts'

const REF = /^[a-z]{20}$/
const URL_OF_PROJECT = /^https:\/\/([a-z]{20})\.supabase\.(?:co|in)(?:\/|$)/

/** References of hosted projects that the repository names: configuration first (production remotes before others), then environment files. */
export function projectRefs(facts: FactsIndex): string[] {
  const refs = new Set<string>()
  for (const [path, { data }] of facts.of('config-file')) {
    if (!path.endsWith('supabase/config.toml')) continue
    const config = data as { project_id?: unknown; remotes?: Record<string, { project_id?: unknown }> } | undefined
    const remotes = Object.entries(config?.remotes ?? {}).sort(([a], [b]) => Number(/^prod/i.test(b)) - Number(/^prod/i.test(a)))
    for (const id of [...remotes.map(([, r]) => r?.project_id), config?.project_id]) if (typeof id === 'string' && REF.test(id)) refs.add(id)
  }
  for (const { variables } of facts.of('env-file').values()) {
    for (const v of variables) {
      const ref = URL_OF_PROJECT.exec(v.value)?.[1]
      if (ref) refs.add(ref)
    }
  }
  return [...refs].slice(0, 3)
}
