import type { Extractor } from '../../facts.ts'
import type { JavaScriptFacts } from '../../javascript.ts'
import { findSecrets, SECRETS_VERSION } from '../../secrets/detect.ts'
import { isBundled } from './bundled.ts'
import { type Dialect, lower } from './lower.ts'
import { scriptText } from './script-blocks.ts'

const EMPTY_MODULE_FACTS: JavaScriptFacts = { directives: [], imports: [], exports: [], functions: [{ id: 0, params: [], body: [], l: 1, e: 1 }], comments: [] }

/** JavaScript and TypeScript, and the script parts of Vue, Svelte and Astro files. */
export const javascript: Extractor<'javascript'> = {
  kind: 'javascript',
  // Generated applications keep all their routes in one file; what bundlers write is told by its lines and not parsed.
  maxBytes: 2 << 20,
  version: `8.${SECRETS_VERSION}`,
  paths: ['**/*.{ts,tsx,js,jsx,mjs,cjs,mts,cts,vue,svelte,astro}'],
  extract(text, path) {
    const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
    if (/\.d\.[cm]?ts$/i.test(path)) return { facts: EMPTY_MODULE_FACTS, problems: [] }
    if (isBundled(text, path)) return { facts: { ...EMPTY_MODULE_FACTS, bundled: true }, problems: [] }
    try {
      if (extension === 'vue' || extension === 'svelte' || extension === 'astro') return component(text, extension)
      return lower(text, { dialect: dialectOf(extension), secrets: findSecrets(text), erasesUnread: /^[cm]?tsx?$/.test(extension), original: text })
    } catch (error) {
      // The parser recurses as deep as the file nests.
      if (!(error instanceof RangeError)) throw error
      return { facts: EMPTY_MODULE_FACTS, problems: [{ line: 1, message: 'is nested too deeply to be parsed' }] }
    }
  },
}

function dialectOf(extension: string): Dialect {
  return extension === 'tsx' ? 'tsx' : /^[cm]?ts$/.test(extension) ? 'ts' : 'js'
}

function component(text: string, extension: 'vue' | 'svelte' | 'astro') {
  const script = scriptText(text, extension)
  const { facts, problems } = lower(script.text, { dialect: script.tsx ? 'tsx' : 'ts', secrets: findSecrets(script.text), erasesUnread: false, original: text })
  const astro = extension === 'astro' ? { browserLines: script.browserLines, hydrated: hydratedComponents(text) } : undefined
  return { facts: astro && (astro.browserLines.length > 0 || astro.hydrated.length > 0) ? { ...facts, ...astro } : facts, problems }
}

/** Components that Astro ships to the browser: `<Cart client:load />`. */
function hydratedComponents(text: string): string[] {
  const names = new Set<string>()
  for (const m of text.matchAll(/\bclient:(?:load|idle|visible|media|only)\b/g)) {
    const open = text.lastIndexOf('<', m.index)
    const name = /^<([A-Z][\w.]*)/.exec(text.slice(open, open + 100))?.[1]
    if (name) names.add(name.split('.')[0] as string)
  }
  return [...names]
}
