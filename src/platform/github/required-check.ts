import { CHECK_NAME } from './check-runs.ts'
import type { GitHubApi } from './client.ts'
import type { RepositoryRef } from './repository-ref.ts'

const KEEP_MS = 10 * 60_000
const MAX_KEPT = 5000
const kept = new Map<string, { readonly required: boolean; readonly until: number }>()

interface Rule {
  readonly type?: string
  readonly parameters?: { readonly required_status_checks?: readonly { readonly context: string }[] }
}

/** Whether a branch demands our check, by rulesets or by classic protection; undefined when GitHub does not tell. Asked at most every ten minutes. */
export async function isCheckRequired(api: GitHubApi, ref: RepositoryRef, branch: string, now = Date.now()): Promise<boolean | undefined> {
  const key = `${ref.id}/${branch}`
  const known = kept.get(key)
  if (known && known.until > now) return known.required
  try {
    const { data: rules } = await api.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', { owner: ref.owner, repo: ref.name, branch, per_page: 100 })
    let required = (rules as readonly Rule[]).some(
      (r) => r.type === 'required_status_checks' && r.parameters?.required_status_checks?.some((c) => c.context === CHECK_NAME),
    )
    if (!required) {
      const { data } = await api.request('GET /repos/{owner}/{repo}/branches/{branch}', { owner: ref.owner, repo: ref.name, branch })
      const checks = (data.protection?.required_status_checks ?? {}) as { contexts?: readonly string[] }
      required = data.protected && (checks.contexts ?? []).includes(CHECK_NAME)
    }
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, { required, until: now + KEEP_MS })
    return required
  } catch {
    // A hint is not worth a failed audit: plans without rulesets, deleted branches.
    return undefined
  }
}
