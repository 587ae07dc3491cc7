import { githubAdvisories } from '../platform/github/advisories.ts'
import { accessToken } from '../platform/github/client.ts'
import { settingsOfProjects } from '../platform/supabase/management-api.ts'
import { Auditors, type AuditorsOptions } from './auditor/auditors.ts'
import type { RunnerOptions } from './runner-options.ts'

/** What audits of the App share on this machine: the auditor, which reads repositories, and GitHub's advisories with their cache. */
export function defaultPorts(
  baseUrl: string,
  supabaseToken?: string,
  options: AuditorsOptions = {},
): RunnerOptions['ports'] & { readonly auditors: Auditors; close(): Promise<void> } {
  const auditors = new Auditors(options)
  return {
    auditors,
    audit: (request, ports, signal) => auditors.run(request, ports, signal),
    advisories: (api, onRequest, cache) => githubAdvisories({ baseUrl, cache, onRequest, token: () => accessToken(api).catch(() => undefined) }),
    ...(supabaseToken ? { hosted: () => settingsOfProjects({ token: supabaseToken }) } : {}),
    close: () => auditors.close(),
  }
}
