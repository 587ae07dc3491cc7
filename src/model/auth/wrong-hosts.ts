import { hostOf, nonProductionHost } from '../../lib/host.ts'
import type { EnvModel } from '../env/env.ts'
import type { RedirectUse, WrongHost } from './auth.ts'
import type { UrlValue } from './url-value.ts'

/** Redirects that lead to a host on which no production site lives, one entry for each place that writes the host. */
export function findWrongHosts(redirects: readonly RedirectUse[], env: EnvModel, productionDomains: readonly string[]): WrongHost[] {
  const isProduction = (url: string) => productionDomains.some((d) => hostOf(url) === d.toLowerCase() || hostOf(url)?.endsWith(`.${d.toLowerCase()}`))
  const found = new Map<string, WrongHost>()
  const add = (entry: Omit<WrongHost, 'uses'>, use: RedirectUse) => {
    const key = `${entry.at.path}:${entry.at.line} ${entry.unless ? 'fallback' : 'always'}`
    const known = found.get(key)
    if (!known) found.set(key, { ...entry, uses: [use] })
    else if (!known.uses.includes(use)) found.set(key, { ...known, uses: [...known.uses, use] })
  }
  for (const use of redirects) {
    const variables = new Set(use.values.flatMap((v) => v.parts.flatMap((p) => (p.k === 'env' ? [p.name] : []))))
    for (const value of use.values) {
      const first = value.parts[0]
      const url = leadingText(value)
      const kind = url ? nonProductionHost(url) : undefined
      if (url && kind && !isProduction(url) && first?.k === 'text') {
        const unless = value.fallback ? [...variables].sort() : undefined
        add({ url: originOf(url), kind, at: first.at, ...(unless ? { unless } : {}) }, use)
      }
    }
    for (const name of variables) {
      for (const d of env.definitions) {
        if (d.name !== name || !isProductionFile(d.path)) continue
        const kind = nonProductionHost(d.value)
        if (kind && !isProduction(d.value)) add({ url: d.value, kind, at: { path: d.path, line: d.line }, variable: name }, use)
      }
    }
  }
  // where the host is written whatever is set, what else is missing (a port) leads nowhere else
  const always = new Set([...found.values()].flatMap((w) => (w.unless ? [] : [`${w.at.path}:${w.at.line}`])))
  return [...found.values()].filter((w) => !w.unless || !always.has(`${w.at.path}:${w.at.line}`))
}

/** `.env.production` and its local variant; templates are no configuration. */
function isProductionFile(path: string): boolean {
  return /(^|\/)\.env\.(prod|production)(\.local)?$/.test(path)
}

/** Scheme, host and port, as far as they are written. */
function originOf(url: string): string {
  return (/^https?:\/\/[^\s/?#]+/i.exec(url.trim())?.[0] ?? url.trim()).replace(/:$/, '')
}

/** The literal text at the start, as far as it goes without a hole. */
function leadingText(value: UrlValue): string | undefined {
  let out = ''
  for (const p of value.parts) {
    if (p.k !== 'text') break
    out += p.text
  }
  return out || undefined
}
