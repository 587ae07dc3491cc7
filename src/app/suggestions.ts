import { suggestionsFor } from '../annotations/suggestions.ts'
import type { GitHubApi } from '../platform/github/client.ts'
import type { RepositoryRef } from '../platform/github/repository-ref.ts'
import { changedLines, postReview } from '../platform/github/reviews.ts'
import type { ReportFinding } from '../report/report.ts'
import type { TargetStore } from '../store/target-store.ts'

/** Offers fixes that are a change of lines within the diff as suggestions of one review; each finding once per pull request. */
export async function postSuggestions(
  api: GitHubApi,
  ref: RepositoryRef,
  pull: number,
  commit: string,
  findings: readonly ReportFinding[],
  targets: TargetStore,
): Promise<void> {
  const candidates = findings.filter((f) => f.fix.replaces && f.fix.code !== undefined)
  if (!candidates.length) return
  const before = await targets.suggested(ref.id, pull)
  const fresh = candidates.filter((f) => !before.has(f.fingerprint))
  if (!fresh.length) return
  const suggestions = suggestionsFor(fresh, await changedLines(api, ref, pull))
  if (!suggestions.length) return
  await postReview(api, ref, pull, commit, suggestions)
  await targets.noteSuggested(
    ref.id,
    pull,
    suggestions.map((s) => s.fingerprint),
  )
}
