import type { FactsIndex } from '../../facts/facts.ts'

/** Packages with which a browser or a server talks to Supabase's data API. */
const SUPABASE_CLIENTS =
  /^(@supabase\/(supabase-js|ssr|auth-helpers-[\w-]+|auth-ui-react|postgrest-js)|@nuxtjs\/supabase|nuxt-supabase|supabase-js|@supabase-cache-helpers\/[\w-]+|@refinedev\/supabase|ra-supabase)$/
const FROM_URL = /^(npm:|jsr:|https:\/\/(esm\.sh|cdn\.jsdelivr\.net\/npm|cdn\.skypack\.dev|unpkg\.com|deno\.land\/x)\/?)@?supabase([/@_-]|$)/

/** Whether a data platform exposes tables to browsers, and by which evidence. */
export function exposure(facts: FactsIndex, paths: readonly string[]): { exposedToBrowsers: boolean; because: string } {
  for (const [path, manifest] of facts.of('package-json')) {
    const client = manifest.dependencies.find((d) => d.group !== 'peerDependencies' && SUPABASE_CLIENTS.test(d.name))
    if (client) return { exposedToBrowsers: true, because: `${path} depends on ${client.name}` }
  }
  const folder = paths.find((p) => /(^|\/)supabase\/(config\.toml|migrations\/|functions\/|schemas\/)/.test(p))
  if (folder) return { exposedToBrowsers: true, because: `${folder.slice(0, folder.indexOf('supabase/') + 9)} belongs to Supabase` }
  for (const [path, file] of facts.of('javascript')) {
    const client = file?.imports?.find((i) => !i.typeOnly && (SUPABASE_CLIENTS.test(i.from) || FROM_URL.test(i.from)))
    if (client) return { exposedToBrowsers: true, because: `${path} imports ${client.from}` }
  }
  for (const [path, file] of facts.of('text')) {
    if (/\.html?$/i.test(path) && /@supabase\/supabase-js|supabase\.createClient\(/.test(file.text))
      return { exposedToBrowsers: true, because: `${path} loads Supabase's client` }
  }
  for (const [path, file] of facts.of('sql')) {
    if (/\bauth\.uid\(\)/.test(file.text)) return { exposedToBrowsers: true, because: `${path} speaks of auth.uid()` }
  }
  return { exposedToBrowsers: false, because: 'nothing in the repository uses Supabase' }
}
