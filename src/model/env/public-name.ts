import { identifies } from '../../facts/secrets/hash.ts'
import type { EnvDefinition, EnvRead, PublicVariable } from './env.ts'

/** Prefixes that bundlers inline (checks.md, "Public prefixes"). */
export const PUBLIC_PREFIXES: readonly string[] = [
  'NEXT_PUBLIC_',
  'VITE_',
  'REACT_APP_',
  'EXPO_PUBLIC_',
  'NUXT_PUBLIC_',
  'PUBLIC_',
  'GATSBY_',
  'VUE_APP_',
  'NG_APP_',
  'STORYBOOK_',
  'PLASMO_PUBLIC_',
]

/** The public prefix of a name; undefined when the name is not inlined. */
export function publicPrefix(name: string, prefixes: readonly string[]): string | undefined {
  return prefixes.filter((p) => name.startsWith(p)).sort((a, b) => b.length - a.length)[0]
}

/** Groups reads and definitions of the variables that reach the bundle. */
export function publicVariables(definitions: readonly EnvDefinition[], reads: readonly EnvRead[], prefixes: readonly string[]): PublicVariable[] {
  const found = new Map<string, { prefix?: string; reads: EnvRead[]; definitions: EnvDefinition[] }>()
  const at = (name: string) => {
    const prefix = publicPrefix(name, prefixes)
    const known = found.get(name) ?? { ...(prefix ? { prefix } : {}), reads: [], definitions: [] }
    found.set(name, known)
    return known
  }
  for (const d of definitions) if (d.inlinedBy || publicPrefix(d.name, prefixes)) at(d.name).definitions.push(d)
  for (const r of reads) if (publicPrefix(r.name, prefixes)) at(r.name).reads.push(r)
  const secrets = new Map(definitions.filter((d) => isServersSecret(d, prefixes)).map((d) => [d.hash, d]))
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, v]) => {
      const servers = v.definitions.map((d) => secrets.get(d.hash)).find((d) => d !== undefined)
      return { name, bare: v.prefix ? name.slice(v.prefix.length) : name, ...v, ...(servers ? { servers } : {}) }
    })
}

const SERVERS_FOLDER = /(?:^|\/)(?:supabase\/functions|server|backend)\//i

/** A secret in the env file of what runs on a server, under a name that reaches no bundle. */
function isServersSecret(d: EnvDefinition, prefixes: readonly string[]): boolean {
  return d.source === 'env-file' && d.kind === 'generic-secret' && identifies(d.hash) && SERVERS_FOLDER.test(d.path) && !publicPrefix(d.name, prefixes)
}
