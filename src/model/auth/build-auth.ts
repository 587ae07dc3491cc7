import { nonProductionHost } from '../../lib/host.ts'
import { together } from '../../lib/memo/collect-by-file.ts'
import { memo } from '../../lib/memo/memo.ts'
import type { AppModel } from '../app-model.ts'
import { sourceFiles } from '../files/files.ts'
import { isScript } from '../files/script.ts'
import type { ModelInput } from '../model-input.ts'
import type { AuthModel, OpenRedirect, TemplateHost } from './auth.ts'
import { readAuthSettings } from './auth-settings.ts'
import { type Flows, readFlows } from './flows.ts'
import { allowListsOf, librariesByFile, readLibraryFlows, redirectCallbacks } from './library-flows.ts'
import { findOpenRedirects, signInCallbacks } from './open-redirects.ts'
import { readOwnCodes } from './own-codes.ts'
import { projectRefs } from './project-refs.ts'
import { UrlReader } from './url-reader.ts'
import { findWrongHosts } from './wrong-hosts.ts'

/** The auth slice: who signs in how, where they are sent, and which settings decide. */
export function buildAuth(input: ModelInput, slices: Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'modules' | 'routes' | 'env'>): AuthModel {
  const sources = sourceFiles(input.facts.of('javascript'))
  const reader = new UrlReader(sources, slices.modules)
  const flows: Flows = { oauth: [], resets: [], codes: [], redirects: [] }
  const openRedirects: OpenRedirect[] = []
  const libraries = librariesByFile(sources)
  const followed = redirectCallbacks(sources)
  const callbacks = signInCallbacks(sources)
  // a script asks whoever runs it to sign in and listens on that machine for the answer: nobody of the application signs in through it
  const script = memo((path: string) => isScript(path, slices))
  for (const [path, js] of sources) {
    readFlows(path, js, reader, flows)
    const imported = libraries.get(path)
    if (imported) readLibraryFlows(path, js, imported, reader, flows)
    flows.codes.push(...readOwnCodes(path, js, reader, sources, slices.schema))
    openRedirects.push(...(followed.get(path) ?? []))
    if (callbacks.has(path)) openRedirects.push(...findOpenRedirects(path, js, reader, slices.routes.routes))
  }
  const settings = readAuthSettings(input.facts)
  for (const s of settings) {
    const provider = /^auth\.external\.([a-z0-9_]+)\.enabled$/.exec(s.key)?.[1]
    if (provider && s.value === true && !flows.oauth.some((o) => o.provider === provider))
      flows.oauth.push({ at: s.at, library: 'supabase', how: `${s.section} enabled`, provider })
  }
  const [projectRef] = slices.declared.hosted?.projectRef ? [slices.declared.hosted.projectRef] : projectRefs(input.facts)
  const oauth = flows.oauth.filter((o) => !script(o.at.path))
  const redirects = flows.redirects.filter((r) => r.purpose !== 'oauth' || !script(r.at.path))
  return {
    ...flows,
    oauth,
    redirects,
    wrongHosts: findWrongHosts(redirects, slices.env, slices.declared.productionDomains),
    openRedirects,
    allowLists: together(allowListsOf(sources)),
    settings,
    templateHosts: templateHosts(input, slices),
    ...(slices.declared.hosted ? { hosted: slices.declared.hosted } : {}),
    ...(projectRef ? { projectRef } : {}),
    productionDomains: slices.declared.productionDomains,
  }
}

/** Links with a non-production host in mail templates. */
function templateHosts(input: ModelInput, slices: Pick<AppModel, 'files'>): TemplateHost[] {
  const found: TemplateHost[] = []
  for (const [path, { text }] of input.facts.of('text')) {
    if (
      !/\.html?$/i.test(path) ||
      !/(^|\/)(supabase\/templates?|email[-_]?templates?|emails?|mail[-_]?templates?|mails?)\//i.test(path) ||
      slices.files.role(path) !== 'source'
    )
      continue
    text.split('\n').forEach((content, i) => {
      const url = /href\s*=\s*["'](https?:\/\/[^"'\s{]+)/i.exec(content)?.[1]
      if (url && nonProductionHost(url)) found.push({ at: { path, line: i + 1 }, url, purpose: /recover|reset|password/i.test(path) ? 'reset' : 'other' })
    })
  }
  return found
}
